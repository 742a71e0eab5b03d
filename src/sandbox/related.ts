import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';
import { notNull, wrong, type ReadField, type Reading } from './fields.ts';
import { int, str, typeName, uuidDigits } from './python.ts';

/** One of the ids of the providers that exist; digits in a text will do. */
export function providerId(exists: (pk: number) => boolean): ReadField {
  return (value) => {
    const pk = int(value);
    if (pk === undefined) return wrongType(value);
    return exists(pk) ? { value: pk } : missing(value);
  };
}

/** One of the ids of the groups or roles that exist, in any form that a UUID has in Python. */
export function recordId(exists: (pk: string) => boolean): ReadField {
  return (value) => {
    if (typeof value === 'boolean') return wrongType(value);
    if (value === null) return missing(value);
    const pk = uuid(value);
    if (pk === undefined) return wrong(`“${str(value)}” is not a valid UUID.`);
    return exists(pk) ? { value: pk } : missing(value);
  };
}

/** An empty text for no value. */
export function orEmpty(read: ReadField): ReadField {
  return (value, own) => (value === '' ? { value: null } : read(value, own));
}

/** A list of distinct values, in the order of the records that they name. The keys of a mapping are taken for a list. */
export function setOf(read: ReadField, placeOf: (value: JsonValue) => number): ReadField {
  return notNull((value) => {
    const items = isJsonObject(value) ? Object.keys(value) : value;
    if (!isJsonList(items)) return wrong(`Expected a list of items but got type "${typeName(value)}".`);
    const members = new Set<JsonValue>();
    for (const item of items) {
      const result = item === null ? missing(item) : read(item);
      if ('errors' in result) return result;
      members.add(result.value);
    }
    return { value: [...members].toSorted((a, b) => placeOf(a) - placeOf(b)) };
  });
}

function wrongType(value: JsonValue): Reading {
  return wrong(`Incorrect type. Expected pk value, received ${typeName(value)}.`);
}

function missing(value: JsonValue): Reading {
  return wrong(`Invalid pk "${str(value)}" - object does not exist.`);
}

function uuid(value: JsonValue): string | undefined {
  const digits = typeof value === 'string' ? uuidDigits(value) : hexOfNumber(value);
  return digits?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function hexOfNumber(value: JsonValue): string | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return undefined;
  return BigInt(value).toString(16).padStart(32, '0');
}
