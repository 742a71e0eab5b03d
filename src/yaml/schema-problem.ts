import type { ErrorObject } from 'ajv';
import type { Problem } from '../base/diagnostic.ts';
import { pointerSteps } from '../base/json.ts';
import { hidden } from '../base/sensitive.ts';
import { didYouMean } from '../base/suggestion.ts';
import { kindAt, lists } from '../kinds/all.ts';
import type { FieldOfKind } from '../kinds/kind.ts';
import { formerCapability } from '../kinds/capability.ts';
import { likelyFieldOfError, likelyType } from './unknown-field.ts';

interface WrongValue extends ErrorObject, SourceValue {
  readonly subject: string;
  readonly description: string;
}

interface SourceValue {
  readonly line: string;
  /** The text in the file, which may be a reference such as `${var:NAME}`. */
  readonly sourceText: string;
  readonly isQuotable: boolean;
}

/** If the detail is left out, the description in the schema is used. */
type ProblemWords = readonly [code: Problem['code'], summary: string, detail?: string | undefined];

export function schemaProblem(error: ErrorObject, written: SourceValue): Problem {
  const description = String(error.parentSchema?.['description'] ?? '');
  const subject = subjectOf(error.instancePath);
  const wordsOf = wordsByKeyword[error.keyword] ?? fallbackWords;
  const [code, summary, detail = description] = wordsOf({ ...error, ...written, subject, description });
  return { code, summary, detail };
}

const wordsByKeyword: Readonly<Record<string, (error: WrongValue) => ProblemWords>> = {
  additionalProperties: (error) => {
    const name = error.isQuotable ? `\`${String(error.params['additionalProperty'])}\`` : hidden;
    return ['unknown-field', `unknown field ${name}`, likelyFieldOfError(error).hint];
  },
  required: ({ params, parentSchema }) => {
    const missing = String(params['missingProperty']);
    const properties = (parentSchema?.['properties'] ?? {}) as Record<string, { description?: string }>;
    return ['missing-field', `the field \`${missing}\` is missing`, properties[missing]?.description];
  },
  discriminator: ({ params, instancePath }) => {
    const choices = params['choices'] as string[]; // set in manifest-check.ts
    if (params['error'] === 'tag')
      return ['missing-field', 'the field `type` is missing', `The types are: ${choices.join(', ')}.`];
    return [
      'invalid-value',
      `\`type\` must be one of: ${choices.join(', ')}`,
      likelyType(scalarText(params['tagValue']), pointerSteps(instancePath)[0] ?? '') ??
        'Records of other types must be created in the service; manifests refer to them by name.',
    ];
  },
  anyOf: ({ instancePath, subject }) =>
    instancePath === '' ? emptyListWords : ['invalid-value', `${subject} is not an allowed value`],
  type: (error) => {
    const { subject, params, data, line } = error;
    const forms = acceptedForms(error);
    const wanted = forms?.words ?? typesText(params['type']);
    const hint = forms?.detail ?? (error.isQuotable ? typeHint(error) : undefined);
    if (data !== null) return ['wrong-type', `${subject} must be ${wanted}, not ${typeName(data)}`, hint];
    const comment = line.includes('#') ? ' A # begins a comment unless it is quoted.' : '';
    return ['wrong-type', `${subject} has no value`, `It must be ${wanted}.${comment}`];
  },
  enum: ({ subject, params, data, isQuotable }) => {
    const allowed = [...new Set((params['allowedValues'] as unknown[]).map(String))];
    const written = scalarText(data);
    const hint = isQuotable ? (formerCapability(written) ?? didYouMean(written, allowed)) : undefined;
    return ['invalid-value', `${subject} must be one of: ${someOf(allowed)}`, hint];
  },
  const: ({ subject, params, data }) => {
    const allowed: unknown = params['allowedValue'];
    const hint = scalarText(data) === String(allowed) ? 'Remove the quotes.' : undefined;
    return ['invalid-value', `${subject} must be ${JSON.stringify(allowed)}`, hint];
  },
  minimum: ({ subject, params }) => ['invalid-value', `${subject} must be >= ${String(params['limit'])}`],
  maximum: ({ subject, params }) => ['invalid-value', `${subject} must be <= ${String(params['limit'])}`],
  minProperties: ({ subject }) => ['missing-field', `${subject} must have a key`],
  maxProperties: ({ subject }) => ['invalid-value', `${subject} must have exactly one key`],
  minLength: ({ subject }) => ['invalid-length', `${subject} must not be empty`],
  maxLength: ({ subject, params }) => [
    'invalid-length',
    `${subject} is longer than ${String(params['limit'])} characters`,
  ],
  pattern: (error) => {
    const { subject, description, isQuotable, line, data } = error;
    const forms = acceptedForms(error);
    if (forms) return ['invalid-format', `${subject} must be ${forms.words}`, forms.detail];
    const character = isQuotable && line.includes(String(data)) ? wrongCharacter(error) : undefined;
    const summary =
      character === undefined
        ? `${subject} does not have the required format`
        : `${subject} must not contain ${JSON.stringify(character)}`;
    const name = isQuotable ? nameInsteadOfId(error) : '';
    const hint = `${schemeHint(error)}${description} ${name}${whereToFindId(error)}`;
    return ['invalid-format', summary, hint.trim()];
  },
  format: (error) => [
    'invalid-format',
    `${error.subject} is not a valid ${String(error.params['format'])}`,
    `${schemeHint(error)}${error.description}`.trim(),
  ],
};

