import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { canonicalPk, uuidForm } from './ids.ts';
import { trimAsService } from '../manifest/trim.ts';
import { typeName } from './python.ts';
import type { Row, Rows } from './rows.ts';

/** Reads a field of a create, or of a change of the record `existing`. Returns a value to store, or all problems. */
type ReadField = (value: JsonValue, existing?: Row) => Reading;
type Reading = { readonly value: JsonValue } | { readonly errors: Errors };

/** The messages about a value; for a nested value, an object or a list of objects. */
type Errors = readonly string[] | JsonObject | readonly JsonObject[];

export interface Field {
  readonly type: string;
  /** The noun for the field, by default its name in words. */
  readonly label?: string;
  readonly attributes?: JsonObject;
  readonly read: ReadField;
  /** The stored value of an omitted field; undefined if the field is required. */
  readonly default?: JsonValue;
  readonly isGenerated?: boolean;
}

export type FieldErrors = Readonly<Record<string, Errors>>;

/** Returns the problem with a string or an id. `existing` is the record to change. */
export type ContentCheck = (content: string, existing?: Row) => string | undefined;

function wrong(error: string): Reading {
  return { errors: [error] };
}

/**
 * Reads the body of a create or a change. In a change, omitted fields keep their values, but required fields must be present
 * unless the change is partial. Unknown fields are ignored, as in the service.
 */
export function readFields(
  body: JsonObject,
  fields: Readonly<Record<string, Field>>,
  change?: { readonly existing: Row; readonly partial: boolean },
): { values: Record<string, JsonValue>; errors: Record<string, Errors> } {
  const values: Record<string, JsonValue> = {};
  const errors: Record<string, Errors> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = Object.hasOwn(body, name) ? body[name] : undefined;
    if (given === undefined) {
      if (field.isGenerated) continue;
      if (field.default === undefined && change?.partial !== true) errors[name] = ['This field is required.'];
      else if (field.default !== undefined && change === undefined) values[name] = field.default;
      continue;
    }
    const result = field.read(given, change?.existing);
    if ('errors' in result) errors[name] = result.errors;
    else values[name] = result.value;
  }
  return { values, errors };
}

/** Reads a string and trims it. Numbers are read as strings; booleans are rejected. */
export function textReader(
  blank: boolean,
  maxLength: number | undefined,
  checkFirst: ContentCheck | undefined,
  checkLast: ContentCheck | undefined,
): ReadField {
  const checks = [
    checkFirst,
    maxLength === undefined ? undefined : maxLengthCheck(maxLength),
    nulProblem,
    surrogateProblem,
    checkLast,
  ];
  return rejectNull((value, existing) => {
    if (typeof value !== 'string' && typeof value !== 'number') return wrong('Not a valid string.');
    const trimmed = trimAsService(String(value));
    if (trimmed === '') return blank ? { value: '' } : wrong('This field may not be blank.');
    const errors = checks.flatMap((check) => check?.(trimmed, existing) ?? []);
    return errors.length > 0 ? { errors } : { value: trimmed };
  });
}

export function choiceReader(
  values: readonly (string | number)[],
  names: Readonly<Record<string, string>> = {},
  check?: ContentCheck,
): Pick<Field, 'read'> & { readonly attributes: JsonObject } {
  const nameOf = (value: string): string =>
    names[value] ??
    value.replaceAll('_', ' ').replaceAll(/(?<![^ ])[a-z]/g, (letter) => letter.toUpperCase());
  return {
    attributes: { choices: values.map((value) => ({ value, display_name: nameOf(String(value)) })) },
    read: rejectNull((value, existing) => {
      const written = textOf(value);
      if (!values.some((item) => String(item) === written))
        return wrong(`"${written}" is not a valid choice.`);
      return readingOf(value, check?.(written, existing));
    }),
  };
}

function readingOf(value: JsonValue, complaint: string | undefined): Reading {
  return complaint === undefined ? { value } : wrong(complaint);
}

