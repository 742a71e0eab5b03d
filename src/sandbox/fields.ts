import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../json.ts';
import { trim } from '../manifest/trim.ts';

/** How the service reads one field of a request: a value to store, or what it says is wrong. */
export type ReadField = (value: JsonValue) => { readonly value: JsonValue } | { readonly error: string };

export interface Field {
  readonly read: ReadField;
  /** What is stored when the request leaves the field out; none makes the field required. */
  readonly default?: JsonValue;
}

export type FieldErrors = Record<string, string[]>;

/** Reads the body of a create. Fields that are not listed are silently ignored, as the service ignores them. */
export function readFields(
  body: JsonObject,
  fields: Readonly<Record<string, Field>>,
): { values: Record<string, JsonValue>; errors: FieldErrors } {
  const values: Record<string, JsonValue> = {};
  const errors: FieldErrors = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = body[name];
    if (given === undefined) {
      if (field.default === undefined) errors[name] = ['This field is required.'];
      else values[name] = field.default;
      continue;
    }
    const result = field.read(given);
    if ('error' in result) errors[name] = [result.error];
    else values[name] = result.value;
  }
  return { values, errors };
}

export interface TextRules {
  readonly blank?: boolean;
  readonly maxLength?: number;
  /** Says what is wrong with a text that is neither blank nor too long. */
  readonly check?: (text: string) => string | undefined;
}

export function text(rules: TextRules = {}): ReadField {
  return notNull((value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return { error: 'Not a valid string.' };
    const trimmed = trim(textOf(value));
    if (trimmed === '') return rules.blank ? { value: '' } : { error: 'This field may not be blank.' };
    if (rules.maxLength !== undefined && Array.from(trimmed).length > rules.maxLength) {
      return { error: `Ensure this field has no more than ${rules.maxLength} characters.` };
    }
    const error = rules.check?.(trimmed);
    return error === undefined ? { value: trimmed } : { error };
  });
}

export function choice(...choices: string[]): ReadField {
  return notNull((value) =>
    choices.includes(textOf(value)) ? { value } : { error: `"${textOf(value)}" is not a valid choice.` },
  );
}

export const flag: ReadField = notNull((value) =>
  typeof value === 'boolean' ? { value } : { error: 'Must be a valid boolean.' },
);

export const mapping: ReadField = notNull((value) =>
  isJsonObject(value) ? { value } : { error: 'Value must be a dictionary, and not have any duplicate keys.' },
);

export const dateTime: ReadField = (value) => {
  if (value === null) return { value };
  const form = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?$/;
  const instant =
    typeof value === 'string' && form.test(value) ? Date.parse(inUtcUnlessSaid(value)) : Number.NaN;
  if (Number.isNaN(instant)) {
    const formats = 'YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]';
    return { error: `Datetime has wrong format. Use one of these formats instead: ${formats}.` };
  }
  return { value: new Date(instant).toISOString().replace('.000Z', 'Z') };
};

/** One of the ids of what exists. */
export function providerId(exists: (pk: number) => boolean): ReadField {
  return (value) => {
    if (typeof value !== 'number')
      return { error: `Incorrect type. Expected pk value, received ${pythonType(value)}.` };
    return exists(value) ? { value } : { error: `Invalid pk "${value}" - object does not exist.` };
  };
}

export function groupId(exists: (pk: string) => boolean): ReadField {
  return (value) => {
    const digits = textOf(value).toLowerCase().replaceAll('-', '');
    if (!/^[0-9a-f]{32}$/.test(digits)) return { error: `“${textOf(value)}” is not a valid UUID.` };
    const pk = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    return exists(pk) ? { value: pk } : { error: `Invalid pk "${textOf(value)}" - object does not exist.` };
  };
}

export function nullable(read: ReadField): ReadField {
  return (value) => (value === null ? { value } : read(value));
}

/** A list of distinct values, in ascending order. */
export function setOf(read: ReadField): ReadField {
  return notNull((value) => {
    if (!isJsonList(value)) return { error: `Expected a list of items but got type "${pythonType(value)}".` };
    const members: JsonValue[] = [];
    for (const item of value) {
      const result = read(item);
      if ('error' in result) return result;
      if (!members.includes(result.value)) members.push(result.value);
    }
    return { value: members.toSorted((a, b) => (a === null || b === null ? 0 : a < b ? -1 : 1)) };
  });
}

/** The name that the service's language has for the type of a value. */
export function pythonType(value: JsonValue): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    default:
      return 'dict';
  }
}

function notNull(read: ReadField): ReadField {
  return (value) => (value === null ? { error: 'This field may not be null.' } : read(value));
}

function inUtcUnlessSaid(time: string): string {
  return /(Z|[+-]\d{2}:?\d{2})$/.test(time) ? time : `${time}Z`;
}
