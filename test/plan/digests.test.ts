import { kindOf } from '../../src/kinds/all.ts';
import { expect, test } from 'vitest';
import { fieldOf } from '../../src/kinds/fields.ts';
import { canonicalJson } from '../../src/plan/canonical.ts';
import { manifestDigestOf } from '../../src/plan/manifest-digest.ts';
import { planOf } from '../support/plan-of.ts';
import { fieldsOf } from '../support/values.ts';

async function digestOfText(text: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await planOf(`version: 1\n${text}`, {}, env)).manifestDigest();
}

test('the digest of manifests does not depend on the order of entries, fields or lists', async () => {
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
  ['an additional field', 'users: [{ username: a, name: A, path: users }]'],
  ['an additional entry', 'users: [{ username: a, name: A }, { username: b, name: B }]'],
  ['a removed entry', 'users: []'],
])('the digest of manifests changes with %s', async (_, text) => {
  expect(await digestOfText(text)).not.toBe(await digestOfText('users: [{ username: a, name: A }]'));
});

test('the digest of manifests covers the text and the names of references, but not their values', async () => {
  const digestOfName = (name: string, A = 'a'): Promise<string> =>
    digestOfText(`users: [{ username: a, name: "${name}" }]`, { A, B: 'a' });
  const digest = await digestOfName('x ${env:A}');
  expect(await digestOfName('x ${env:A}', 'b')).toBe(digest);
  for (const other of ['y ${env:A}', 'x ${env:B}', 'x a']) expect(await digestOfName(other)).not.toBe(digest);
});

test('the digest of manifests covers kinds whose entries have the same fields, and no template of a hidden field', async () => {
  expect(await digestOfText('groups: [{ name: a }]')).not.toBe(await digestOfText('roles: [{ name: a }]'));
  const hiddenFrom = (env: string): string => {
    const mask = { isHidden: true, sensitive: { '': [{ env }] } };
    return manifestDigestOf([
      { kind: kindOf('user'), address: 'user.a', fields: { name: fieldOf('x', { at: [0, 0], mask }) } },
    ]);
  };
  expect(hiddenFrom('A')).toBe(hiddenFrom('B'));
});

test('the digest of manifests covers each of hundreds of resources, in any order', () => {
  const digestOfAll = (names: readonly number[]): string =>
    manifestDigestOf(
      names.map((name) => ({
        kind: kindOf('user'),
        address: `user.${name}`,
        fields: fieldsOf({ username: `${name}` }),
      })),
    );
  const names = Array.from({ length: 200 }, (_, index) => index);
  const digests = new Set([names, names.toReversed()].map((some) => digestOfAll(some)));
  expect(digests.size).toBe(1);
  for (const other of [
    names.slice(1),
    names.slice(0, -1),
    [...names, 200],
    names.with(100, 200),
    [...names, 7],
  ])
    digests.add(digestOfAll(other));
  expect(digests.size).toBe(6);
});

test('equal values have equal canonical JSON, whatever the order of their keys', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  expect(canonicalJson([2, 1])).toBe('[2,1]');
});
