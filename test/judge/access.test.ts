import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { inFull } from '../support/effort.ts';
import { disagreements, worldOf } from './access.ts';

const applications = 40;
const count = Number(process.env['JUDGE_APPLICATIONS'] ?? (inFull ? 8000 : 800));
const folder = await mkdtemp(join(tmpdir(), 'judge-'));
const file = join(folder, 'roll.yaml');
afterAll(async () => rm(folder, { recursive: true }));

test(
  'the access that a plan reports equals the access in the service after the apply',
  async () => {
    const found: string[] = [];
    for (let seed = 0; seed * applications < count && found.length < 5; seed++)
      found.push(...(await disagreements(worldOf(seed, applications), file)));
    expect(found).toEqual([]);
  },
  900_000 + count * 20,
);

test.each<[name: string, falsify: Parameters<typeof disagreements>[2]]>([
  ['gained access is not reported', (_, action) => [[], action]],
  ['only the first gained access is reported', (reported, action) => [reported.slice(0, 1), action]],
  [
    'access through policies and negated bindings is not reported',
    (reported, action) => [reported.filter((words) => !words.includes('admitted by policies')), action],
  ],
  ['a change of access is reported as in sync', (reported) => [reported, 'no-op']],
])('the check of access detects a wrong plan: %s', async (_, falsify) => {
  const found: string[] = [];
  for (let seed = 0; seed < 100 && found.length === 0; seed++)
    found.push(...(await disagreements(worldOf(seed, applications), file, falsify)));
  expect(found).not.toEqual([]);
});
