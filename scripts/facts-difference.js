// What differs between two releases of the service, by their facts.
import { applyChange } from '../dist/kinds/facts.js';

/** Of so many values, the order tells nothing, and would be another in each release. */
const manyValues = 20;

/**
 * With all keys in their order.
 *
 * @param {any} value
 * @returns {any}
 */
export function sorted(value) {
  if (!isMapping(value)) return Array.isArray(value) ? value.map(sorted) : value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/**
 * What makes a later value of an earlier one: of a mapping, the keys that differ, and null for those that are gone; of a list of
 * texts, what came and went. Nothing where they are the same.
 *
 * @param {any} earlier
 * @param {any} later
 * @returns {any}
 */
export function differenceOf(earlier, later) {
  if (JSON.stringify(sorted(earlier)) === JSON.stringify(sorted(later))) return undefined;
  if (Array.isArray(earlier) && Array.isArray(later)) {
    const moved = {
      '+': later.filter((one) => !earlier.includes(one)),
      '-': earlier.filter((one) => !later.includes(one)),
    };
    const isSame = JSON.stringify(applyChange(earlier, moved)) === JSON.stringify(later);
    return isSame || later.length > manyValues ? moved : later;
  }
  if (!isMapping(earlier) || !isMapping(later)) return later;
  const keys = [...new Set([...Object.keys(earlier), ...Object.keys(later)])].toSorted();
  const differing = keys.flatMap((key) => {
    if (!Object.hasOwn(later, key)) return [[key, null]];
    const difference = Object.hasOwn(earlier, key) ? differenceOf(earlier[key], later[key]) : later[key];
    return difference === undefined ? [] : [[key, difference]];
  });
  return differing.length === 0 ? undefined : Object.fromEntries(differing);
}

/** @param {any} value */
function isMapping(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
