import type { ErrorObject } from 'ajv';
import type { Problem } from '../base/diagnostic.ts';
import { stepsOf } from '../base/json.ts';
import { hidden } from '../base/sensitive.ts';
import { didYouMean } from '../base/suggestion.ts';
import { kindAt, kinds } from '../kinds/all.ts';
import { meantBy } from './unknown-field.ts';

const lists = kinds.map(({ list }) => `\`${list}\``).join(' nor ');

/** What is wrong, in the words of the file. `line` is the source line on which it is; where it is not quotable, nor is the value. */
export function schemaProblem(error: ErrorObject, line: string, isQuotable = true): Problem {
  const { instancePath, params, data } = error;
  const properties = (error.parentSchema?.['properties'] ?? {}) as Record<string, { description?: string }>;
  const description = String(error.parentSchema?.['description'] ?? '');
  const subject = subjectOf(instancePath);
  const problem = (code: Problem['code'], summary: string, detail = description): Problem => ({
    code,
    summary,
    detail,
  });
  switch (error.keyword) {
    case 'additionalProperties': {
      const unknown = String(params['additionalProperty']);
      const name = isQuotable ? `\`${unknown}\`` : hidden;
      return problem('unknown-field', `unknown field ${name}`, meantBy(error).hint);
    }
    case 'required': {
      const missing = String(params['missingProperty']);
      const detail = properties[missing]?.description ?? description;
      return problem('missing-field', `the field \`${missing}\` is missing`, detail);
    }
    case 'anyOf':
      if (instancePath !== '')
        return problem('invalid-value', `${subject} is not one of the values that it can have`);
      return problem(
        'missing-field',
        `neither ${lists} is here`,
        `A manifest declares at least one of the ${kinds.length === 2 ? 'two' : kinds.length} lists.`,
      );
    case 'type': {
      const wanted = named(params['type']);
      if (data === null) {
        const comment = line.includes('#') ? ' A # begins a comment unless it is quoted.' : '';
        return problem('wrong-type', `${subject} has no value`, `It must be ${wanted}.${comment}`);
      }
      const summary = `${subject} must be ${wanted}, not ${typeName(data)}`;
      return problem('wrong-type', summary, (isQuotable && typeHint(error, line)) || description);
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).map(String);
      const summary = `${subject} must be one of: ${allowed.join(', ')}`;
      return problem('invalid-value', summary, isQuotable ? didYouMean(String(data), allowed) : description);
    }
    case 'const': {
      const allowed: unknown = params['allowedValue'];
      const detail = isQuotable && String(data) === String(allowed) ? 'Remove the quotes.' : description;
      return problem('invalid-value', `${subject} must be ${JSON.stringify(allowed)}`, detail);
    }
    case 'minLength':
      return problem('invalid-length', `${subject} must not be empty`);
    case 'maxLength':
      return problem('invalid-length', `${subject} is longer than ${String(params['limit'])} characters`);
    case 'pattern': {
      const wrong = isQuotable && line.includes(String(data)) ? wrongCharacter(error) : undefined;
      return problem(
        'invalid-format',
        wrong === undefined
          ? `${subject} is not of the form that it must have`
          : `${subject} must not hold ${JSON.stringify(wrong)}`,
        `${description} ${isQuotable ? orName(error, line) : ''}${findId(error)}`.trim(),
      );
    }
    case 'format':
      return problem('invalid-format', `${subject} is not a valid ${String(params['format'])}`);
    default:
      return problem('invalid-value', `${subject} ${error.message ?? 'is not valid'}`);
  }
}

/** The first character that is not allowed, if the pattern is a list of allowed ones. */
function wrongCharacter({ params, data }: ErrorObject): string | undefined {
  const [, allowed] = /^\^(\[[^\]]+\])\+\$$/.exec(String(params['pattern'])) ?? [];
  if (allowed === undefined) return undefined;
  const one = new RegExp(allowed, 'u');
  return Array.from(String(data)).find((character) => !one.test(character));
}

const words = 'In YAML 1.2, words such as yes and off are texts.';

/** How the written value becomes one of the type that is asked for. */
function typeHint(error: ErrorObject, line: string): string {
  const { params, data } = error;
  const types = String(params['type']).split(',');
  if (types.includes('string') && (typeof data === 'number' || typeof data === 'boolean')) {
    const isPlain = typeof data === 'boolean' || Number.isInteger(data);
    return isPlain ? 'Quote it.' : `Quote it: without quotes, YAML reads the number ${data} here.`; // 2024.10 becomes 2024.1
  }
  if (types.includes('boolean') && typeof data === 'string') {
    if (/^(yes|on|true|y)$/i.test(data)) return `Write true, without quotes. ${words}`;
    if (/^(no|off|false|n)$/i.test(data)) return `Write false, without quotes. ${words}`;
  }
  if (types.includes('integer') && typeof data === 'string') {
    if (/^\d+$/.test(data)) return 'Remove the quotes.';
    return `It is an id. ${orName(error, line)}${findId(error)}`;
  }
  if (types.includes('array')) {
    return typeof data === 'object'
      ? 'Begin each entry with `- `.'
      : 'Write it as [a, b], or each entry in a line of its own that begins with `- `.';
  }
  if (types.includes('object') && typeof data === 'string') {
    if (data.startsWith('{')) return 'Remove the quotes.';
    if (/^\w+:\S/.test(data)) return 'A space follows the colon.';
  }
  return '';
}

/** How a name is written where an id is wanted. What does not stand in the line may be a secret. */
function orName({ parentSchema, data }: ErrorObject, line: string): string {
  const takesName = String(parentSchema?.['type']).includes('object');
  if (!takesName || typeof data !== 'string') return '';
  return `A name is written as \`{ name: ${data !== '' && line.includes(data) ? data : '…'} }\`. `;
}

/** Where the id is to be found that a field takes. */
function findId({ instancePath }: ErrorObject): string {
  const steps = stepsOf(instancePath);
  return kindAt(steps)?.fields[steps[2] ?? '']?.findId ?? '';
}

function subjectOf(instancePath: string): string {
  const field = instancePath.split('/').findLast((step) => step !== '' && !/^\d+$/.test(step));
  if (field === undefined) return 'this';
  return /\/\d+$/.test(instancePath) ? `an entry of \`${field}\`` : `\`${field}\``;
}

function named(types: unknown): string {
  const all = String(types).split(',');
  // Where an id can stand, a mapping is the way to write a name: a hint says so.
  const plain = all.filter((type) => type !== 'object');
  return (plain.length > 0 ? plain : all).map(withArticle).join(' or ');
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a number';
  return withArticle(typeof value);
}

const typeNames = new Map([
  ['null', 'null'],
  ['object', 'a mapping'],
  ['array', 'a list'],
  ['integer', 'an integer'],
]);

function withArticle(type: string): string {
  return typeNames.get(type) ?? `a ${type}`;
}
