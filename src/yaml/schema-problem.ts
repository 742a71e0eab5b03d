import type { ErrorObject } from 'ajv';
import type { Problem } from '../base/diagnostic.ts';
import { didYouMean } from '../base/suggestion.ts';
import { kinds } from '../kinds/all.ts';

const lists = kinds.map(({ list }) => `\`${list}\``).join(' nor ');

/** What is wrong, in the words of the file. `line` is the source line on which it is. */
export function schemaProblem(error: ErrorObject, line: string): Problem {
  const field = lastStep(error.instancePath);
  const subject = subjectOf(error.instancePath, field);
  switch (error.keyword) {
    case 'additionalProperties': {
      const unknown = String(error.params['additionalProperty']);
      const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
      return {
        code: 'unknown-field',
        summary: `unknown field \`${unknown}\``,
        detail: didYouMean(unknown, known) ?? `Known here: ${known.join(', ')}.`,
      };
    }
    case 'required': {
      const missing = String(error.params['missingProperty']);
      return {
        code: 'missing-field',
        summary: `the field \`${missing}\` is missing`,
        detail: hintOf(error, missing),
      };
    }
    case 'anyOf':
      if (error.instancePath !== '')
        return {
          code: 'invalid-value',
          summary: `${subject} is not one of the values that it can have`,
          detail: descriptionOf(error),
        };
      return {
        code: 'missing-field',
        summary: `neither ${lists} is here`,
        detail: `A manifest declares at least one of the ${kinds.length === 2 ? 'two' : kinds.length} lists.`,
      };
    case 'type':
      if (error.data === null) {
        return {
          code: 'wrong-type',
          summary: `${subject} has no value`,
          detail: `It must be ${named(error.params['type'])}.${line.includes('#') ? ' A # begins a comment unless it is quoted.' : ''}`,
        };
      }
      return {
        code: 'wrong-type',
        summary: `${subject} must be ${named(error.params['type'])}, not ${typeName(error.data)}`,
        detail: typeHint(error) || descriptionOf(error),
      };
    case 'enum': {
      const allowed = (error.params['allowedValues'] as unknown[]).map(String);
      return {
        code: 'invalid-value',
        summary: `${subject} must be one of: ${allowed.join(', ')}`,
        detail: didYouMean(String(error.data), allowed) ?? descriptionOf(error),
      };
    }
    case 'const':
      return {
        code: 'invalid-value',
        summary: `${subject} must be ${JSON.stringify(error.params['allowedValue'])}`,
        detail:
          String(error.data) === String(error.params['allowedValue'])
            ? 'Remove the quotes.'
            : descriptionOf(error),
      };
    case 'minLength':
      return {
        code: 'invalid-length',
        summary: `${subject} must not be empty`,
        detail: descriptionOf(error),
      };
    case 'maxLength':
      return {
        code: 'invalid-length',
        summary: `${subject} is longer than ${String(error.params['limit'])} characters`,
        detail: descriptionOf(error),
      };
    case 'pattern': {
      const wrong = line.includes(String(error.data)) ? wrongCharacter(error) : undefined;
      return {
        code: 'invalid-format',
        summary:
          wrong === undefined
            ? `${subject} is not of the form that it must have`
            : `${subject} must not hold ${JSON.stringify(wrong)}`,
        detail: descriptionOf(error),
      };
    }
    case 'format':
      return {
        code: 'invalid-format',
        summary: `${subject} is not a valid ${String(error.params['format'])}`,
        detail: descriptionOf(error),
      };
    default:
      return {
        code: 'invalid-value',
        summary: `${subject} ${error.message ?? 'is not valid'}`,
        detail: descriptionOf(error),
      };
  }
}

/** The first character that is not allowed, if the pattern is a list of allowed ones. */
function wrongCharacter({ params, data }: ErrorObject): string | undefined {
  const [, allowed] = /^\^(\[[^\]]+\])\+\$$/.exec(String(params['pattern'])) ?? [];
  if (allowed === undefined) return undefined;
  const one = new RegExp(allowed, 'u');
  return Array.from(String(data)).find((character) => !one.test(character));
}

function descriptionOf(error: ErrorObject): string {
  return String(error.parentSchema?.['description'] ?? '');
}

function hintOf(error: ErrorObject, property: string): string {
  const properties = error.parentSchema?.['properties'] as
    | Record<string, { description?: string }>
    | undefined;
  return properties?.[property]?.description ?? '';
}

const words = 'In YAML 1.2, words such as yes and off are texts.';

/** How the written value becomes one of the type that is asked for. */
function typeHint({ params, data, parentSchema }: ErrorObject): string {
  const types = String(params['type']).split(',');
  if (types.includes('string') && (typeof data === 'number' || typeof data === 'boolean')) return 'Quote it.';
  if (types.includes('boolean') && typeof data === 'string') {
    if (/^(yes|on|true|y)$/i.test(data)) return `Write true, without quotes. ${words}`;
    if (/^(no|off|false|n)$/i.test(data)) return `Write false, without quotes. ${words}`;
  }
  if (types.includes('integer') && typeof data === 'string') {
    if (/^\d+$/.test(data)) return 'Remove the quotes.';
    return /\bid\b/.test(String(parentSchema?.['description'])) ? 'It is an id, not a name.' : '';
  }
  if (types.includes('array')) {
    return typeof data === 'object'
      ? 'Begin each entry with `- `.'
      : 'Write it as [a, b], or each entry in a line of its own that begins with `- `.';
  }
  if (types.includes('object') && typeof data === 'string' && /^\w+:\S/.test(data))
    return 'A space follows the colon.';
  return '';
}

function subjectOf(instancePath: string, field: string | undefined): string {
  if (field === undefined) return 'this';
  return /\/\d+$/.test(instancePath) ? `an entry of \`${field}\`` : `\`${field}\``;
}

function lastStep(instancePath: string): string | undefined {
  return instancePath.split('/').findLast((step) => step !== '' && !/^\d+$/.test(step));
}

function named(type: unknown): string {
  const names = String(type).split(',').map(withArticle);
  return names.join(' or ');
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a number';
  return withArticle(typeof value);
}

function withArticle(type: string): string {
  switch (type) {
    case 'null':
      return 'null';
    case 'object':
      return 'a mapping';
    case 'array':
      return 'a list';
    case 'integer':
      return 'an integer';
    default:
      return `a ${type}`;
  }
}