export const readBoolean: ReadField = rejectNull((value) =>
  typeof value === 'boolean' ? { value } : wrong('Must be a valid boolean.'),
);

export const readMapping: ReadField = rejectNull((value) =>
  isJsonObject(value) ? { value } : wrong('Value must be a dictionary, and not have any duplicate keys.'),
);

export function referenceReader(
  form: 'number' | 'uuid',
  rows: () => Pick<Rows, 'at'>,
  check?: ContentCheck,
): ReadField {
  return (value, existing) => {
    const id = idText(value);
    if (form === 'uuid' && !uuidForm.test(id)) return wrong(`“${id}” is not a valid UUID.`);
    if (form === 'number' && typeof value !== 'number' && !/^\d+$/.test(id))
      return wrong(`Incorrect type. Expected pk value, received ${typeName(value)}.`);
    const found = rows().at(canonicalPk(id));
    if (found === undefined) return wrong(`Invalid pk "${id}" - object does not exist.`);
    return readingOf(found.pk, check?.(String(found.pk), existing));
  };
}

export const readUuid: ReadField = rejectNull((value) =>
  uuidForm.test(textOf(value)) ? { value } : wrong('Must be a valid UUID.'),
);

/** An id as a string. The service does not treat a number of more than 64 bits as an integer. */
function idText(value: JsonValue): string {
  return typeof value === 'number' && value >= 2 ** 64 ? value.toExponential() : textOf(value);
}

/** A list of distinct ids, in the order of the records. */
export function referenceListReader(form: 'number' | 'uuid', rows: () => Rows): ReadField {
  const read = referenceReader(form, rows);
  return rejectNull((value) => {
    if (!isJsonList(value)) return wrong(`Expected a list of items but got type "${typeName(value)}".`);
    const ids = new Set<JsonValue>();
    for (const item of value) {
      const result = read(item);
      if ('errors' in result) return result;
      ids.add(result.value);
    }
    const inOrder = rows()
      .all()
      .filter(({ pk }) => ids.has(pk));
    return { value: inOrder.map(({ pk }) => pk) };
  });
}

const timeForm =
  /^(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(?:\.(\d+))?(?:Z|([-+](?:[01]\d|2[0-3])):?([0-5]\d)?)?$/;

/** Converts a date-time to UTC. A date-time without an offset is read as UTC. */
export const readDateTime: ReadField = acceptNull((value) => {
  const [, day = '', minute, second = ':00', fraction = '', hours = '+00', minutes = '00'] =
    timeForm.exec(textOf(value)) ?? [];
  const instant = new Date(`${day}T${minute}${second}${hours}:${minutes}`);
  const year = instant.getUTCFullYear();
  const isThere = year >= 1 && year <= 9999 && new Date(day).toISOString().startsWith(day);
  if (!isThere) return wrong(badTime);
  const rest = /[1-9]/.test(fraction) ? `.${fraction.slice(0, 6).padEnd(6, '0')}Z` : 'Z';
  return { value: instant.toISOString().replace('.000Z', rest) };
});

const badTime =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';

export function acceptNull(read: ReadField): ReadField {
  return (value, existing) => (value === null ? { value } : read(value, existing));
}

export function rejectNull(read: ReadField): ReadField {
  return (value, existing) => (value === null ? wrong('This field may not be null.') : read(value, existing));
}

function maxLengthCheck(length: number): ContentCheck {
  return (content) =>
    Array.from(content).length > length
      ? `Ensure this field has no more than ${length} characters.`
      : undefined;
}

function surrogateProblem(content: string): string | undefined {
  const lone = /\p{Surrogate}/u.exec(content)?.[0];
  if (lone === undefined) return undefined;
  return `Surrogate characters are not allowed: U+${lone.charCodeAt(0).toString(16).toUpperCase()}.`;
}

function nulProblem(content: string): string | undefined {
  return content.includes('\0') ? 'Null characters are not allowed.' : undefined;
}
