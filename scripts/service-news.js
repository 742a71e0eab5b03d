// What differs between two releases of the service, by their facts.
import { changed } from '../dist/kinds/facts.js';

/** @typedef {import('../src/kinds/facts.ts').TypeFacts} TypeFacts */

/** Of so many values, the order tells nothing, and would be another in each release. */
const manyValues = 20;

/**
 * What a release brings: types, with what a row needs to know, and fields.
 *
 * @param {ReadonlyMap<string, TypeFacts>} before
 * @param {ReadonlyMap<string, TypeFacts>} now
 */
export function newsOf(before, now) {
  /** @type {[title: string, lines: string[]][]} */
  const news = [
    ['New types', []],
    ['Types that went', [...before.keys()].filter((path) => !now.has(path))],
    ['Fields that are demanded now', []],
    ['New fields', []],
    ['Fields that went', []],
    ['Fields that hold something else', []],
  ];
  const say = (/** @type {string} */ title, /** @type {string} */ line) =>
    news.find(([own]) => own === title)?.[1].push(line);
  for (const [path, { fields, filters }] of now) {
    const earlier = before.get(path)?.fields;
    if (earlier === undefined) {
      const demanded = Object.keys(fields).filter((name) => fields[name]?.required);
      const found = Object.keys(filters).filter((name) => name === 'search' || demanded.includes(name));
      say(
        'New types',
        `${path} demands ${demanded.join(', ') || 'nothing'}; found by ${found.join(', ') || 'its list'}`,
      );
      continue;
    }
    for (const name of Object.keys({ ...earlier, ...fields })) {
      const [old, own] = [earlier[name], fields[name]];
      const what = `${path} ${name}`;
      if (own === undefined) say('Fields that went', what);
      else if (own.required && !old?.required)
        say('Fields that are demanded now', `${what}: ${JSON.stringify(own)}`);
      else if (old === undefined) say('New fields', `${what}: ${JSON.stringify(own)}`);
      else if (differenceOf(old, own) !== undefined)
        say('Fields that hold something else', `${what}: ${JSON.stringify(differenceOf(old, own))}`);
    }
  }
  const told = news.filter(([, lines]) => lines.length > 0);
  return told
    .map(([title, lines]) => [`${title}:`, ...lines.map((line) => `  ${line}`), ''].join('\n'))
    .join('\n');
}

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
    const isSame = JSON.stringify(changed(earlier, moved)) === JSON.stringify(later);
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
