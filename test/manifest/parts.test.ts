import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import { diagnosticOf, placeOf, type Resource } from '../../src/kinds/resource.ts';
import { loadManifests, type LoadedManifests } from '../../src/manifest/load-manifests.ts';
import { Selector } from '../../src/manifest/select.ts';
import { manifestDigestOf } from '../../src/plan/manifest-digest.ts';
import { times } from '../support/effort.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { seededRandom } from '../support/seeded-random.ts';

type Manifests = Readonly<Record<string, string | Uint8Array>>;

/** Manifests in which one entry, or two entries together, have most kinds of mistakes. */
function manifests(seed: number): Manifests {
  const random = seededRandom(seed);
  const one = (...from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? '';
  const faults = random() < 0.7;
  const entry = (fields: readonly string[]): string =>
    random() < 0.5 ? `  - ${fields.join('\n    ')}\n` : `  - { ${fields.join(', ')} }\n`;
  const some = (list: string, count: number, fields: () => readonly string[]): string =>
    `${list}:\n${Array.from({ length: count }, () => entry(fields())).join('')}`;
  const number = (): string => String(Math.floor(random() * 40));
  const user = (): string[] => {
    const unlikely = faults && random() < 0.1;
    const name = one('Somebody', 'somebody', 'ﬁnn.with.a.long.name', 'finn.with.a.long.name', 'Ä', 'ä');
    return [
      `username: ${unlikely ? name : `${name}${seed}-${random()}`}`,
      ...(random() < 0.8 ? [one('name: A long display name of somebody', 'name: "${env:SECRET}"')] : []),
      ...(random() < 0.3
        ? ['groups: [4aa5ab5c-3c2c-4b4c-9e5c-2f5d6c7b8a90, 6aa5ab5c-3c2c-4b4c-9e5c-2f5d6c7b8a90]']
        : []),
      ...(random() < 0.2 ? ['email: somebody@example'] : []),
      ...(unlikely
        ? [one('emial: x@example.com', 'is_active: perhaps', 'path: "${var:none}"', 'path: ok')]
        : []),
      ...(random() < 0.2 ? ['attributes: { team: the-team-of-somebody }'] : []),
    ];
  };
  const application = (): string[] => [
    `slug: ${one('wiki', 'Wiki', 'mail')}${faults && random() < 0.2 ? '' : `-${random()}`.replace('.', '')}`,
    'name: An application with a long name',
    ...(faults && random() < 0.3 ? [`provider: ${number()}`] : []),
    ...(faults && random() < 0.3 ? [`backchannel_providers: [${number()}, ${number()}]`] : []),
  ];
  const file = (): string =>
    `version: 1\n${one('', 'defaults: { user: { path: a/path/for/everybody } }\n')}` +
    some('applications', Math.ceil(random() * 5), application) +
    some('users', Math.ceil(random() * 20), user);
  return { 'a.yaml': file(), 'b.yaml': file().replaceAll('\n', one('\n', '\r\n')), 'c.yaml': file() };
}

async function load(
  files: Manifests,
  options: Partial<Parameters<typeof loadManifests>[1]> = {},
): Promise<LoadedManifests> {
  const env = { SECRET: 'a canary that is long enough' };
  return loadManifests(Object.keys(files), { files: memoryFiles(files), env, variables: {}, ...options });
}

/** All properties of a resource, including places and lines. */
function told(resource: Resource): string {
  const { kind, origin: _, ...rest } = resource;
  const problem = { code: 'differs', summary: '' } as const;
  const fields = [undefined, ...Object.keys(resource.fields)];
  const all = {
    ...rest,
    type: kind.type,
    places: fields.map((field) => diagnosticOf(resource, field, problem)),
    items: fields.map((field) => [0, 1].map((item) => placeOf(resource, field, item))),
  };
  return inspect(all, { depth: null, sorted: true });
}

/** The part of the manifests that one of several runs reads, as run/ reads it. */
async function part(
  files: Manifests,
  index: number,
  count: number,
  { strict = false, hide = [] }: { strict?: boolean; hide?: readonly string[] } = {},
) {
  const selector = new Selector({ target: [], exclude: [], shard: { index, count } });
  const loaded = await load(files, {
    isWarningReported: (address) => selector.has(address),
    strict,
    hide,
  });
  const isOurs = ({ address }: Pick<Diagnostic, 'address'>): boolean =>
    address === undefined || selector.has(address);
  const resources = loaded.resources.filter((resource) => isOurs(resource));
  return { loaded: { ...loaded, resources }, isOurs, digest: manifestDigestOf(loaded.resources) };
}

describe('in sharded runs', () => {
  test('each run reports all errors, and together the runs contain the resources of an unsharded run', async () => {
    const codes = new Set<string>();
    for (let seed = 0; seed < times({ short: 6, full: 60 }); seed += 1) {
      const files = manifests(seed);
      const count = 2 + (seed % 5);
      const hide = seed % 3 === 0 ? ['user.name', 'application.provider'] : [];
      const whole = await load(files, { hide });
      const kept: string[] = [];
      for (let index = 1; index <= count; index += 1) {
        const { loaded, isOurs, digest } = await part(files, index, count, { hide });
        expect(loaded.diagnostics, `seed ${seed}`).toEqual(
          whole.diagnostics.filter((diagnostic) => diagnostic.severity === 'error' || isOurs(diagnostic)),
        );
        expect({ ...loaded, addresses: [...loaded.addresses] }).toMatchObject({
          counts: whole.counts,
          addresses: [...whole.addresses],
        });
        expect(digest).toBe(manifestDigestOf(whole.resources));
        kept.push(...loaded.resources.map((resource) => told(resource)));
      }
      expect(kept.toSorted(), `seed ${seed}`).toEqual(
        whole.resources.map((resource) => told(resource)).toSorted(),
      );
      for (const { code } of whole.diagnostics) codes.add(code);
    }
    // The random manifests have to contain these mistakes.
    expect([...codes]).toEqual(
      expect.arrayContaining([
        'duplicate-resource',
        'similar-name',
        'shared-provider',
        'likely-refused',
        'unknown-field',
      ]),
    );
  });

  test('a warning about another shard is reported if --strict turns the warning into an error', async () => {
    const files = { 'a.yaml': 'version: 1\nusers: [{ username: a }, { username: b }, { username: c }]\n' };
    for (const index of [1, 2]) {
      const { loaded } = await part(files, index, 2, { strict: true });
      expect(loaded.diagnostics.map(({ severity, address }) => [severity, address])).toEqual([
        ['error', 'user.a'],
        ['error', 'user.b'],
        ['error', 'user.c'],
      ]);
    }
  });
});

describe('a limit on the size of manifests', () => {
  const users = (...names: readonly string[]): string =>
    `version: 1\nusers:\n${names.map((name) => `  - { username: ${name} }\n`).join('')}`;
  const files = { 'a.yaml': users('a', 'b'), 'b.yaml': users('c', 'd'), 'c.yaml': users('e', 'e') };
  const most = { entries: 6, problems: 7 };

  test.each([
    [
      { entries: 3 },
      'b.yaml',
      'more than 3 resources are declared, counting from the first file to this one',
    ],
    [{ problems: 3 }, 'b.yaml', 'more than 3 problems were found, counting from the first file to this one'],
  ])('ends the reading after the file that exceeds it: %j', async (less, filename, summary) => {
    const { diagnostics } = await load(files, { limits: { ...most, ...less } });
    const found = diagnostics.filter(({ code }) => code.startsWith('too-many'));
    expect(found).toMatchObject([{ severity: 'error', summary, range: { filename } }]);
    expect(diagnostics.every(({ range }) => range !== undefined && range.filename <= filename)).toBe(true);
  });

  test('allows manifests that do not exceed it', async () => {
    const { diagnostics } = await load(files, { limits: most });
    expect(diagnostics.map(({ code }) => code)).not.toContainEqual(expect.stringMatching(/^too-many/));
  });
});
