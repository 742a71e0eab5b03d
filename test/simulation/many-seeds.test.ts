import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { storiesOf, type TryBatch } from './many-seeds.ts';

/** In this test, seeds that end in 77 break a promise. Earlier batches take longer. */
const tryBatch: TryBatch = async ({ from, to }) => {
  await sleep(Math.max(0, 40 - from / 50));
  const seeds = Array.from({ length: to - from }, (_, index) => from + index);
  return seeds.filter((seed) => seed % 100 === 77).map((seed) => `seed ${seed}`);
};

test.each([1, 2, 7])('%i workers report the first five failing seeds in order', async (workers) => {
  const stories = await all(storiesOf({ from: 1000, to: 3050 }, workers, tryBatch));
  expect(stories).toEqual(['seed 1077', 'seed 1177', 'seed 1277', 'seed 1377', 'seed 1477']);
});

test.each([1, 3])('%i workers try each seed once', async (workers) => {
  const tried: number[] = [];
  const stories = storiesOf({ from: 5, to: 1205 }, workers, async ({ from, to }) => {
    for (let seed = from; seed < to; seed += 1) tried.push(seed);
    return [];
  });
  expect(await all(stories)).toEqual([]);
  expect(tried.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1200 }, (_, index) => 5 + index));
});

async function all(stories: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const story of stories) found.push(story);
  return found;
}
