import { expect, test } from 'vitest';
import { FirstPlaces } from '../../src/manifest/first-places.ts';
import { times } from '../support/effort.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** The same hash as the code has, so that texts can be made up which it leads to one place. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const unit of text.split('')) hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}

function randomTexts(): string[] {
  const random = seededRandom(1);
  const units = ['a', 'b', '\0', 'é', '漢', '\u{1f600}', '\ud83d', '\uffff'];
  const unit = (): string => units[Math.floor(random() * units.length)] ?? '';
  return Array.from({ length: times({ short: 400, full: 30_000 }) }, () =>
    Array.from({ length: Math.floor(random() * 5) }, unit).join(''),
  );
}

function crowd(): string[] {
  const texts: string[] = [];
  for (let number = 0; texts.length < 100; number += 1)
    if (fnv1a(`user.${number}`) % 4096 === 7) texts.push(`user.${number}`);
  const others = Array.from({ length: 1000 }, (_, index) => `other.${index}`);
  return [...texts, ...texts, ...others, ...texts];
}

test.each<[string, () => readonly string[]]>([
  ['whatever they are', randomTexts],
  [
    'however long they are',
    () => ['a', 'a', 'b'].flatMap((end) => [1, 2, 100_000].map((count) => end.repeat(count))),
  ],
  ['also where somebody chose them so that their hashes lead to one place', crowd],
])('texts are kept apart, and where each was met first: %s', (_, make) => {
  const texts = make();
  const places = new FirstPlaces();
  const first = new Map<string, number>();
  const records = texts.map((text, index) => {
    const known = places.find(text);
    expect(known === undefined).toBe(!first.has(text));
    if (known !== undefined) return known;
    first.set(text, index);
    const start = { line: index + 1, column: texts.length - index };
    return places.add(text, { filename: `${Math.floor(index / 7)}.yaml`, start, end: start }, index);
  });
  expect([...places]).toEqual([...first.keys()]);
  for (const [index, text] of texts.entries()) {
    const record = records[index] ?? -1;
    const earlier = first.get(text) ?? -1;
    expect(places.find(text)).toBe(record);
    expect(places.textOf(record)).toBe(text);
    expect(places.ownerOf(record)).toBe(earlier);
    expect(places.placeOf(record)).toMatchObject({
      filename: `${Math.floor(earlier / 7)}.yaml`,
      start: { line: earlier + 1, column: texts.length - earlier },
    });
  }
});
