import { kindOf } from '../../src/kinds/all.ts';
import { expect, test } from 'vitest';
import { makePlan } from '../../src/plan/make-plan.ts';
import { digestOf } from '../../src/plan/manifest-digest.ts';
import { savedPlan } from '../../src/plan/saved/document.ts';
import { desired } from '../support/desired.ts';
import { observedIn, planOf } from '../support/plan-of.ts';
import { fieldsOf } from '../support/values.ts';

async function digestOfText(text: string): Promise<string> {
  return (await planOf(`version: 1\n${text}`)).manifestDigest;
}

test('the digest of manifests does not depend on the order of entries, of fields, or of lists', async () => {
  const one = await digestOfText(
    'users: [{ username: a, name: A }, { username: b, name: B, path: x }]\napplications: [{ slug: c, name: C }, { slug: d, name: D }]\n',
  );
  const other = await digestOfText(
    'applications: [{ name: D, slug: d }, { slug: c, name: C }]\nusers: [{ path: x, username: b, name: B }, { username: a, name: A }]\n',
  );
  expect(other).toBe(one);
});

test.each([
  ['another value', 'users: [{ username: a, name: B }]'],
  ['another name', 'users: [{ username: b, name: A }]'],
  ['another kind', 'applications: [{ slug: a, name: A }]'],
  ['a field more', 'users: [{ username: a, name: A, path: users }]'],
  ['an entry more', 'users: [{ username: a, name: A }, { username: b, name: B }]'],
  ['nothing', 'users: []'],
])('and keeps %s apart', async (_, text) => {
  expect(await digestOfText(text)).not.toBe(await digestOfText('users: [{ username: a, name: A }]'));
});

test('of thousands as of a few', () => {
  const digestOfAll = (names: readonly number[]): string =>
    digestOf(
      names.map((name) => ({
        kind: kindOf('user'),
        address: `user.${name}`,
        fields: fieldsOf({ username: `${name}` }),
      })),
    );
  const names = Array.from({ length: 5000 }, (_, index) => index);
  const digests = new Set([names, names.toReversed()].map((some) => digestOfAll(some)));
  expect(digests.size).toBe(1);
  for (const other of [
    names.slice(1),
    names.slice(0, -1),
    [...names, 5000],
    names.with(2000, 5000),
    [...names, 7],
  ])
    digests.add(digestOfAll(other));
  expect(digests.size).toBe(6);
});

/** The digest that a plan for a service keeps of the secrets that it declares. */
async function declaredDigest(service: string, secret: string): Promise<string | undefined> {
  const resources = await desired('version: 1\nusers: [{ username: a, name: "${env:KEY}" }]\n', {
    KEY: secret,
  });
  const observed = observedIn(resources, {});
  const plan = makePlan(resources, observed, {
    toolVersion: '1',
    createdAt: new Date(0),
    permission: 'none',
    service,
  });
  return savedPlan(plan, observed).saved['user.a']?.declared_digest;
}

test('the digest of a secret is the same for the same secret and the same service only', async () => {
  const digest = await declaredDigest('https://one.example', 'pass');
  expect(digest).toMatch(/^scrypt:[0-9a-f]{64}$/);
  expect(await declaredDigest('https://one.example', 'pass')).toBe(digest);
  expect(await declaredDigest('https://one.example', 'other')).not.toBe(digest);
  // Who has plans for two services cannot see whether they share a secret.
  expect(await declaredDigest('https://two.example', 'pass')).not.toBe(digest);
});