const maxValues = 30;

function someOf(allowed: readonly string[]): string {
  const remainder = allowed.length > maxValues ? [`… (${allowed.length} values)`] : [];
  return [...allowed.slice(0, maxValues), ...remainder].join(', ');
}

/** Objects are not converted with String(), because a mapping may have a key `toString`. */
function scalarText(data: unknown): string {
  return typeof data === 'object' && data !== null ? '' : String(data);
}

const fallbackWords = ({ subject, message = 'is not valid' }: WrongValue): ProblemWords => [
  'invalid-value',
  `${subject} ${message}`,
];

const emptyListWords: ProblemWords = [
  'missing-field',
  'this manifest declares nothing',
  `A manifest has at least one of ${lists.length} lists, such as \`applications\` or \`users\`: see \`rollcall help reference\`.`,
];

/** The first forbidden character; undefined if the pattern is not a list of allowed characters. */
function wrongCharacter({ params, data }: ErrorObject): string | undefined {
  const [, allowed] = /^\^(\[[^\]]+\])\+\$$/.exec(String(params['pattern'])) ?? [];
  if (allowed === undefined) return undefined;
  const item = new RegExp(allowed, 'u');
  return Array.from(String(data)).find((character) => !item.test(character));
}

function schemeHint({ params, data }: ErrorObject): string {
  const url = `https://${String(data)}`;
  const lacksScheme =
    params['format'] === 'uri'
      ? !String(data).includes(':') && URL.canParse(url)
      : /^[^\s/]+\.[^\s]+$/.test(String(data)) && new RegExp(String(params['pattern']), 'u').test(url);
  return lacksScheme ? 'Begin the URL with https://. ' : '';
}

const yaml12Words = 'In YAML 1.2, words such as yes and off are strings.';

