import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { str, strip } from './python.ts';
import type { Row } from './rows.ts';

/** How the service reads one field of a request, to change `own` or for a new record: a value to store, or all that is wrong. */
export type ReadField = (value: JsonValue, own?: Row) => Reading;
export type Reading = { readonly value: JsonValue } | { readonly errors: readonly string[] };

export interface Field {
  /** What OPTIONS tells of the field to one who may create. */
  readonly type: string;
  readonly label: string;
  readonly more?: JsonObject;
  readonly read: ReadField;
  /** What is stored when the request leaves the field out; none makes the field required. */
  readonly default?: JsonValue;
}

export type FieldErrors = Record<string, readonly string[]>;

/** Says what is wrong with a text for that record, if anything is. */
type Check = (content: string, own?: Row) => string | undefined;

export function wrong(error: string): Reading {
  return { errors: [error] };
}

/**
 * Reads the body of a create, or of the change of a record: then a field that is left out stays as it is, though the required ones must
 * be there where the change is not partial. Fields that are not listed are silently ignored, as the service ignores them.
 */
export function readFields(
  body: JsonObject,
  fields: Readonly<Record<string, Field>>,
  change?: { readonly own: Row; readonly partial: boolean },
): { values: Record<string, JsonValue>; errors: FieldErrors } {
  const values: Record<string, JsonValue> = {};
  const errors: FieldErrors = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = Object.hasOwn(body, name) ? body[name] : undefined;
    if (given === undefined) {
      if (field.default === undefined && change?.partial !== true) errors[name] = ['This field is required.'];
      else if (field.default !== undefined && change === undefined) values[name] = field.default;
      continue;
    }
    const result = field.read(given, change?.own);
    if ('errors' in result) errors[name] = result.errors;
    else values[name] = result.value;
  }
  return { values, errors };
}

interface TextRules {
  readonly blank?: boolean;
  /** Checks whose complaints come before those of the checks that every text has. */
  readonly first?: Check;
  /** In code points. */
  readonly maxLength?: number;
  /** A check whose complaint comes after those. */
  readonly last?: Check;
  /** A check of what has passed all the others. */
  readonly afterwards?: Check;
}

/** A text, trimmed. Numbers are taken for texts, booleans are not. */
export function text({ blank, first, maxLength, last, afterwards }: TextRules = {}): ReadField {
  const checks = [first, maxLength === undefined ? undefined : noLongerThan(maxLength), nul, surrogate, last];
  return notNull((value, own) => {
    if (typeof value !== 'string' && typeof value !== 'number') return wrong('Not a valid string.');
    const trimmed = strip(str(value));
    if (trimmed === '') return blank ? { value: '' } : wrong('This field may not be blank.');
    const errors = checks.flatMap((check) => check?.(trimmed, own) ?? []);
    if (errors.length > 0) return { errors };
    const error = afterwards?.(trimmed, own);
    return error === undefined ? { value: trimmed } : wrong(error);
  });
}

/** A field that has one of a few values, each with the name that people are shown. */
export function choice(label: string, names: Readonly<Record<string, string>>, byDefault: string): Field {
  return {
    type: 'choice',
    label,
    more: { choices: Object.entries(names).map(([value, name]) => ({ value, display_name: name })) },
    read: notNull((value) => {
      const written = str(value);
      return Object.hasOwn(names, written)
        ? { value: written }
        : wrong(`"${written}" is not a valid choice.`);
    }),
    default: byDefault,
  };
}

const yes = new Set<JsonValue>([true, 1, ...'1 t T y Y yes Yes YES true True TRUE on On ON'.split(' ')]);
const no = new Set<JsonValue>([false, 0, ...'0 f F n N no No NO false False FALSE off Off OFF'.split(' ')]);

export const flag: ReadField = notNull((value) => {
  if (yes.has(value)) return { value: true };
  return no.has(value) ? { value: false } : wrong('Must be a valid boolean.');
});

export const mapping: ReadField = notNull((value) =>
  isJsonObject(value) ? { value } : wrong('Value must be a dictionary, and not have any duplicate keys.'),
);

export function nullable(read: ReadField): ReadField {
  return (value, own) => (value === null ? { value } : read(value, own));
}

export function notNull(read: ReadField): ReadField {
  return (value, own) => (value === null ? wrong('This field may not be null.') : read(value, own));
}

function noLongerThan(length: number): Check {
  return (content) =>
    Array.from(content).length > length
      ? `Ensure this field has no more than ${length} characters.`
      : undefined;
}

function nul(content: string): string | undefined {
  return content.includes('\0') ? 'Null characters are not allowed.' : undefined;
}

function surrogate(content: string): string | undefined {
  const lone = /\p{Surrogate}/u.exec(content)?.[0];
  if (lone === undefined) return undefined;
  return `Surrogate characters are not allowed: U+${lone.charCodeAt(0).toString(16).toUpperCase()}.`;
}
