import { expect, test } from 'vitest';
import { idsOf } from '../../src/kinds/named.ts';
import { recordKey } from '../../src/kinds/values.ts';
import type { Alteration } from '../../src/manifest/baseline.ts';
import { readGroups, type ObservedGroup } from '../../src/observe/superusers.ts';
import { gainedRights } from '../../src/plan/gained-rights.ts';
import { checkSuperusersLeft, isAnySuperuserLeft } from '../../src/plan/superusers.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { pageOf } from '../support/listing-service.ts';
import { planBetween } from '../support/plan-between.ts';
import { virtualClock } from '../support/virtual-clock.ts';

function groupOf(key: string, grants: boolean, ...members: readonly string[]): ObservedGroup {
  return { key, grants, parents: [], members: members.map((each) => ({ key: each, isActive: true })) };
}

test('a member of several groups is a superuser if any of these grants it', () => {
  const [admins, staff] = [groupOf('a', true, 'u'), groupOf('b', false, 'u')];
  expect(isAnySuperuserLeft([admins, staff], [])).toBe(true);
  expect(isAnySuperuserLeft([staff, admins], [])).toBe(true);
  expect(isAnySuperuserLeft([staff, groupOf('a', true)], [])).toBe(false);
});

test('a member of a group is a superuser if the parent of a parent grants it', () => {
  const parent = { ...groupOf('b', false), parents: ['a'] };
  const child = { ...groupOf('c', false, 'u'), parents: ['b'] };
  expect(isAnySuperuserLeft([groupOf('a', true), parent, child], [])).toBe(true);
});

test.each([
  ['', true],
  ['is_active: true', true],
  ['is_active: false', false],
])('a new member is a superuser unless the account is not active: %j', async (active, isLeft) => {
  const admins = 'groups: [{ name: admins, is_superuser: true }]';
  const { changes, records } = await planBetween(
    admins,
    `${admins}\nusers: [{ username: u, name: U, groups: [{ name: admins }], ${active} }]`,
  );
  const [group] = records;
  if (group === undefined) throw new Error('there is no group');
  expect(isAnySuperuserLeft([groupOf(recordKey(group.pk), true)], changes)).toBe(isLeft);
});

test.each([
  ['may have lost such a group', 'groups: []', false],
  ['becomes inactive', 'is_active: false, groups: [{ name: g }]', true],
  ['stays inactive', 'is_active: false, groups: [{ name: g }], path: b', false, 'is_active: false, path: a'],
])(
  'if groups of superusers cannot be read, a user who %s gets a remark: %s %s',
  async (_, fields, isNoted, earlier = 'is_active: true') => {
    const groups = 'groups: [{ name: g }]\nusers:';
    const { changes } = await planBetween(
      `${groups} [{ username: u, ${earlier}, groups: [{ name: g }] }]`,
      `${groups} [{ username: u, ${fields} }]`,
      { permission: { self: 'another', mayDelete: false } },
    );
    const { changes: noted } = checkSuperusersLeft(changes, undefined, []);
    const remarks = noted.flatMap((change) => change.remarks ?? []);
    expect(remarks.includes('it is unknown whether an active superuser is left')).toBe(isNoted);
  },
);

test('of two users who may lose the rights, the one who certainly does gets the remark', async () => {
  const withUsers = (a: string, b: string): string =>
    `groups: [{ name: g }]\nusers: [{ username: a, groups: [${a}] }, { username: b, is_active: ${b} }]`;
  const { changes } = await planBetween(withUsers('{ name: g }', 'true'), withUsers('', 'false'), {
    permission: { self: 'another', mayDelete: false },
  });
  const { changes: noted } = checkSuperusersLeft(changes, undefined, []);
  expect(
    noted.flatMap(({ resource, remarks = [] }) =>
      remarks.some((text) => text.startsWith('it is unknown')) ? resource.name : [],
    ),
  ).toEqual(['b']);
});

test.each([
  ['the same roles', '{ name: r }'],
  ['no roles', ''],
])('an account that becomes active, and had %s, gains the rights of its role once', async (_, earlier) => {
  const withUser = (roles: string, isActive: boolean): string =>
    `roles: [{ name: r }]\nusers: [{ username: u, name: U, roles: [${roles}], is_active: ${isActive} }]`;
  const { changes, records } = await planBetween(withUser(earlier, false), withUser('{ name: r }', true));
  const change = changes.find(({ resource }) => resource.name === 'u') ?? expect.fail();
  const record = records.find(({ fields }) => fields['username'] === 'u') ?? expect.fail();
  const gains = gainedRights({ ...change, action: 'update' }, record, undefined, new Map(), new Set());
  expect(gains).toEqual([expect.stringContaining('the rights of the role ')]);
});

