import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import { readRelease, type Release } from '../../src/kinds/release.ts';
import { checkByRelease } from '../../src/manifest/load-manifests.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { times } from '../support/effort.ts';
import { entries, type Entry } from '../support/entries.ts';
import { loadText } from '../support/desired.ts';
import { otherClient } from '../support/other-client.ts';

type Value = Pick<Entry, 'type' | 'field' | 'value'>;

/** The diagnostics for a manifest with one resource. The manifest is JSON, so values need no further quoting. */
async function diagnosticsOf(
  { type, field, value }: Value,
  release?: Release,
): Promise<readonly Diagnostic[]> {
  const whole = type === 'application' ? { slug: 'a', name: 'A' } : { username: 'a', name: 'A' };
  const manifest = { version: 1, [`${type}s`]: [{ ...whole, [field]: value }] };
  return (await loadText(JSON.stringify(manifest), { ...(release && { release }) })).diagnostics;
}

async function shortly(entry: Value, release?: Release): Promise<string[]> {
  return (await diagnosticsOf(entry, release)).map(({ severity, code }) => `${severity} ${code}`);
}

function named({ field, value }: Entry): string {
  return `${field} ${JSON.stringify(value)}`.slice(0, 60);
}

/** Only the service knows which ids and usernames exist. */
function isKnownByTheServiceOnly({ field, value, verdict }: Entry): boolean {
  const texts = 'refused' in verdict ? verdict.refused : [];
  return (
    texts.some((text) => text.startsWith('Invalid pk')) || (field === 'username' && value === 'AnonymousUser')
  );
}

/** rollcall trims more fields than the service does. This removes some values that the service would refuse. */
function isTrimmed({ value }: Entry): boolean {
  return typeof value === 'string' && value !== value.trim() && value.trim() !== '';
}

const refused = entries
  .filter(({ verdict }) => !('stored' in verdict))
  .filter((entry) => !isKnownByTheServiceOnly(entry) && !isTrimmed(entry));
const taken = entries.filter(({ verdict }) => 'stored' in verdict);
const takenByAll = taken.filter(({ later }) => later === undefined);

describe('values that the service rejects are reported before sending', () => {
  test.each(refused.map((entry) => [named(entry), entry] as const))('%s', async (_, entry) => {
    expect(await shortly(entry)).not.toEqual([]);
  });
});

describe('values that some releases reject', () => {
  const some = entries.flatMap((entry) => (entry.later ? [{ ...entry, later: entry.later }] : []));
  const cases = some.map((entry) => [named(entry), entry] as const);

  test.each(cases)('are reported with these releases if the release is unknown: %s', async (_, entry) => {
    const [first] = await diagnosticsOf(entry);
    expect(`${first?.summary} ${first?.detail}`.toLowerCase()).toMatch(
      new RegExp(`releases (before|since) ${entry.later.since.replaceAll('.', '[.]')}`),
    );
  });

  test.each(cases)('are an error for these releases, and accepted for others: %s', async (_, entry) => {
    const { verdict, later } = entry;
    for (const [release, meant] of [
      ['2023.10', verdict],
      [later.since, later.verdict],
      ['2026.8.1', later.verdict],
    ] as const) {
      const found = await shortly(entry, readRelease(release));
      expect([release, found.map((line) => line.split(' ', 1)[0])]).toEqual([
        release,
        'stored' in meant ? [] : ['error'],
      ]);
    }
  });
});

test('values that every release accepts cause no warning', async () => {
  const warned: string[] = [];
  for (const entry of takenByAll)
    if ((await shortly(entry)).includes('warning likely-refused')) warned.push(named(entry));
  expect(warned).toEqual([]);
});

const group = '2f23b8d6-dbbb-4842-8b22-b14c757098b0';
describe('values that the contract of the service allows are accepted', () => {
  test.each([
    [
      'an application that is hidden',
      { type: 'application', field: 'meta_launch_url', value: 'blank://blank' },
    ],
    ['a group id without dashes', { type: 'user', field: 'groups', value: [group.replaceAll('-', '')] }],
    ['a group id in upper case', { type: 'user', field: 'groups', value: [group.toUpperCase()] }],
    [
      'keys that every object has',
      { type: 'user', field: 'attributes', value: { constructor: 1, a: { prototype: 2 } } },
    ],
    ['a time with its offset', { type: 'user', field: 'last_login', value: '2024-05-01 10:00:00+0200' }],
    ['a time without seconds', { type: 'user', field: 'last_login', value: '2024-05-01T10:00+02:00' }],
  ] as const)('%s', async (_, entry) => {
    expect(await shortly(entry)).toEqual([]);
  });

  test.each(['2024-05-01T10:00:00', '2024-05-01 10:00:00.5', '2024-05-01T10:00'])(
    'with a warning for a time without a zone: %s',
    async (value) => {
      const [only, ...others] = await diagnosticsOf({ type: 'user', field: 'last_login', value });
      expect(only).toMatchObject({ severity: 'warning', code: 'no-time-zone' });
      expect(only?.detail).toContain('UTC');
      expect(others).toEqual([]);
    },
  );
});

