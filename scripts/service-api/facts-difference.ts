// Compares the API schemas of two releases.
import { isJsonList, isJsonObject, type JsonValue } from '../../src/base/json.ts';
import { applyChange } from '../../src/kinds/facts.ts';

/** The order of a longer list of values means nothing, and differs in each release. */
const manyValues = 20;

/** Sorts the keys of all objects in a value. */
export function sorted(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return isJsonList(value) ? value.map(sorted) : value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** The change from an earlier to a later value, as `applyChange` reads it. Undefined if the values are equal. */
export function differenceOf(earlier: JsonValue, later: JsonValue): JsonValue | undefined {
  if (JSON.stringify(sorted(earlier)) === JSON.stringify(sorted(later))) return undefined;
  if (isJsonList(earlier) && isJsonList(later)) {
    const moved = {
      '+': later.filter((one) => !earlier.includes(one)),
      '-': earlier.filter((one) => !later.includes(one)),
    };
    const isMany = later.length > manyValues;
    if (isMany && moved['+'].length + moved['-'].length === 0) return undefined;
    const isSame = JSON.stringify(applyChange(earlier, moved)) === JSON.stringify(later);
    return isSame || isMany ? moved : later;
  }
  if (!isJsonObject(earlier) || !isJsonObject(later)) return later;
  const keys = [...new Set([...Object.keys(earlier), ...Object.keys(later)])].toSorted();
  const differing = keys.flatMap((key): [string, JsonValue][] => {
    const [before, now] = [earlier[key], later[key]];
    if (now === undefined) return [[key, null]];
    const difference = before === undefined ? now : differenceOf(before, now);
    return difference === undefined ? [] : [[key, difference]];
  });
  return differing.length === 0 ? undefined : Object.fromEntries(differing);
}
