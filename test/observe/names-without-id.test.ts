import { expect, test } from 'vitest';
import type { Observation } from '../../src/observe/observation.ts';
import { namesWithoutId } from '../../src/observe/resolve-names.ts';
import type { InconclusiveRead } from '../../src/service/readable-kinds.ts';
import { desired } from '../support/desired.ts';

const unread: InconclusiveRead = { proof: 'denied', answer: { kind: 'denied', status: 403 } };
const unknown: Observation = { presence: 'unknown', unread };

const groupOf =
  'version: 1\ngroups: [{ name: g }]\nusers: [{ username: u, name: U, groups: [{ name: g }] }]\n';
const roleOf = 'version: 1\nroles: [{ name: r }]\ngroups: [{ name: g, roles: [{ name: r }] }]\n';

test.each<[string, string, Record<string, Observation>, readonly string[]]>([
  [
    'a renamed record with both names, only at its own entry',
    groupOf,
    { 'group.g': { presence: 'unknown', torn: 'both', ids: ['1', '2'] } },
    ['group.g formerly torn'],
  ],
  [
    'several records with one name, at the declaration and at references',
    groupOf,
    { 'group.g': { presence: 'unknown', ids: ['1', '2'] } },
    ['group.g name several', 'user.u groups several'],
  ],
  [
    'an unread record whose name others may have',
    groupOf,
    { 'group.g': unknown },
    ['group.g name unread', 'user.u groups unread'],
  ],
  [
    'an unread record with a unique name, only at references, since it can be created',
    roleOf,
    { 'role.r': unknown },
    ['group.g roles unread'],
  ],
  [
    'an unread record with a unique name that is to be deleted',
    'version: 1\nroles: [{ name: r, state: absent }]\n',
    { 'role.r': unknown },
    ['role.r name unread'],
  ],
  ['no record of a kind that cannot be read', groupOf, { 'group.g': { presence: 'unknown' } }, []],
])('a name without an id is reported for %s', async (_, text, seen, faults) => {
  const resources = await desired(text);
  const observed = new Map(resources.map(({ address }) => [address, seen[address] ?? absent]));
  const found = namesWithoutId(resources, observed, { unreadable: new Map() });
  expect(
    found.map(({ resource, declared, fault }) => `${resource.address} ${declared.field} ${fault.kind}`),
  ).toEqual(faults);
});

const absent: Observation = { presence: 'absent' };

test('a failure to read a kind is reported for each unread record of the kind', async () => {
  const resources = await desired(groupOf);
  const observed = new Map(resources.map(({ address }) => [address, { presence: 'unknown' } as const]));
  const group = resources.find(({ kind }) => kind.type === 'group');
  if (group === undefined) throw new Error('no group is declared');
  const found = namesWithoutId([group], observed, { unreadable: new Map([[group.kind, unread]]) });
  expect(found.map(({ fault }) => fault)).toEqual([{ kind: 'unread', ...unread }]);
});
