import { describe, expect, test } from 'vitest';
import { loadManifests, type LoadedManifests, type LoadOptions } from '../../src/manifest/load-manifests.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { sentOf, shownOf } from '../support/values.ts';

const group = '11111111-1111-4111-8111-111111111111';

async function load(lists: readonly string[], options: Partial<LoadOptions> = {}): Promise<LoadedManifests> {
  const files = Object.fromEntries(
    lists.map((list, index) => [`${index + 1}.yaml`, `version: 1\n${list}\n`]),
  );
  return loadManifests(Object.keys(files), { files: memoryFiles(files), ...options });
}

/** The code and the place of each problem, such as `1.yaml:2:24`. */
function told({ diagnostics }: LoadedManifests): string[] {
  return diagnostics.map(
    ({ code, range }) => `${code} ${range?.filename}:${range?.start.line}:${range?.start.column}`,
  );
}

describe('a name in place of an id', () => {
  test.each([
    ['applications: [{ slug: a, name: A, provider: { name: x } }]', 'provider', { name: 'x' }],
    [
      'applications: [{ slug: a, name: A, backchannel_providers: [{ name: x }, 7] }]',
      'backchannel_providers',
      [{ name: 'x' }, 7],
    ],
    [`users: [{ username: a, name: A, groups: [{ name: x }, ${group}] }]`, 'groups', [{ name: 'x' }, group]],
    [
      `defaults: { user: { groups: [{ name: x }] } }\nusers: [{ username: a, name: A }]`,
      'groups',
      [{ name: 'x' }],
    ],
    ['users: [{ username: a, name: A, groups: [{ name: " x\u00a0" }] }]', 'groups', [{ name: 'x' }]],
    [
      'users: [{ username: a, name: A, groups: [{ name: "${var:g} $${y}" }] }]',
      'groups',
      [{ name: 'staff ${y}' }],
    ],
    ['users: [{ username: a, name: A, groups: ["${var:named}"] }]', 'groups', [{ name: 'admins' }]],
  ])(
    'is declared as written, but trimmed and with its variables resolved: %s',
    async (list, field, value) => {
      const loaded = await load([list], {
        variables: { g: 'staff', named: { name: 'admins' } },
      });
      expect(loaded.diagnostics).toEqual([]);
      expect(loaded.resources.map((resource) => sentOf(resource)[field])).toEqual([value]);
      expect(loaded.resources.map((resource) => shownOf(resource)[field])).toEqual([value]);
    },
  );

  test('is an error at each place with contract_only', async () => {
    const loaded = await load(
      [
        'applications: [{ slug: a, name: A, provider: { name: x }, backchannel_providers: [7, { name: y }] }]',
        'defaults: { user: { groups: [{ name: x }] } }\nusers: [{ username: a, name: A }]',
        `applications: [{ slug: b, name: B, policies: [{ group: ${group}, order: 0 }] }]`,
      ],
      { contractOnly: true },
    );
    expect(told(loaded)).toEqual([
      'contract-only 1.yaml:2:46',
      'contract-only 1.yaml:2:86',
      'contract-only 2.yaml:2:30',
      'contract-only 3.yaml:2:46',
    ]);
    expect(loaded.diagnostics[0]?.summary).toContain('contract_only');
  });

  test('cannot be declared in both fields for access', async () => {
    const policies = `policies: [{ group: ${group}, order: 0 }]`;
    const loaded = await load([
      `applications: [{ slug: a, name: A, access: { groups: [${group}] }, ${policies} }]`,
    ]);
    expect(told(loaded)).toEqual(['invalid-value 1.yaml:2:106']);
  });

  test.each(['${env:CANARY}', 'the ${env:CANARY}', '${file:secret}'])(
    'cannot be secret, since output shows it: %s',
    async (name) => {
      const lists = [
        `users: [{ username: a, name: A, groups: [${group}, { name: "${name}" }] }]`,
        `applications: [{ slug: a, name: A, provider: { name: "${name}" } }]`,
        `flows: [{ slug: f, name: F, title: F, designation: authorization, stages: [{ stage: { name: s }, order: 0, policies: [{ policy: { name: "${name}" }, order: 0 }] }] }]`,
      ];
      const files = Object.fromEntries(
        lists.map((list, index) => [`${index}.yaml`, `version: 1\n${list}\n`]),
      );
      const loaded = await loadManifests(Object.keys(files), {
        files: memoryFiles({ ...files, secret: 'canary-name' }),
        env: { CANARY: 'canary-name' },
      });
      expect(told(loaded)).toEqual([
        'sensitive-name 0.yaml:2:80',
        'sensitive-name 1.yaml:2:46',
        'sensitive-name 2.yaml:2:129',
      ]);
      expect(JSON.stringify(loaded.diagnostics)).not.toContain('canary-name');
    },
  );

  test('must be the only key of its mapping', async () => {
    const loaded = await load([
      'applications: [{ slug: a, name: A, provider: { name: x, pk: 3 } }]',
      'applications: [{ slug: b, name: B, provider: {} }]',
      'applications: [{ slug: c, name: C, provider: { name: " " } }]',
      'applications: [{ slug: d, name: D, provider: [{ name: x }] }]',
      'users: [{ username: e, name: E, groups: { name: x } }]',
      'users: [{ username: f, name: F, groups: [{ name: 7 }] }]',
      `users: [{ username: g, name: G, groups: [{ name: ${'x'.repeat(501)} }] }]`,
    ]);
    expect(told(loaded)).toEqual([
      'unknown-field 1.yaml:2:57',
      'missing-field 2.yaml:2:46',
      'invalid-length 3.yaml:2:54',
      'wrong-type 4.yaml:2:46',
      'wrong-type 5.yaml:2:41',
      'wrong-type 6.yaml:2:50',
      'invalid-length 7.yaml:2:50',
    ]);
  });

  test('is not proposed for a string that may be a secret', async () => {
    const loaded = await load(['users: [{ username: f, name: F, groups: ["${env:CANARY}", staff] }]'], {
      env: { CANARY: 'canary' },
    });
    expect(loaded.diagnostics.map(({ detail }) => /\{ name: [^}]* \}`\. /.exec(detail)?.[0])).toEqual([
      '{ name: … }`. ',
      '{ name: staff }`. ',
    ]);
  });
});

describe('rules over all files', () => {
  test('allow a provider for one application only, whether by name or by id', async () => {
    const loaded = await load([
      'applications: [{ slug: a, name: A, provider: { name: x }, backchannel_providers: [{ name: y }] }]',
      'applications: [{ slug: b, name: B, provider: { name: x }, backchannel_providers: [{ name: "y" }] }]',
      'applications: [{ slug: c, name: C, provider: { name: X } }]',
    ]);
    expect(told(loaded)).toEqual(['shared-provider 2.yaml:2:46', 'shared-backchannel-provider 2.yaml:2:82']);
    expect(loaded.diagnostics[0]?.summary).toBe('provider "x" is already the main provider of `a`');
  });

  test('do not mistake a name that consists of digits for an id', async () => {
    const loaded = await load([
      'applications: [{ slug: a, name: A, provider: { name: "7" } }, { slug: b, name: B, provider: 7 }]',
    ]);
    expect(loaded.diagnostics).toEqual([]);
  });

  test('warn at the second occurrence of a name in a list', async () => {
    const loaded = await load([
      'users: [{ username: a, name: A, groups: [{ name: x }, { name: y }, { name: x }] }]',
    ]);
    expect(told(loaded)).toEqual(['repeated-id 1.yaml:2:68']);
  });
});