test.each([
  ['is_active: true', { before: false }, 1],
  ['is_active: true', { before: true }, 0],
  ['is_active: true', {}, 0],
  ['', { before: false }, 0],
  ['', 'added', 1],
] as const)(
  'an account declared with { %s }, whose is_active was altered by %j since the baseline, gains rights: %s',
  async (active, altered, count) => {
    const roles = `roles: [{ name: r }]\nusers: [{ username: u, name: U, roles: [{ name: r }], ${active} }]`;
    const { changes, records } = await planBetween(roles, roles);
    const change = changes.find(({ resource }) => resource.name === 'u') ?? expect.fail();
    const record = records.find(({ fields }) => fields['username'] === 'u') ?? expect.fail();
    const since: Alteration =
      altered === 'added'
        ? { kind: altered }
        : { kind: 'altered', fields: [{ field: 'is_active', ...altered, now: true }] };
    expect(gainedRights(change, record, since, new Map(), new Set())).toHaveLength(count);
  },
);

test.each([
  ['', ["a superuser's rights"]],
  ['groups: [{ name: h }]', ["perhaps a superuser's rights"]],
  ['groups: []', []],
])('a superuser who becomes active again, with { %s }, gains %j', async (groups, gained) => {
  const withUser = (fields: string): string =>
    `groups: [{ name: g }, { name: h }]\nusers: [{ username: u, name: U, ${fields} }]`;
  const { changes, records } = await planBetween(
    withUser('groups: [{ name: g }], is_active: false'),
    withUser(`is_active: true, ${groups}`),
  );
  const change = changes.find(({ resource }) => resource.name === 'u') ?? expect.fail();
  const record = records.find(({ fields }) => fields['username'] === 'u') ?? expect.fail();
  const made = { ...change, action: 'update' } as const;
  const gains = gainedRights(made, { ...record, isSuperuser: true }, undefined, new Map(), new Set());
  expect(gains.filter((words) => words.includes('superuser'))).toEqual(gained);
});

test('a group has the parent that a release before 2025.12 shows', async () => {
  const parent = '22222222-2222-4222-8222-222222222222';
  const client = new Client(async () =>
    pageOf([{ pk: parent.replaceAll('2', '1'), name: 'g', parent }], 1, 100),
  );
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const groups = await readGroups('all', { client, pacing });
  expect(groups?.map(({ parents }) => parents)).toEqual([[recordKey(parent)]]);
});

test('a listed member counts as active unless the list says otherwise', async () => {
  const users_obj = [{ pk: 1 }, { pk: 2, is_active: true }, { pk: 3, is_active: false }];
  const pk = '11111111-1111-4111-8111-111111111111';
  const client = new Client(async () =>
    pageOf([{ pk, name: 'admins', is_superuser: true, users_obj }], 1, 100),
  );
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const groups = await readGroups('all', { client, pacing });
  expect(groups?.map(({ members }) => members.map(({ isActive }) => isActive))).toEqual([
    [true, true, false],
  ]);
});

test.each([
  [[], true, []],
  [['lockout'], false, ['locks people out: no active superuser is left']],
] as const)(
  'if the last superuser leaves the group and the risks %j are accepted, the plan is refused: %s',
  async (accepts, isRefused, noted) => {
    const groups = 'groups: [{ name: g, is_superuser: true }]\nusers:';
    const { changes, records } = await planBetween(
      `${groups} [{ username: u, is_active: true, groups: [{ name: g }] }]`,
      `${groups} [{ username: u, is_active: false, groups: [{ name: g }] }]`,
      { permission: { self: 'another', mayDelete: false } },
    );
    const keyOf = (name: string): string =>
      recordKey(records.find((record) => record.name === name)?.pk ?? '');
    const check = (...members: readonly string[]): ReturnType<typeof checkSuperusersLeft> =>
      checkSuperusersLeft(changes, [groupOf(keyOf('g'), true, ...members)], accepts);
    const { changes: made, refused } = check(keyOf('u'));
    expect(refused.map(({ summary, address }) => [address, summary])).toEqual(
      isRefused ? [['user.u', 'this locks people out: no active superuser is left']] : [],
    );
    expect(
      made.flatMap(({ remarks = [] }) => remarks).filter((remark) => remark.includes('superuser is left')),
    ).toEqual(noted);
    for (const others of [[], [keyOf('u'), 'another']])
      expect(check(...others)).toEqual({ changes, refused: [] });
  },
);

