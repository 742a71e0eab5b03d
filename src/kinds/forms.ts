import { isJsonList, type JsonObject, type JsonValue } from '../base/json.ts';
import { fieldsWith, type Kind, type ValueForms } from './kind.ts';
import { memoizePerKey } from '../base/memoize.ts';

const fieldsWithEarlier = memoizePerKey((kind: Kind) => fieldsWith(kind, 'earlier'));

const fieldsShownAs = memoizePerKey((kind: Kind) => fieldsWith(kind, 'shownAs'));

export const formsOf: (kind: Kind) => readonly (readonly [string, ValueForms])[] = memoizePerKey((kind) =>
  fieldsWith(kind, 'form'),
);

/** Adds each renamed field under its former name too, so that every release understands the request. */
export function convertForEveryRelease(
  kind: Kind,
  fields: JsonObject,
  form: 'sent' | 'former' = 'sent',
): JsonObject {
  const former = fieldsWithEarlier(kind).flatMap(([field, earlier]) => {
    const value = fields[field];
    if (value === undefined) return [];
    return [[earlier.field, earlier.isSingle && isJsonList(value) ? (value[0] ?? null) : value] as const];
  });
  const formed = fieldsInForm(kind, fields, form);
  return former.length + formed.length === 0
    ? fields
    : { ...fields, ...Object.fromEntries([...former, ...formed]) };
}

/** Converts a record from any release: renames former fields, and converts values to the form that manifests use. */
export function convertToNewestRelease(kind: Kind, record: JsonObject): JsonObject {
  const former = fieldsWithEarlier(kind).flatMap(([field, earlier]) => {
    const value = record[earlier.field];
    if (value === undefined || Object.hasOwn(record, field)) return [];
    return [[field, earlier.isSingle ? (value === null ? [] : [value]) : value] as const];
  });
  const formed = fieldsInForm(kind, record, 'held');
  const derived = fieldsShownAs(kind).flatMap(([field, shown]) => {
    const value = record[shown.field] ?? null;
    return value === null ? [] : [[field, value] as const];
  });
  return former.length + formed.length + derived.length === 0
    ? record
    : { ...record, ...Object.fromEntries([...former, ...formed, ...derived]) };
}

function fieldsInForm(
  kind: Kind,
  values: JsonObject,
  form: 'sent' | 'former' | 'held',
): [field: string, value: JsonValue][] {
  return formsOf(kind).flatMap(([field, forms]): [string, JsonValue][] => {
    const value = values[field];
    const convert = forms[form];
    return value === undefined || convert === undefined ? [] : [[field, convert(value)]];
  });
}
