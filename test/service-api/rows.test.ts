import { expect, test } from 'vitest';
import { kinds } from '../../src/kinds/all.ts';
import { factsByRelease } from '../../src/kinds/facts.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { inRange, readRelease } from '../../src/kinds/release.ts';
import { createdKinds } from '../support/written-type.ts';
import { differences } from './differences.ts';

/** Fields that only some releases require. */
const known: Readonly<Record<string, readonly string[]>> = {
  // For releases before 2025.12, manifests cannot declare this record.
  '/api/v3/rbac/initial_permissions/': ['2025.4', '2025.6', '2025.8', '2025.10'].map(
    (line) => `${line}: mode is required`,
  ),
  '/api/v3/providers/rac/': ['2024.10: invalidation_flow is required'],
};

test.each(createdKinds.map((kind) => [kind.path, kind] as const))(
  'the row of %s agrees with the published API',
  (_, kind) => {
    expect(differences(kind)).toEqual(known[kind.path] ?? []);
  },
);

test('settings are read and changed in each release that has them, with the fields of the API', () => {
  const singles = kinds.filter(({ single }) => single !== undefined);
  expect(singles.map(({ list }) => list)).toEqual(['settings']);
  for (const kind of singles)
    for (const [release, facts] of factsByRelease(kind.path.replace('/api/v3', ''))) {
      expect([release, facts.can]).toEqual([release, ['read', 'change']]);
      for (const [field, { since, isInstruction }] of Object.entries(kind.fields))
        if (!isInstruction && (since === undefined || inRange({ from: since }, readRelease(release))))
          expect([release, field, facts.fields[field] !== undefined]).toEqual([release, field, true]);
    }
});

const wrong = {
  'an identity that is none': ['role', { identity: 'label' }, '2023.10: no answer has label'],
  'a path that is none': ['role', asked('rolls/no-name/'), '2023.10: GET /rbac/rolls/no-name/'],
  'a filter that is none': ['role', asked('roles/?named=x'), '2023.10: GET /rbac/roles/ ?named'],
  'a field that went': [
    'group',
    fields({ parent: {} }),
    '2023.10: parent is no field of /api/v3/core/groups/',
  ],
  'a field that came later': [
    'application',
    fields({ meta_hide: { since: '2026.2' } }),
    '2026.2: meta_hide cannot be sent',
  ],
  'another path before': [
    'provider_scope',
    { formerPath: { path: '/api/v3/flows/instances/' } },
    '2023.10: expression cannot be sent',
  ],
  'another type before': [
    'oauth2',
    fields({ redirect_uris: {} }),
    '2023.10: redirect_uris is of the type string, and now of array',
  ],
  'a demand of earlier releases': [
    'proxy',
    { path: '/api/v3/providers/scim/' },
    '2023.10: token is required',
  ],
  'a name that is a path': [
    'application',
    fields({ slug: {} }),
    '2026.8: requestable is a path of the API, and no record',
  ],
  'a value that came later': ['outpost', fields({ type: {} }), '2023.10: type does not take rac'],
  'a length that grew': ['role', fields({ name: {} }), `2023.10: name does not take ${'a'.repeat(50)}`],
  'a reference that is none': ['group', fields({ roles: {} }), '2023.10: roles refers to roles'],
} satisfies Record<string, [type: string, row: Partial<Kind>, said: string]>;

function asked(path: string): Partial<Kind> {
  return { lookUp: { path: () => `/api/v3/rbac/${path}`, answers: 'list', isDocumented: false } };
}

function fields(some: Kind['fields']): Partial<Kind> {
  return { fields: some };
}

test.each(Object.entries(wrong))('the check of rows against the API finds %s', (_, [type, row, said]) => {
  const kind = kinds.find((one) => (one.variant?.value ?? one.type) === type) ?? expect.fail();
  expect(differences({ ...kind, ...row })).toContain(said);
});
