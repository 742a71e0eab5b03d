import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  factsByRelease,
  factsOf,
  type FieldFacts,
  type TypeFacts,
  newestFacts,
} from '../../src/kinds/facts.ts';
import { kindOf } from '../../src/kinds/all.ts';
import { knownReleases, readRelease } from '../../src/kinds/release.ts';
import { kinds } from '../../src/kinds/all.ts';
import { factPaths } from '../support/fact-paths.ts';

const reference = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8');
const lines = knownReleases.map(({ line }) => line);

function valuesOf(facts: FieldFacts | undefined): string[] | undefined {
  return (facts?.items ?? facts)?.enum?.map(String);
}

function field(release: string, path: string, name: string): FieldFacts | undefined {
  return factsOf(release, path)?.fields[name];
}

test('every known release has facts about its API', () => {
  const text = readFileSync(new URL('../../src/kinds/facts/releases.json', import.meta.url), 'utf8');
  expect(JSON.parse(text)).toEqual(lines);
});

test('every file of facts is read, and has fields and requests for each of its releases', () => {
  const files = readdirSync(new URL('../../src/kinds/facts/', import.meta.url));
  expect(factPaths.length).toBe(files.length - 2);
  for (const path of factPaths) {
    const releases = [...factsByRelease(path)];
    expect(releases, path).not.toEqual([]);
    for (const [, { fields, can }] of releases) {
      expect(Object.keys(fields).length, path).toBeGreaterThan(0);
      expect(can.length, path).toBeGreaterThan(0);
    }
  }
});

describe('the facts of the API contain', () => {
  test('redirect URIs as a string at first, and as a list of records later', () => {
    const path = '/providers/oauth2/';
    expect(field('2023.10', path, 'redirect_uris')).toEqual({ type: 'string' });
    expect(field('2025.8', path, 'redirect_uris')).toEqual({
      type: 'array',
      required: true,
      items: {
        type: 'object',
        fields: {
          matching_mode: { type: 'string', enum: ['strict', 'regex'], required: true },
          url: { type: 'string', minLength: 1, required: true },
        },
      },
    });
    expect(field('2026.5', path, 'redirect_uris')?.items?.fields?.['redirect_uri_type']).toEqual({
      type: 'string',
      default: 'authorization',
      enum: ['authorization', 'logout'],
    });
  });

  test.each(['certificate_data', 'key_data'])('the %s of a certificate as a write-only field', (name) => {
    for (const line of lines)
      expect(field(line, '/crypto/certificatekeypairs/', name), line).toMatchObject({ writeOnly: true });
  });

  test('the single parent and the maximum name length of a group in early releases', () => {
    const path = '/core/groups/';
    expect(field('2024.6', path, 'name')).toMatchObject({ maxLength: 80, required: true });
    expect(field('2024.8', path, 'name')).toEqual({ type: 'string', minLength: 1, required: true });
    expect(field('2025.10', path, 'parent')).toEqual({ type: 'string', format: 'uuid', nullable: true });
    expect(field('2025.12', path, 'parent')).toBeUndefined();
    expect(field('2025.12', path, 'parents')).toEqual({
      type: 'array',
      items: { type: 'string', format: 'uuid' },
    });
  });

  test('a list of values that grows from one release to the next', () => {
    const grants = (line: string): readonly (string | number)[] | undefined =>
      field(line, '/providers/oauth2/', 'grant_types')?.items?.enum;
    expect(grants('2026.2')).toBeUndefined();
    expect(grants('2026.5')).toHaveLength(7);
    expect(grants('2026.8')).toEqual([
      ...(grants('2026.5') ?? []),
      'urn:ietf:params:oauth:grant-type:token-exchange',
    ]);
  });

  test('a path added by a later release, and a removed one', () => {
    expect(factsOf('2023.10', '/core/brands/')).toBeUndefined();
    expect(factsOf('2024.2', '/core/brands/')?.model).toBe('authentik_brands.brand');
    expect(factsOf('2023.10', '/core/tenants/')?.fields['domain']).toMatchObject({ required: true });
    expect(factsOf('2024.2', '/core/tenants/')).toBeUndefined();
  });

  test('filters, ids and the possible requests', () => {
    const applications = factsOf('2026.8', '/core/applications/') as TypeFacts; // the facts have this path
    expect(applications.id).toEqual({ name: 'slug', type: 'string' });
    expect(Object.keys(applications.filters)).toContain('superuser_full_list');
    expect(applications.actions['GET {}/check_access/']).toContain('for_user');
    expect(applications.can).toEqual(['list', 'read', 'create', 'change', 'delete']);
    expect(factsOf('2024.2', '/core/groups/')?.filters['include_users']).toBeUndefined();
    expect(factsOf('2024.4', '/core/groups/')?.filters['include_users']).toEqual({
      type: 'boolean',
      default: true,
    });
  });
});

