import { expect, test } from 'vitest';
import { inFull } from '../support/effort.ts';
import { falsified } from './falsified.ts';
import { judge, promises } from './judge.ts';
import { play, type History } from './roll.ts';

const from = Number(process.env['JUDGE_FROM'] ?? 72);
const count = Number(process.env['JUDGE_SEEDS'] ?? (inFull ? 60 : 6));
let next = from;
const histories: History[] = [];
/** Runs spend most of their time waiting, so many run at a time. */
async function playUpTo(last: number): Promise<void> {
  const some = async (): Promise<void> => {
    while (next < last) histories.push(await play(next++));
  };
  await Promise.all(Array.from({ length: 40 }, some));
}

test(
  'no run breaks a documented promise',
  async () => {
    await playUpTo(from + count);
    const found = histories.flatMap((of) => judge(of).map((text) => `seed ${of.world.seed}: ${text}`));
    expect(found).toEqual([]);
  },
  900_000 + count * 1000,
);

const lies = Object.keys(promises).flatMap((name) =>
  (falsified[name] ?? []).map((lie, nth) => ({ name, nth, lie })),
);
test.each(lies)('the judge detects a run that breaks the promise $name ($nth)', async ({ name, lie }) => {
  const breaks = (of: History): boolean => judge(of).some((text) => text.startsWith(`${name}:`));
  const isSeen = (): boolean => histories.some((of) => !breaks(of) && breaks(lie(of)));
  // If the falsified report changes no verdict on these histories, more seeds are played.
  for (let more = 0; more < 8 && !isSeen(); more++) await playUpTo(next + 20);
  expect(isSeen()).toBe(true);
});

test('every promise has an example of a run that breaks it', () => {
  expect(Object.keys(falsified)).toEqual(Object.keys(promises));
});
