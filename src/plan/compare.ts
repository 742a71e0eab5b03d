import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { declaredFields, isSensitive, type Resource } from '../kinds/resource.ts';
import { sensitive } from '../base/sensitive.ts';
import type { Held } from '../service/types.ts';
import type { Difference } from './plan.ts';

/**
 * The declared fields that have another value in what the service holds, in the order of the manifest. What is not declared is
 * not compared; a declared field that the service does not hold at all counts as null there.
 */
export function compare(resource: Resource, { fields, shown = fields }: Held): Difference[] {
  const differences: Difference[] = [];
  for (const [field, declared] of declaredFields(resource)) {
    if (sameValue(field, declared, fields[field] ?? null)) continue;
    const hidden = isSensitive(resource, field);
    differences.push({
      field,
      declared: resource.shown[field] ?? null,
      // What is there may be the secret of before, or one that somebody wrote into another field.
      observed: hidden ? sensitive : redactorOf(resource.secrets).cleanJson(shown[field] ?? null),
    });
  }
  return differences;
}

/** Whether two values of a field mean the same. */
export function sameValue(field: string, declared: JsonValue, observed: JsonValue): boolean {
  switch (field) {
    case 'backchannel_providers':
      return sameList(declared, observed, (id) => id);
    case 'groups':
      return sameList(declared, observed, uuidForm);
    case 'last_login':
      return declared === observed || sameInstant(declared, observed);
    default:
      return sameJson(declared, observed);
  }
}

/** The service returns ids in any order and without duplicates. */
function sameList(declared: JsonValue, observed: JsonValue, form: (id: JsonValue) => JsonValue): boolean {
  if (!isJsonList(declared) || !isJsonList(observed)) return declared === observed;
  const a = new Set(declared.map(form));
  const b = new Set(observed.map(form));
  return a.size === b.size && [...a].every((id) => b.has(id));
}

/** The service returns UUIDs in lower case, with dashes. */
function uuidForm(id: JsonValue): JsonValue {
  return typeof id === 'string' ? id.toLowerCase().replaceAll('-', '') : id;
}

/** The service returns times in UTC, and takes a time without an offset for one in UTC. */
function sameInstant(declared: JsonValue, observed: JsonValue): boolean {
  return instantOf(declared) === instantOf(observed); // NaN, which is no instant, equals nothing
}

function instantOf(value: JsonValue): number {
  if (typeof value !== 'string') return Number.NaN;
  const [, time = '', sign, hours, minutes = '00'] =
    /^(.*?)(?:Z|([+-])(\d\d)(?::?(\d\d))?)?$/.exec(value.toUpperCase().replace(' ', 'T')) ?? [];
  return Date.parse(sign === undefined ? `${time}Z` : `${time}${sign}${hours}:${minutes}`);
}

/** Whether two values are the same JSON; the order of keys means nothing. */
function sameJson(a: JsonValue, b: JsonValue): boolean {
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
