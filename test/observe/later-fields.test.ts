import { expect, test } from 'vitest';
import { readRelease } from '../../src/kinds/release.ts';
import { hasLaterFields, withoutLaterFields } from '../../src/observe/later-fields.ts';
import { desired } from '../support/desired.ts';

const provider = `version: 1
providers:
  - name: a
    type: oauth2
    authorization_flow: { slug: f }
    invalidation_flow: { slug: g }
    encryption_key: { name: k }
    grant_types: [implicit]
    redirect_uris: []
`;
const later = ['invalidation_flow', 'encryption_key', 'grant_types'];

test.each([
  ['2024.8', later, ['invalidation_flow', 'grant_types']],
  ['2024.10', ['grant_types'], ['grant_types']],
  ['2026.5', [], []],
  ['', [], []],
])(
  'release %j has none of the fields %j, and the plan only mentions those that the checks accept: %j',
  async (release, removed, mentioned) => {
    const resources = await desired(provider);
    expect(resources.map(hasLaterFields)).toEqual([true]);
    const { resources: kept, leftOutFields } = withoutLaterFields(resources, readRelease(release));
    const names = Object.keys(resources[0]?.fields ?? {});
    expect(Object.keys(kept[0]?.fields ?? {})).toEqual(names.filter((name) => !removed.includes(name)));
    expect(leftOutFields.map(({ field }) => field)).toEqual(mentioned);
  },
);

test('a resource without references or optional values of later releases is kept as it is', async () => {
  const resources = await desired('version: 1\napplications: [{ slug: a, name: A, meta_hide: true }]\n');
  expect(resources.map(hasLaterFields)).toEqual([false]);
  expect(withoutLaterFields(resources, readRelease('2023.10')).resources).toEqual(resources);
});
