import { expect, test } from 'vitest';
import type { Address } from '../../src/base/diagnostic.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { resolveRenames } from '../../src/observe/renames.ts';
import { loadText } from '../support/desired.ts';

const absent: Observation = { presence: 'absent' };
const unknown: Observation = { presence: 'unknown' };
const unread = { proof: 'denied', answer: { kind: 'denied', status: 403 } } as const;
const denied: Observation = { presence: 'unknown', unread };
const held = (pk: string, name: string): Observation => ({
  presence: 'present',
  held: { pk, fields: { name } },
});

test.each([
  ['absent if absent under both names, for a token that sees all', absent, absent, true, absent],
  [
    'unknown if absent under both names, for another token',
    absent,
    absent,
    false,
    { presence: 'unknown', torn: 'unseen' },
  ],
  [
    'ambiguous if each name has a record',
    held('1', 'new'),
    held('2', 'old'),
    true,
    { presence: 'unknown', torn: 'both', ids: ['1', '2'] },
  ],
  [
    'under its former name if renamed between the two reads',
    held('1', 'new'),
    held('1', 'old'),
    true,
    held('1', 'old'),
  ],
  ['unknown if unread under the former name', absent, unknown, true, { presence: 'unknown', torn: 'unread' }],
  [
    'unknown, with the failed read under its former name',
    absent,
    denied,
    true,
    { presence: 'unknown', torn: 'unread', unread },
  ],
  ['unknown if unread under its name', unknown, absent, true, { presence: 'unknown', torn: 'unread' }],
])('a renamed resource is observed as %s', async (_, now, before, seesAll, found) => {
  const text = 'version: 1\nroles: [{ name: new, formerly: old }]\n';
  const { resources } = await loadText(text);
  const observed = new Map<Address, Observation>([
    ['role.new', now],
    ['role.old', before],
  ]);
  expect([...resolveRenames(resources, observed, seesAll)]).toEqual([['role.new', found]]);
});
