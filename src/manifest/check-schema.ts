import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import leven from 'leven';
import { diagnosticAt, type Diagnostic, type Problem } from '../diagnostic.ts';
import type { JsonValue } from '../json.ts';
import { readSchema, type SchemaName } from '../schema.ts';
import type { SourceFile, Span } from '../source.ts';
import type { Places } from './parse-yaml.ts';

/** Checks parsed YAML against one of the schemas. Nothing wrong gives no diagnostics. */
export function checkSchema(
  schema: SchemaName,
  value: JsonValue,
  places: Places,
  file: SourceFile,
): Diagnostic[] {
  const validate = validatorFor(schema);
  if (validate(value)) return [];
  return oneForEachMistake(validate.errors ?? []).map((error) => {
    const path = pathOf(error, value);
    return diagnosticAt(file, spanOf(error, path, places), problemOf(error));
  });
}

const validators = new Map<SchemaName, ValidateFunction>();

function validatorFor(schema: SchemaName): ValidateFunction {
  let validate = validators.get(schema);
  if (validate === undefined) {
    const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false, verbose: true });
    addFormats.default(ajv);
    validate = ajv.compile(readSchema(schema));
    validators.set(schema, validate);
  }
  return validate;
}

/** Keywords that speak of the value as a whole, the most telling first. */
const tellingOrder = ['type', 'const', 'enum', 'minLength', 'maxLength', 'format', 'pattern'];

/** One value that breaks several rules at once is one mistake. */
function oneForEachMistake(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  const ofValue = new Map<string, ErrorObject>();
  for (const error of errors) {
    if (/\/anyOf\/\d+\//.test(error.schemaPath)) continue; // the anyOf itself tells it
    if (error.keyword === 'anyOf' && error.instancePath === '' && errors.some(isUnknownAtRoot)) continue; // a typo of it
    if (!tellingOrder.includes(error.keyword)) {
      kept.push(error);
      continue;
    }
    const other = ofValue.get(error.instancePath);
    if (other === undefined || tellingOrder.indexOf(error.keyword) < tellingOrder.indexOf(other.keyword)) {
      ofValue.set(error.instancePath, error);
    }
  }
  return [...kept, ...ofValue.values()];
}

function isUnknownAtRoot({ keyword, instancePath }: ErrorObject): boolean {
  return keyword === 'additionalProperties' && instancePath === '';
}

function pathOf(error: ErrorObject, root: JsonValue): (string | number)[] {
  const path: (string | number)[] = [];
  let value: unknown = root;
  for (const escaped of error.instancePath.split('/').slice(1)) {
    const step = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(step) : step);
    value = (value as Record<string, unknown>)[step]; // ajv walked the same path
  }
  return path;
}

function spanOf(error: ErrorObject, path: readonly (string | number)[], places: Places): Span {
  return error.keyword === 'additionalProperties'
    ? places.ofKey(path, String(error.params['additionalProperty']))
    : places.ofValue(path);
}

function problemOf(error: ErrorObject): Problem {
  const field = lastStep(error.instancePath);
  const subject = subjectOf(error.instancePath, field);
  switch (error.keyword) {
    case 'additionalProperties': {
      const unknown = String(error.params['additionalProperty']);
      const known = Object.keys((error.parentSchema?.['properties'] ?? {}) as object);
      return {
        code: 'unknown-field',
        summary: `unknown field \`${unknown}\``,
        detail: suggestion(unknown, known) ?? `Known here: ${known.join(', ')}.`,
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
          summary: `${subject} is none of what it can be`,
          detail: descriptionOf(error),
        };
      return {
        code: 'missing-field',
        summary: 'neither `applications` nor `users` is here',
        detail: 'A manifest declares at least one of the two lists.',
      };
    case 'type':
      return {
        code: 'wrong-type',
        summary: `${subject} must be ${named(error.params['type'])}, not ${typeName(error.data)}`,
        detail: wantsQuotes(error) ? 'Quote it.' : '',
      };
    case 'enum': {
      const allowed = (error.params['allowedValues'] as unknown[]).map(String);
      return {
        code: 'invalid-value',
        summary: `${subject} must be one of: ${allowed.join(', ')}`,
        detail: suggestion(String(error.data), allowed) ?? '',
      };
    }
    case 'const':
      return {
        code: 'invalid-value',
        summary: `${subject} must be ${JSON.stringify(error.params['allowedValue'])}`,
        detail: '',
      };
    case 'minLength':
      return { code: 'invalid-length', summary: `${subject} must not be empty`, detail: '' };
    case 'maxLength':
      return {
        code: 'invalid-length',
        summary: `${subject} is longer than ${String(error.params['limit'])} characters`,
        detail: '',
      };
    case 'pattern':
      return {
        code: 'invalid-format',
        summary: `${subject} is not of the form that the service takes`,
        detail: descriptionOf(error),
      };
    case 'format':
      return {
        code: 'invalid-format',
        summary: `${subject} is not a valid ${String(error.params['format'])}`,
        detail: descriptionOf(error),
      };
    default:
      return { code: 'invalid-value', summary: `${subject} ${error.message ?? 'is not valid'}`, detail: '' };
  }
}

function suggestion(written: string, known: readonly string[]): string | undefined {
  const nearest = known
    .map((word) => ({ word, distance: leven(written.toLowerCase(), word.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  if (nearest === undefined || nearest.distance > Math.max(2, Math.floor(written.length / 3)))
    return undefined;
  return `Did you mean \`${nearest.word}\`?`;
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

/** A number or a boolean where a text belongs; null is more likely a value that was forgotten. */
function wantsQuotes({ params, data }: ErrorObject): boolean {
  return params['type'] === 'string' && (typeof data === 'number' || typeof data === 'boolean');
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