const admins = '{ name: admins, is_superuser: true }';
const inside = '{ name: ops, parents: [{ name: admins }] }';

test.each<[what: string, before: string, after: string, members: string, isLeft: boolean]>([
  ['the last one stays', `groups: [${admins}]`, `groups: [${admins}]`, 'admins', true],
  [
    'the group is deleted',
    `groups: [${admins}]`,
    'groups: [{ name: admins, state: absent }]',
    'admins',
    false,
  ],
  [
    'the group no longer makes superusers',
    `groups: [${admins}]`,
    'groups: [{ name: admins, is_superuser: false }]',
    'admins',
    false,
  ],
  [
    'the group changes in another way',
    'groups: [{ name: admins, is_superuser: true, attributes: {} }]',
    'groups: [{ name: admins, attributes: { a: 1 } }]',
    'admins',
    true,
  ],
  [
    'the group is inside another',
    `groups: [${admins}, ${inside}]`,
    `groups: [${admins}, ${inside}]`,
    'ops',
    true,
  ],
  [
    'the group leaves the other',
    `groups: [${admins}, ${inside}]`,
    `groups: [${admins}, { name: ops, parents: [] }]`,
    'ops',
    false,
  ],
  [
    'the group joins another',
    `groups: [${admins}, { name: ops, parents: [] }]`,
    `groups: [${admins}, ${inside}]`,
    'ops',
    true,
  ],
  [
    'the user is deleted',
    `groups: [${admins}]\nusers: [{ username: u }]`,
    `groups: [${admins}]\nusers: [{ username: u, state: absent }]`,
    'admins',
    false,
  ],
  [
    'the user leaves',
    `groups: [${admins}]\nusers: [{ username: u, groups: [{ name: admins }] }]`,
    `groups: [${admins}]\nusers: [{ username: u, groups: [] }]`,
    'admins',
    false,
  ],
  [
    'the user stays as an undeclared member',
    `groups: [${admins}]\nusers: [{ username: u, groups: [{ name: admins }] }]`,
    `groups: [${admins}]\nusers: [{ username: u, groups: [], at_least: [groups] }]`,
    'admins',
    true,
  ],
  [
    'the user changes in another way',
    `groups: [${admins}]\nusers: [{ username: u, path: y }]`,
    `groups: [${admins}]\nusers: [{ username: u, path: x }]`,
    'admins',
    true,
  ],
  [
    'the user is deactivated',
    `groups: [${admins}]\nusers: [{ username: u, is_active: true }]`,
    `groups: [${admins}]\nusers: [{ username: u, is_active: false }]`,
    'admins',
    false,
  ],
  [
    'another user joins',
    `groups: [${admins}]\nusers: [{ username: u, is_active: true, groups: [] }]`,
    `groups: [${admins}]\nusers: [{ username: u, groups: [{ name: admins }] }]`,
    '',
    true,
  ],
  [
    'another user joins who is not active',
    `groups: [${admins}]\nusers: [{ username: u, is_active: false, groups: [] }]`,
    `groups: [${admins}]\nusers: [{ username: u, groups: [{ name: admins }] }]`,
    '',
    false,
  ],
  [
    'a new group has a new user',
    `groups: [${admins}]`,
    `groups: [${admins}, { name: new, is_superuser: true }]\nusers: [{ username: v, name: V, groups: [{ name: new }] }]`,
    '',
    true,
  ],
])(
  'if %s, a superuser is left: with %j before, %j after, and a member of %j: %j',
  async (_, before, after, membersOf, isLeft) => {
    const { changes, records } = await planBetween(before, after, {
      permission: { self: 'another', mayDelete: true },
    });
    const keys = new Map(records.map(({ name, pk }) => [name, recordKey(pk)]));
    const observed = records.flatMap(({ kind, name, fields }): ObservedGroup[] =>
      kind.type === 'group'
        ? [
            {
              key: keys.get(name) ?? '',
              grants: fields['is_superuser'] === true,
              parents: idsOf(fields['parents']).map(recordKey),
              members: name === membersOf ? [{ key: keys.get('u') ?? 'somebody', isActive: true }] : [],
            },
          ]
        : [],
    );
    expect(isAnySuperuserLeft(observed, changes)).toBe(isLeft);
  },
);