function typeHint(error: WrongValue): string | undefined {
  const { params, data, sourceText } = error;
  const types = String(params['type']).split(',');
  const [, variable] = /^["']?\$\{var:([^}]+)\}["']?$/.exec(sourceText) ?? [];
  if (variable !== undefined) {
    const place = `The variable \`${variable}\` is ${typeName(data)}.`;
    return types.includes('string')
      ? `${place} Quote the value where the variable is set, as in --var '${variable}="…"'.`
      : `${place} Change the value where the variable is set.`;
  }
  if (types.includes('string') && (typeof data === 'number' || typeof data === 'boolean')) {
    const isPlain = typeof data === 'boolean' || Number.isInteger(data);
    return isPlain ? 'Quote it.' : `Quote it: without quotes, YAML reads the number ${data} here.`; // for example, 2024.1 for 2024.10
  }
  if (types.includes('boolean') && typeof data === 'string') {
    if (/^(yes|on|true|y)$/i.test(data)) return `Write true, without quotes. ${yaml12Words}`;
    if (/^(no|off|false|n)$/i.test(data)) return `Write false, without quotes. ${yaml12Words}`;
  }
  if (types.includes('integer') && typeof data === 'string') {
    if (/^\d+$/.test(data)) return 'Remove the quotes.';
    const idHint = `${nameInsteadOfId(error)}${whereToFindId(error)}`;
    return idHint === '' ? undefined : `The ids of this field are numbers. ${idHint}`;
  }
  if (types.includes('array')) {
    if (typeof data === 'object')
      return error.sourceText.startsWith('{')
        ? 'Write [ before the {, and ] after the }.'
        : 'Begin each entry with `- `.';
    const items = typeof data === 'number' ? data : (itemExample(error) ?? 'a, b');
    return `Write it as [${items}], or put each entry on its own line, after \`- \`.`;
  }
  if (types.includes('object') && typeof data === 'string') {
    if (data.startsWith('{')) return 'Remove the quotes.';
    if (/^\w+:\S/.test(data)) return 'Put a space after the colon.';
    const example = itemExample(error);
    if (example !== undefined) return `Write it as \`${example}\`.`;
  }
  return undefined;
}

/** An item of a list of references or bindings, with the written name if it is in the line, and so is no secret. */
function itemExample({ instancePath, data, line }: WrongValue): string | undefined {
  const steps = pointerSteps(instancePath);
  const { refersTo, children } = fieldAt(steps) ?? {};
  const [binds] = children?.binds ?? [];
  const family = binds?.refersTo ?? refersTo;
  if (family === undefined) return undefined;
  const [key = 'name'] = Object.keys(family.keys ?? {});
  const name = typeof data === 'string' && data !== '' && line.includes(data) ? data : '…';
  const reference = `{ ${key}: ${name} }`;
  return binds ? `{ ${binds.idField}: ${reference}, order: 10 }` : reference;
}

/** The field to which the steps lead, which may be part of another field, such as `access.groups`. */
function fieldAt(steps: readonly string[]): FieldOfKind | undefined {
  const fields = kindAt(steps)?.fields ?? {};
  const [, , field = '', part = ''] = steps;
  return fields[field] ?? fields[`${field}.${part}`];
}

function acceptedForms({
  parentSchema,
  description,
}: WrongValue): { words: string; detail: string } | undefined {
  const [, word] = /^\^(\w+)\$$/.exec(String(parentSchema?.['pattern'])) ?? [];
  if (word === undefined) return undefined;
  const keys = Object.keys((parentSchema?.['properties'] ?? {}) as object); // in rollcall's schemas, this is an object
  const examples = keys.map((key) => `\`{ ${key}: [{ name: … }] }\``).join(' or ');
  return {
    words: `\`${word}\`, or a mapping with ${keys.map((key) => `\`${key}:\``).join(' and ')}`,
    detail: `Write \`${word}\`, or ${examples}. ${description}`,
  };
}

/** How to write a name instead of an id. A value that the line does not contain may be a secret, so it is not quoted. */
function nameInsteadOfId({ parentSchema, data, line }: WrongValue): string {
  const [key, ...others] = Object.keys((parentSchema?.['properties'] ?? {}) as object); // in rollcall's schemas, this is an object
  const takesName =
    parentSchema?.['additionalProperties'] === false &&
    (key === 'name' || key === 'slug' || others.includes('name'));
  if (!takesName || typeof data !== 'string') return '';
  const called = key === 'slug' ? key : 'name';
  return `A ${called} is written as \`{ ${called}: ${data !== '' && line.includes(data) ? data : '…'} }\`. `;
}

function whereToFindId({ instancePath }: ErrorObject): string {
  const steps = pointerSteps(instancePath);
  return fieldAt(steps)?.refersTo?.findId ?? '';
}

function subjectOf(instancePath: string): string {
  const field = instancePath.split('/').findLast((step) => step !== '' && !/^\d+$/.test(step));
  if (field === undefined) return 'this';
  return /\/\d+$/.test(instancePath) ? `an entry of \`${field}\`` : `\`${field}\``;
}

function typesText(types: unknown): string {
  const all = String(types).split(',');
  // A reference may also be a mapping with a name; a separate hint explains that.
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
