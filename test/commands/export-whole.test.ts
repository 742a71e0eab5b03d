import { expect, test } from 'vitest';
import { variableFor } from '../../src/adopt/declaration.ts';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import { childFields } from '../../src/kinds/bindings.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { policyBindings } from '../../src/kinds/policy-bindings.ts';
import { readRelease } from '../../src/kinds/release.ts';
import { shippedBy } from '../../src/kinds/shipped.ts';
import { recordedOf } from '../../src/sandbox/recorded.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import { inFull, times } from '../support/effort.ts';
import { certificates } from '../support/pem.ts';
import { capture } from '../support/run.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { World } from '../support/update-world.ts';
import { changeOf, createdKinds, isIn, leastEntry, writtenType } from '../support/written-type.ts';

const seed = {
  is_fresh: true,
  is_licensed: true,
  tokens: [{ token: 'sandbox-token', superuser: true }],
};
const capabilities = ['update', 'delete'];
const env = {
  ROLLCALL_CAPABILITIES: capabilities.join(),
  SECRET: 'canary-of-a-secret',
  SECRET_JSON: '{"key": "canary-of-a-secret"}',
};

async function exported(world: World, options: object = {}): Promise<{ text: string; said: string }> {
  const { context, stdout, stderr } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
  await exportManifests({ output: 'yaml', ...options }, context);
  return { text: stdout(), said: stderr() };
}

async function applied(
  world: World,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { context, stdout, stderr } = world.run(text, { ...env, ...more });
  const allow = [...capabilities, 'way-in', 'lockout', 'open-login'];
  const options = { output: 'text', yes: true, allow } as const;
  expect(await apply(['m.yaml'], options, context), text + stdout() + stderr()).toBe('done');
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

/** An instance at random: new records of some kinds, bindings to them, and changes of what the service ships. */
function instance(world: World, release: SandboxRelease, random: () => number): JsonObject {
  const chance = (probability: number): boolean => random() < probability;
  const lists: Record<string, JsonValue[]> = {
    groups: [{ name: 'bound' }],
    policies: [{ type: 'dummy', name: 'decides' }],
  };
  const add = (kind: Kind, entry: JsonObject): void => {
    lists[kind.list] = [...(lists[kind.list] ?? []), entry];
  };
  const boundTo = (kind: Kind): JsonObject =>
    chance(0.3) && childFields(kind).some(([, children]) => children === policyBindings)
      ? {
          policies: [
            { group: { name: 'bound' }, order: 3 },
            { policy: { name: 'decides' }, order: 5 },
          ],
        }
      : {};
  for (const kind of createdKinds.filter((one) => isIn(one, release) && chance(0.2))) {
    const entry = leastEntry(kind, nameFor(kind), world.sandbox, release);
    const change = chance(0.5) ? changeOf(kind, release, {}) : {};
    add(kind, { ...entry, ...change, ...boundTo(kind) });
  }
  for (const [address, fields] of shippedBy(readRelease(release)).records) {
    const kind = kinds.find(
      ({ type, variant }) =>
        address.startsWith(`${type}.`) && (variant === undefined || variant.value === fields[variant.field]),
    );
    if (kind === undefined || kind.single !== undefined || !chance(0.2)) continue;
    const { [kind.identity]: name = '', stages = [] } = fields;
    const held = world.sandbox.record(writtenType(kind, release), textOf(name)) ?? {};
    const change = kind.type === 'certificate' ? {} : changeOf(kind, release, held);
    const fewer =
      Array.isArray(stages) && stages.length > 0 && chance(0.3) ? { stages: stages.slice(1) } : {};
    add(kind, {
      [kind.identity]: name,
      ...(kind.variant && { [kind.variant.field]: kind.variant.value }),
      ...change,
      ...fewer,
      ...boundTo(kind),
    });
  }
  return { version: 1, ...lists };
}

/** The export with its secrets declared, and a value for each variable. */
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

/** The records of which something could not be declared. */
function leftOutIn(said: string): string[] {
  const blocks = said.matchAll(/^(?:warning|error): ([^]*?)\n\n/gm);
  return Array.from(blocks, ([, words = '']) => words.match(/one-of-\w+/g) ?? [words]).flat();
}

/** Whether nobody knows what the service makes of fields that a create leaves out: the sandbox leaves them empty. */
function isUnrecorded(release: SandboxRelease, name: string): boolean {
  const of = kinds.filter((kind) => name === nameFor(kind));
  return of.some((kind) => recordedOf(release, writtenType(kind, release)).defaults === undefined);
}

function nameFor({ variant, type }: Kind): string {
  return `one-of-${variant?.value ?? type}`;
}

const releases = sandboxReleases.filter(
  (release, index) => inFull || index === 0 || release === sandboxReleases.at(-1),
);
const cases = releases.flatMap((release) =>
  Array.from({ length: times({ short: 3, full: 40 }) }, (_, index) => ({ release, index })),
);

test.each(cases)(
  'an export of a random instance is in sync with it, and builds the same in a fresh service: $release, seed $index',
  async ({ release, index }) => {
    const world = new World(seed, release);
    await applied(world, JSON.stringify(instance(world, release, seededRandom(index))));
    const { text, said } = await exported(world);
    expect(leftOutIn(said).filter((name) => !isUnrecorded(release, name))).toEqual([]);
    await expectNoChanges(world, text);
    const whole = withSecrets(text);
    const other = new World(seed, release);
    await applied(other, whole.text, whole.values);
    await expectNoChanges(other, whole.text, whole.values);
    expect((await exported(other)).text).toBe(text);
  },
);

test('every secret and write-only field is a comment with its variable, and in the list of values to set', async () => {
  const release = '2026.8';
  const world = new World(seed, release);
  const entries = createdKinds
    .filter((kind) => isIn(kind, release))
    .map((kind) => ({ kind, entry: leastEntry(kind, nameFor(kind), world.sandbox, release) }));
  const lists = new Map(entries.map(({ kind: { list } }) => [list, [] as JsonValue[]]));
  for (const { kind, entry } of entries) lists.get(kind.list)?.push(entry);
  await applied(world, JSON.stringify({ version: 1, ...Object.fromEntries(lists) }));
  const { text, said } = await exported(world);
  const remark = said.replaceAll(/\s+/g, ' ');
  let fields = 0;
  for (const { kind } of entries)
    for (const [field, { isSecret, isWriteOnly, isInstruction }] of Object.entries(kind.fields)) {
      const held = world.sandbox.record(writtenType(kind, release), nameFor(kind))?.[field];
      if (isInstruction || !(isSecret || isWriteOnly) || (held === '' && !isWriteOnly)) continue;
      const variable = variableFor(nameFor(kind), field);
      expect(text, `${kind.path} ${field}`).toContain(`    # ${field}: \${env:${variable}}\n`);
      expect(remark).toMatch(new RegExp(`set: .*\\b${variable}\\b`));
      fields += 1;
    }
  expect(fields).toBeGreaterThan(20);
  expect(remark).toContain('--resend ADDRESS');
});
