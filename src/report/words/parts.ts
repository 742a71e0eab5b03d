import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { NamesByPointer } from '../../kinds/named.ts';
import { sameJson } from '../../kinds/values.ts';
import { shortened } from '../printable.ts';

export interface Part {
  readonly field: string;
  readonly declared: JsonValue | undefined;
  readonly observed: JsonValue | undefined;
  readonly observedNames?: NamesByPointer;
}

/** Splits a difference between mappings into differences between keys, at any depth: `attributes.department`. */
export function splitByKey(part: Part): Part[] {
  const { field, declared, observed } = part;
  if (!isJsonObject(declared) || !isJsonObject(observed)) return [part];
  const keys = new Set([...Object.keys(declared), ...Object.keys(observed)]);
  return [...keys].flatMap((key) => {
    const of = (value: JsonObject): JsonValue | undefined =>
      Object.hasOwn(value, key) ? value[key] : undefined;
    const [a, b] = [of(declared), of(observed)];
    if (a !== undefined && b !== undefined && sameJson(a, b)) return [];
    return splitByKey({ field: `${field}${stepWords(key)}`, declared: a, observed: b });
  });
}

const longestKey = 60;

export function stepWords(key: string): string {
  const short = shortened(key, longestKey);
  return /^[\w-]+$/.test(key) ? `.${short}` : `[${JSON.stringify(short)}]`;
}
