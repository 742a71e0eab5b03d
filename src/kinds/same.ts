import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';
import { isNameOfOne } from './name-of-one.ts';

/** Brings ids that are the same to the service into one form; the names that may stand in their place as well. */
export type IdForm = (id: JsonValue) => JsonValue;

/** Whether two lists hold the same ids. The service returns them in any order and without duplicates. */
export function sameIds(declared: JsonValue, observed: JsonValue, form: IdForm): boolean {
  if (!isJsonList(declared) || !isJsonList(observed)) return declared === observed;
  const a = new Set(declared.map(form));
  const b = new Set(observed.map(form));
  return a.size === b.size && [...a].every((id) => b.has(id));
}

export const plainId: IdForm = (id) => nameForm(id) ?? id;

/** The service returns UUIDs in lower case, with dashes. */
export const plainUuid: IdForm = (id) =>
  nameForm(id) ?? (typeof id === 'string' ? id.toLowerCase().replaceAll('-', '') : id);

/** A name in a form that is the same for the same name, and that no id has. */
function nameForm(id: JsonValue): string | undefined {
  return isNameOfOne(id) ? JSON.stringify({ name: id.name }) : undefined;
}

/** The service returns times in UTC, and takes a time without an offset for one in UTC. */
export function sameInstant(declared: JsonValue, observed: JsonValue): boolean {
  return declared === observed || instantOf(declared) === instantOf(observed); // NaN, which is no instant, equals nothing
}

function instantOf(value: JsonValue): number {
  if (typeof value !== 'string') return Number.NaN;
  const [, time = '', sign, hours, minutes = '00'] =
    /^(.*?)(?:Z|([+-])(\d\d)(?::?(\d\d))?)?$/.exec(value.toUpperCase().replace(' ', 'T')) ?? [];
  return Date.parse(sign === undefined ? `${time}Z` : `${time}${sign}${hours}:${minutes}`);
}

/** Whether two values are the same JSON; the order of keys means nothing. */
export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (isJsonList(a) && isJsonList(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index] ?? null));
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null))
    );
  }
  return a === b;
}
