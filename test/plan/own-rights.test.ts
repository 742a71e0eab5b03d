import { expect, test } from 'vitest';
import { readRelease } from '../../src/kinds/release.ts';
import { withOwnRightsLast } from '../../src/plan/own-rights.ts';
import type { ReadyChange } from '../../src/plan/plan.ts';
import { planBetween } from '../support/plan-between.ts';

const permission = { self: undefined, mayDelete: true };
const { changes: created } = await planBetween('groups: [{ name: g }]', 'roles: [{ name: a }, { name: b }]');

/** The same changes, as updates or deletes of existing roles. */
function changesOf(...actions: readonly ('update' | 'delete')[]): readonly ReadyChange[] {
  return created.slice(0, actions.length).map((change, index) => ({
    ...change,
    base: { pk: `pk-${index}`, fields: {} },
    action: actions[index] ?? 'update',
    permission,
    presence: 'present',
    differences: [],
  })) as readonly ReadyChange[]; // `base` and `permission` are what updates and deletes have
}

function namesLast(changes: readonly ReadyChange[], self: object, release: string): string[] {
  const ordered = withOwnRightsLast(changes, self, readRelease(release));
  return ordered.map(({ resource: { name }, takesOwnRights }) => (takesOwnRights ? `${name} last` : name));
}

test.each([
  ['of a role of the user', { roles: ['pk-0'] }, '2025.10', ['b', 'a last']],
  [
    'of a role of a superuser, who needs no permissions',
    { roles: ['pk-0'], isSuperuser: true },
    '2025.10',
    ['a', 'b'],
  ],
  ['of a role of the user, if the release is unknown', { roles: ['pk-0'] }, '', ['b', 'a last']],
  ['of roles, if the roles of the user are unknown', {}, '2025.10', ['a last', 'b last']],
  ['of a role of the user, if updates take no permissions', { roles: ['pk-0'] }, '2025.12', ['a', 'b']],
])('an update %s', (_, self, release, names) => {
  expect(namesLast(changesOf('update', 'update'), self, release)).toEqual(names);
});

test.each([
  ['of the user', { roles: ['pk-0'] }, ['b', 'a last']],
  ['if the roles of the user are unknown', {}, ['a last', 'b last']],
  ['if the roles of a superuser are unknown', { isSuperuser: true }, ['a', 'b']],
])('a delete of a role %s', (_, self, names) => {
  expect(namesLast(changesOf('delete', 'delete'), self, '2026.2')).toEqual(names);
});

test('a change comes after the one that it waits for, though this one takes rights', () => {
  const [own, other] = changesOf('delete', 'update');
  if (own === undefined || other === undefined) throw new Error('nothing is planned');
  const waiting = { ...other, waitsFor: [own.resource.address] };
  expect(namesLast([own, waiting], { roles: ['pk-0'] }, '2026.2')).toEqual(['a last', 'b']);
});

test('the own token changes last, after the rights of its user', async () => {
  const entriesOf = (isGranted: boolean): string =>
    `tokens: [{ identifier: t, expiring: ${isGranted} }]\ngroups: [{ name: g, is_superuser: ${isGranted} }]`;
  const { changes } = await planBetween(entriesOf(true), entriesOf(false), { permission });
  expect(namesLast(changes.toReversed(), {}, '2026.2')).toEqual(['g last', 't last']);
  expect(namesLast(changes, {}, '2026.2')).toEqual(['g last', 't last']);
});

test.each<[what: string, before: string, after: string, self: object, last: string[]]>([
  [
    'the own user gets another path',
    'users: [{ username: u, path: a }]',
    'users: [{ username: u, path: b }]',
    { pk: '1' },
    [],
  ],
  [
    'the own user leaves a group',
    'groups: [{ name: g }]\nusers: [{ username: u, groups: [{ name: g }] }]',
    'groups: [{ name: g }]\nusers: [{ username: u, groups: [] }]',
    { pk: '2' },
    ['user.u'],
  ],
  [
    'another user leaves a group',
    'groups: [{ name: g }]\nusers: [{ username: u, groups: [{ name: g }] }]',
    'groups: [{ name: g }]\nusers: [{ username: u, groups: [] }]',
    { pk: '3' },
    [],
  ],
  [
    'a user leaves a group, and the own one is unknown',
    'groups: [{ name: g }]\nusers: [{ username: u, groups: [{ name: g }] }]',
    'groups: [{ name: g }]\nusers: [{ username: u, groups: [] }]',
    {},
    ['user.u'],
  ],
  [
    'the own user joins a group',
    'groups: [{ name: g }]\nusers: [{ username: u, groups: [] }]',
    'groups: [{ name: g }]\nusers: [{ username: u, groups: [{ name: g }] }]',
    { pk: '2' },
    [],
  ],
  [
    'a group of the user loses its grant',
    'groups: [{ name: g, is_superuser: true }]',
    'groups: [{ name: g, is_superuser: false }]',
    { pk: '9', groups: ['00000000-0000-4000-8000-000000000001'] },
    ['group.g'],
  ],
  [
    'a group of the user, whose id is spelled without hyphens, loses its grant',
    'groups: [{ name: g, is_superuser: true }]',
    'groups: [{ name: g, is_superuser: false }]',
    { pk: '9', groups: ['00000000000040008000000000000001'] },
    ['group.g'],
  ],
  [
    'a user is deleted, and the own one is unknown',
    'users: [{ username: u, name: U }]',
    'users: [{ username: u, state: absent }]',
    {},
    [],
  ],
  [
    'another group loses its grant',
    'groups: [{ name: g, is_superuser: true }]',
    'groups: [{ name: g, is_superuser: false }]',
    { pk: '9', groups: [] },
    [],
  ],
  [
    'a group loses its grant, and the own groups are unknown',
    'groups: [{ name: g, is_superuser: true }]',
    'groups: [{ name: g, is_superuser: false }]',
    { pk: '9' },
    ['group.g'],
  ],
])('if %s, the change is made last', async (_, before, after, self, last) => {
  const { changes } = await planBetween(before, after, { permission: { self: 'another', mayDelete: true } });
  const ordered = withOwnRightsLast(changes, self, readRelease('2026.2'));
  expect(ordered.flatMap(({ resource, takesOwnRights }) => (takesOwnRights ? resource.address : []))).toEqual(
    last,
  );
});
