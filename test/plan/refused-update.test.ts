import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { bindingsIn } from '../../src/kinds/bindings.ts';
import type { Child } from '../../src/kinds/children.ts';
import { policyBindings } from '../../src/kinds/policy-bindings.ts';
import { compareRecord } from '../../src/plan/compare.ts';
import { refusedUpdateReason } from '../../src/plan/refused-update.ts';
import { desired } from '../support/desired.ts';

test.each([
  [undefined, 'it is unknown whether the token belongs to this user, whose `is_active` differs'],
  ['7', 'the token belongs to this user, whose `is_active` differs'],
  ['8', undefined],
])("the token's own user is not deactivated, if the token belongs to %j", async (self, reason) => {
  const [user] = await desired('version: 1\nusers: [{ username: u, name: U, is_active: false }]');
  const record = { pk: '7', fields: { username: 'u', name: 'U', is_active: true } };
  expect(
    user && refusedUpdateReason(user, record, [{ field: 'is_active' }], { self, mayDelete: false }),
  ).toBe(reason);
});

const permission = { self: '1', mayDelete: true };
const group = (name: string, more: JsonObject = {}): JsonObject => ({ group: { name }, order: 0, ...more });

/** Why an application may not get these bindings and this mode, if it has others. */
async function refusal(
  after: readonly JsonObject[],
  before: readonly JsonObject[],
  modes: { readonly after: string; readonly before: string },
  exact?: JsonObject,
): Promise<string | undefined> {
  const declared = { slug: 'a', name: 'A', policies: after, policy_engine_mode: modes.after };
  const [resource] = await desired(JSON.stringify({ version: 1, applications: [declared] }));
  if (resource === undefined) throw new Error('no application is declared');
  const defaults = { negate: false, enabled: true, timeout: 30, failure_result: false };
  const held = before.map((one) => ({ ...defaults, ...one }));
  const bound = bindingsIn(policyBindings, held).map((one, pk): Child => ({
    ...one,
    pk: String(pk),
    rank: 0,
    isExpired: false,
  }));
  const fields = { slug: 'a', name: 'A', policies: held, policy_engine_mode: modes.before };
  const record = { pk: 'p', fields, bound: new Map([[policyBindings, bound]]), ...(exact && { exact }) };
  return refusedUpdateReason(resource, record, compareRecord(resource, record), permission);
}

const inverted = [group('g', { negate: true }), group('h', { negate: true })];
const plain = [group('g'), group('h')];
const isRefused = expect.stringContaining('change one binding per apply') as string;

test.each([
  ['any', 'any', plain, undefined],
  ['all', 'all', plain, isRefused],
  ['all', 'any', plain, isRefused],
  ['any', 'all', plain, isRefused],
  ['all', 'all', [group('g'), group('h', { negate: true })], undefined],
  ['all', 'all', [group('g', { enabled: false }), group('h')], isRefused],
])(
  'several bindings are inverted at once if people need not pass all: %s after %s',
  async (after, before, held, reason) => {
    expect(await refusal(inverted, held, { after, before })).toEqual(reason);
  },
);

test('a binding that stays disabled does not count as inverted', async () => {
  const [one = {}, other = {}] = inverted;
  const declared = [{ ...one, enabled: false }, other];
  const held = [group('g', { enabled: false }), group('h')];
  expect(await refusal(declared, held, { after: 'all', before: 'all' })).toBeUndefined();
});

test('a binding counts as inverted if it is enabled in the same update', async () => {
  const enabled = [group('g', { negate: true, enabled: true }), group('h', { negate: true })];
  const held = [group('g', { enabled: false }), group('h')];
  expect(await refusal(enabled, held, { after: 'all', before: 'all' })).toEqual(isRefused);
});

test('bindings are not sent with a record, so their numbers are never too large for it', async () => {
  const exact = { slug: 'a', name: 'A', policy_engine_mode: 'any' };
  expect(await refusal([group('g')], [], { after: 'any', before: 'any' }, exact)).toBeUndefined();
});

test.each([
  [
    ['g'],
    ['g', 'h'],
    false,
    'removing bindings from `policies` needs --allow delete; or write `at_least: [policies]`',
  ],
  [['g'], ['g', 'h'], true, undefined],
  [['g', 'h'], ['g'], false, undefined],
  [['g'], ['g'], false, undefined],
])(
  'bindings of %j in place of %j, if this run may delete (%j), are refused: %s',
  async (after, before, mayDelete, reason) => {
    const policies = after.map((name) => group(name));
    const [resource] = await desired(
      JSON.stringify({ version: 1, applications: [{ slug: 'a', name: 'A', policies }] }),
    );
    if (resource === undefined) throw new Error('no application is declared');
    const held = before.map((name) => group(name));
    const bound = bindingsIn(policyBindings, held).map((one, pk): Child => ({
      ...one,
      pk: String(pk),
      rank: 0,
      isExpired: false,
    }));
    const record = { pk: '7', fields: { policies: held }, bound: new Map([[policyBindings, bound]]) };
    expect(refusedUpdateReason(resource, record, [{ field: 'policies' }], { self: '1', mayDelete })).toBe(
      reason,
    );
  },
);
