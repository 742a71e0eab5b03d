import { expect, test } from 'vitest';
import { secretVariableName } from '../../src/adopt/declaration.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import type { JsonValue } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import { recordedOf } from '../../src/sandbox/recorded.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import { someReleases, times } from '../support/effort.ts';
import { certificates } from '../support/pem.ts';
import { applyManifest, env, randomInstance, nameOfNewRecord, seed } from '../support/random-instance.ts';
import { capture } from '../support/run.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { World } from '../support/update-world.ts';
import { createdKinds, existsIn, smallestEntry, listPathIn } from '../support/written-type.ts';
import { otherClient } from '../support/other-client.ts';

async function exported(world: World, options: object = {}): Promise<{ text: string; said: string }> {
  const { context, stdout, stderr } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
  await exportManifests({ output: 'yaml', ...options }, context);
  return { text: stdout(), said: stderr() };
}

async function expectNoChanges(
  world: World,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { context, stdout, stderr } = world.run(text, { ...env, ...more });
  const options = { output: 'text', detailedExitcode: true } as const;
  expect(await plan(['m.yaml'], options, context), stdout() + stderr() + text).toBe('done');
  expect(stdout()).toContain('No changes.');
}

/** The exported text with its secrets uncommented, and a value for each of their variables. */
function withSecrets(text: string): { text: string; values: Record<string, string> } {
  const values: Record<string, string> = {};
  const declared = text.replaceAll(
    /^ {4}# (\w+): \$\{env:(\w+)\}$/gm,
    (_, field: string, variable: string) => {
      values[variable] =
        field === 'certificate_data'
          ? certificates.one
          : /credentials|kubeconfig|jwks/.test(field)
            ? env.SECRET_JSON
            : env.SECRET;
      return field === 'key_data' ? '' : `    ${field}: \${env:${variable}}`;
    },
  );
  return { text: declared, values };
}

/** The records for which the output names fields that cannot be declared. */
function leftOutIn(said: string): string[] {
  const blocks = said.matchAll(/^(?:warning|error): ([^]*?)\n\n/gm);
  return Array.from(blocks, ([, words = '']) => words.match(/one-of-\w+/g) ?? [words]).flat();
}

/** Whether no recording shows the default values of this kind. The sandbox leaves missing fields empty. */
function isUnrecorded(release: SandboxRelease, name: string): boolean {
  const of = kinds.filter((kind) => name === nameOfNewRecord(kind));
  return of.some((kind) => recordedOf(release, listPathIn(kind, release)).defaults === undefined);
}

const cases = someReleases(sandboxReleases).flatMap((release) =>
  Array.from({ length: times({ short: 1, full: 40 }) }, (_, index) => ({ release, index })),
);

test.each(cases)(
  'an export of a random instance is in sync with that instance, and recreates its records in a fresh service: $release, seed $index',
  async ({ release, index }) => {
    const world = new World(seed, release);
    await applyManifest(world, JSON.stringify(randomInstance(world, release, seededRandom(index))));
    const { text, said } = await exported(world);
    expect(leftOutIn(said).filter((name) => !isUnrecorded(release, name))).toEqual([]);
    await expectNoChanges(world, text);
    const whole = withSecrets(text);
    const other = new World(seed, release);
    await applyManifest(other, whole.text, whole.values);
    await expectNoChanges(other, whole.text, whole.values);
    expect((await exported(other)).text).toBe(text);
  },
);

test('an export has a comment with a variable for every secret and write-only field, and lists the values to set', async () => {
  const release = '2026.8';
  const world = new World(seed, release);
  const entries = createdKinds
    .filter((kind) => existsIn(kind, release))
    .map((kind) => ({ kind, entry: smallestEntry(kind, nameOfNewRecord(kind), world.sandbox, release) }));
  const lists = new Map(entries.map(({ kind: { list } }) => [list, [] as JsonValue[]]));
  for (const { kind, entry } of entries) lists.get(kind.list)?.push(entry);
  await applyManifest(world, JSON.stringify({ version: 1, ...Object.fromEntries(lists) }));
  const { text, said } = await exported(world);
  const remark = said.replaceAll(/\s+/g, ' ');
  let fields = 0;
  for (const { kind } of entries)
    for (const [field, { isSecret, isWriteOnly, isInstruction }] of Object.entries(kind.fields)) {
      const held = otherClient(world.sandbox).record(listPathIn(kind, release), nameOfNewRecord(kind))?.[
        field
      ];
      if (isInstruction || !(isSecret || isWriteOnly) || (held === '' && !isWriteOnly)) continue;
      const variable = secretVariableName(nameOfNewRecord(kind), field);
      expect(text, `${kind.path} ${field}`).toContain(`    # ${field}: \${env:${variable}}\n`);
      expect(remark).toMatch(new RegExp(`set: .*\\b${variable}\\b`));
      fields += 1;
    }
  expect(fields).toBeGreaterThan(20);
  expect(remark).toContain('--resend ADDRESS');
});

test('an export declares a field that has lost its shipped value, although it has the default of the service now', async () => {
  const world = new World({ is_fresh: true }, '2025.12');
  otherClient(world.sandbox).change('group', 'authentik Read-only', { attributes: {} });
  expect((await exported(world)).text).toMatch(/name: authentik Read-only\n +attributes: \{\}\n/);
});

test.each([
  ['2025.12', undefined],
  [
    '2026.8',
    [
      'stage.default-authentication-mfa-validation `email_otp_throttling_factor`',
      'brand.authentik-default `branding_map_tiles`',
      'settings.service `flags.enterprise_audit_include_expanded_diff`, `flags.core_default_app_access`, `base_url`.',
    ],
  ],
] as const)(
  'an export of a fresh service of release %s lists the fields added after 2025.12 whose values may be unchanged defaults',
  async (release, fields) => {
    const { said } = await exported(new World({ is_fresh: true }, release));
    const remark = said.replaceAll(/\s+/g, ' ');
    if (fields === undefined) expect(remark).not.toContain('Perhaps unchanged');
    else {
      expect(remark).toContain('These fields were added after 2025.12');
      for (const field of fields) expect(remark).toContain(field);
    }
  },
);