test('the facts contain no paths of records that only end users create, except tokens', () => {
  const made =
    /authenticators|user_connections|group_connections|\/events\/events|tokens\/$|tenants\/domains/;
  expect(factPaths.filter((path) => made.test(path))).toEqual([
    '/core/tokens/',
    '/endpoints/agents/enrollment_tokens/',
  ]);
});

test('each type that can be created has a row, or is listed as undeclarable', () => {
  const rows = new Set(kinds.flatMap(({ path, formerPath }) => [path, formerPath?.path]));
  const without = factPaths.filter((path) => {
    const facts = [...factsByRelease(path).values()].at(-1);
    const isWhole = ['create', 'change', 'delete'].every((what) => facts?.can.some((one) => one === what));
    return isWhole && !rows.has(`/api/v3${path}`);
  });
  expect(without.filter((path) => !reference.includes(`\n- \`${path}\`: `))).toEqual([
    '/propertymappings/ldap/',
  ]);
});

test('the newest facts in the rows equal those in the files of facts', () => {
  for (const path of factPaths) {
    const releases = [...factsByRelease(path)];
    const [line, facts] = releases.at(-1) ?? ['', undefined];
    if (line !== lines.at(-1)) {
      expect(() => newestFacts(path)).toThrow(path);
      continue;
    }
    const { id, model, fields, filters = [] } = newestFacts(path);
    for (const filter of filters)
      for (const [, { filters: own }] of releases) expect(own, path).toHaveProperty(filter);
    expect([id, model], path).toEqual([facts?.id, facts?.model]);
    for (const [name, { since, shorter, later, ...fact }] of Object.entries(fields)) {
      expect(fact, `${path} ${name}`).toEqual(facts?.fields[name]);
      const had = releases.find((one) => one[1].fields[name] && !one[1].fields[name].readOnly);
      const before = shorter && releases.findIndex(([one]) => one === shorter.before) - 1;
      if (before !== undefined)
        expect(shorter, `${path} ${name}`).toMatchObject({
          maxLength: releases[before]?.[1].fields[name]?.maxLength,
        });
      for (const [value, first] of Object.entries(later ?? {})) {
        const taking = releases.find(([, type]) => valuesOf(type.fields[name])?.includes(value));
        expect(taking?.[0], `${path} ${name} ${value}`).toBe(first);
      }
      if (!fact.readOnly) expect(since ?? releases[0]?.[0], `${path} ${name}`).toBe(had?.[0]);
    }
  }
});

test('a string is checked for the length limits of earlier releases', () => {
  const length = newestFacts('/core/groups/').fields['name']?.shorter;
  expect(length).toEqual({ before: '2024.8', maxLength: 80 });
  expect(newestFacts('/rbac/roles/').fields['name']?.shorter).toEqual({ before: '2026.2', maxLength: 150 });
  expect(newestFacts('/core/users/').fields['username']?.shorter).toBeUndefined();
});

test('a value that only later releases know is refused for an earlier release, unless that release ignores the field', () => {
  const { checks = [] } = kindOf('provider', 'oauth2provider').fields['grant_types'] ?? {};
  const said = (line: string): unknown =>
    checks.map((check) =>
      check(['implicit', 'urn:ietf:params:oauth:grant-type:token-exchange'], readRelease(line)),
    );
  const summary = 'release 2026.5 refuses this value, like all releases before 2026.8';
  expect(said('2026.5')).toEqual([[expect.objectContaining({ summary, item: 1 })]]);
  expect(said('2026.2')).toEqual([undefined]);
  expect(said('2026.8')).toEqual([[]]);
});