test.each(['2024-04-31T10:00:00Z', '2023-02-29T10:00:00Z', '1900-02-29 10:00'])(
  'a date that does not exist is reported: %s',
  async (value) => {
    const found = await diagnosticsOf({ type: 'user', field: 'last_login', value });
    expect(found).toContainEqual(expect.objectContaining({ code: 'invalid-format', severity: 'error' }));
  },
);

/** Texts that are built from these pieces in any order. */
function madeOf(pieces: string): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces.split(' ')), { maxLength: 8 }).map((all) => all.join(''));
}

test('an error is reported for meta_icon if and only if the service would reject it', async () => {
  const icons = madeOf(`fa:// http: / /static .. . %(theme)s a B.png _ ${'x'.repeat(200)}`);
  const releases = fc.constantFrom(...sandboxReleases.filter((release) => release !== '2023.10'));
  await fc.assert(
    fc.asyncProperty(icons, releases, async (value, release) => {
      const fields = { slug: 'a', name: 'A', meta_icon: value };
      const made = otherClient(new Sandbox({}, release)).create('application', fields);
      const said = await shortly({ type: 'application', field: 'meta_icon', value }, readRelease(release));
      expect(said.some((line) => line.startsWith('error'))).toBe(!('record' in made));
    }),
    { numRuns: times({ short: 15, full: 2000 }) },
  );
});

test.each([
  ['user_login', 'session_duration'],
  ['user_login', 'remember_me_offset'],
  ['consent', 'consent_expire_in'],
  ['authenticator_validate', 'last_auth_threshold'],
])('a duration of a %s stage without a unit has a warning: %s', async (type, field) => {
  const stage = (value: string): string =>
    JSON.stringify({ version: 1, stages: [{ name: 's', type, [field]: value }] });
  const { diagnostics } = await loadText(stage('10h'));
  expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([['likely-refused', 'warning']]);
  expect((await loadText(stage('hours=10'))).diagnostics).toEqual([]);
});

test.each([
  ['own-identification', ['likely-refused']],
  ['default-authentication-identification', []],
])(
  'an entry without required fields has a warning unless it ships with the service: %s',
  async (name, codes) => {
    const stage = { name, type: 'identification', case_insensitive_matching: true };
    const { diagnostics, resources } = await loadText(JSON.stringify({ version: 1, stages: [stage] }));
    expect(diagnostics.map(({ code }) => code)).toEqual(codes);
    const ofAbsent = checkByRelease(resources, undefined, false, new Map());
    expect(ofAbsent.map(({ code }) => code)).toEqual(['likely-refused']);
  },
);

test.each([
  ['no', { user_fields: [], sources: [] }, ['likely-refused']],
  ['undeclared', { user_fields: [] }, ['likely-refused']],
  ['some', { user_fields: [], sources: [{ slug: 'x' }] }, []],
])(
  'an empty list of `user_fields` has a warning unless `sources` has an item: %s',
  async (_, fields, codes) => {
    const stage = { name: 's', type: 'identification', ...fields };
    const { diagnostics } = await loadText(JSON.stringify({ version: 1, stages: [stage] }));
    expect(diagnostics.map(({ code }) => code)).toEqual(codes);
  },
);

test.each([
  ['none', {}, ['likely-refused']],
  ['the first', { action: 'login' }, []],
  ['another', { client_ip: '10.0.0.1' }, []],
])('an event matcher has a warning unless it declares one of its criteria: %s', async (_, fields, codes) => {
  const policy = { name: 'p', type: 'event_matcher', ...fields };
  const { diagnostics } = await loadText(JSON.stringify({ version: 1, policies: [policy] }));
  expect(diagnostics.map(({ code }) => code)).toEqual(codes);
});
