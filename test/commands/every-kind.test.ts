import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import { laterParameters, unknownIn } from '../service-api/requests.ts';
import { certificates } from '../support/pem.ts';
import { capture } from '../support/run.ts';
import { World } from '../support/update-world.ts';
import { anyChangeOf, createdKinds, existsIn, smallestEntry, listPathIn } from '../support/written-type.ts';
import { someReleases } from '../support/effort.ts';
import { otherClient } from '../support/other-client.ts';

const capabilities = ['update', 'delete'];

/** Changes of fields that no answer shows, by path. */
const ownChanges: Readonly<Record<string, JsonObject>> = {
  '/crypto/certificatekeypairs/': { certificate_data: certificates.two },
};

interface Case {
  readonly kind: (typeof createdKinds)[number];
  /** The path of the kind's list in the release. */
  readonly type: string;
  readonly name: string;
  readonly entry: JsonObject;
}

/** Every kind, on the oldest and on the newest release that has it. */
const releases = new Map<SandboxRelease, (typeof createdKinds)[number][]>();
for (const kind of createdKinds) {
  const having = sandboxReleases.filter((release) => existsIn(kind, release));
  for (const release of new Set([having.at(0), having.at(-1)]))
    if (release !== undefined) releases.set(release, [...(releases.get(release) ?? []), kind]);
}

describe.each([...releases])('on release %s', (release, ownKinds) => {
  const world = new World(
    { tokens: [{ token: 'sandbox-token', superuser: true }], is_licensed: true },
    release,
  );
  const cases = ownKinds.map((kind, index): Case => {
    const name = `one${index}`;
    // Some texts have to be unique, and records to which others refer have such texts too.
    const own = Object.entries(smallestEntry(kind, name, world.sandbox, release));
    const entry = Object.fromEntries(own.map(([field, value]) => [field, value === 'x' ? name : value]));
    return { kind, type: listPathIn(kind, release), name, entry };
  });
  const env = {
    ROLLCALL_CAPABILITIES: capabilities.join(),
    SECRET: 'canary-of-a-secret',
    SECRET_JSON: '{"key": "canary-of-a-secret"}',
  };

  /** Applies an entry of each kind, and returns the writes by kind. Expects that a plan then has no changes. */
  const run = async (entryOf: (one: Case) => JsonObject, some = cases): Promise<Record<string, string[]>> => {
    const lists: Record<string, JsonObject[]> = {};
    for (const one of some) (lists[one.kind.list] ??= []).push(entryOf(one));
    const text = JSON.stringify({ version: 1, ...lists });
    const before = world.requests.length;
    const applied = world.run(text, env);
    const options = { output: 'text', yes: true, allow: capabilities, maxDeletes: '1000' } as const;
    expect(await apply(['m.yaml'], options, applied.context), applied.stderr() + applied.stdout()).toBe(
      'done',
    );
    const sent = world.requests.slice(before).filter(({ method }) => !/^(?:GET|OPTIONS|HEAD)$/.test(method));
    const planned = world.run(text, env);
    const again = { output: 'text', detailedExitcode: true } as const;
    expect(await plan(['m.yaml'], again, planned.context), planned.stdout()).toBe('done');
    const byKind = some.map(({ type }): [string, string[]] => {
      const own = sent.filter(({ path }) => path.startsWith(`/api/v3${type}`));
      return [type, own.map(({ method }) => method)];
    });
    expect(byKind.flatMap(([, methods]) => methods)).toHaveLength(sent.length);
    return Object.fromEntries(byKind);
  };
  const ofEach = (methods: (one: Case) => string[], some = cases): Record<string, string[]> =>
    Object.fromEntries(some.map((one) => [one.type, methods(one)]));
  const held = ({ type }: Case, name: string): JsonObject | undefined =>
    otherClient(world.sandbox).record(type, name);
  const idOf = (one: Case, name: string): JsonValue => {
    const { family, formerPath } = one.kind;
    const id = formerPath?.path.endsWith(one.type) ? (formerPath.id ?? family.id) : family.id;
    return held(one, name)?.[id] ?? null;
  };

  test('a record of each kind is created, found in sync, changed, renamed, exported and deleted', async () => {
    // If 2023.10 refuses the new form of a body, the former form is sent at once.
    const isSentTwice = ({ kind }: Case): boolean =>
      release === '2023.10' && kind.fields['redirect_uris'] !== undefined;
    expect(await run(({ entry }) => entry)).toEqual(
      ofEach((one) => (isSentTwice(one) ? ['POST', 'POST'] : ['POST'])),
    );
    for (const one of cases) expect(held(one, one.name)).toMatchObject({ [one.kind.identity]: one.name });
    expect(await run(({ entry }) => entry)).toEqual(ofEach(() => []));

    const changes = new Map(
      cases.map((one) => [
        one,
        ownChanges[one.type] ?? anyChangeOf(one.kind, release, held(one, one.name) ?? {}),
      ]),
    );
    const changed = (one: Case): JsonObject => ({ ...one.entry, ...changes.get(one) });
    expect(await run(changed)).toEqual(
      ofEach((one) => (Object.keys(changes.get(one) ?? {}).length > 0 ? ['PATCH'] : [])),
    );

    const renamable = cases.filter(({ kind }) => kind.fields['formerly'] !== undefined);
    const renamed = (one: Case): string => one.name.replace('one', 'two');
    const ids = renamable.map((one) => idOf(one, one.name));
    const rename = (one: Case): JsonObject => ({
      ...changed(one),
      [one.kind.identity]: renamed(one),
      formerly: one.name,
    });
    expect(await run(rename, renamable)).toEqual(ofEach(() => ['PATCH'], renamable));
    expect(renamable.map((one) => idOf(one, renamed(one)))).toEqual(ids);

    const { context, stdout } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    const target = renamable.map(
      (one) => `${one.kind.type}.${one.kind.scope === undefined ? '' : '*/'}${renamed(one)}`,
    );
    await exportManifests({ output: 'yaml', target }, context);
    for (const one of renamable) expect(stdout()).toContain(`${one.kind.identity}: ${renamed(one)}\n`);
    const planned = world.run(stdout());
    const whole = { output: 'text', detailedExitcode: true } as const;
    expect(await plan(['m.yaml'], whole, planned.context), planned.stderr() + planned.stdout()).toBe('done');

    const absent = ({ kind, entry, ...one }: Case): JsonObject => ({
      [kind.identity]: one.name.replace('one', 'two'),
      ...(kind.variant && { [kind.variant.field]: kind.variant.value }),
      ...(kind.scope !== undefined && { [kind.scope]: entry[kind.scope] ?? null }),
      state: 'absent',
    });
    expect(await run(absent, renamable)).toEqual(ofEach(() => ['DELETE'], renamable));
    expect(renamable.filter((one) => held(one, renamed(one)))).toEqual([]);
  });

  test('each kind uses only paths that the release has', () => {
    const unknown = world.requests.flatMap((request) => unknownIn(release, request));
    // Lifecycle rules are the only records without a `used_by` path in the API. The service cannot report their dependents, so
    // their delete is not sent.
    const missing = unknown.filter((one) => !/^GET \/lifecycle\/rules\/[^/]+\/used_by\/$/.test(one));
    expect(missing.filter((one) => !Object.hasOwn(laterParameters, one.split('?')[1] ?? ''))).toEqual([]);
  });
});

test.each(someReleases(sandboxReleases))(
  'a role is created before the group that refers to it: %s',
  async (release) => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] }, release);
    const { context, stdout } = world.run(
      'version: 1\ngroups: [{ name: staff-of-wiki, roles: [{ name: writers }] }]\nroles: [{ name: writers }]\n',
    );
    expect(await apply(['m.yaml'], { output: 'text', yes: true }, context), stdout()).toBe('done');
    const { pk } = otherClient(world.sandbox).record('role', 'writers') ?? {};
    expect(otherClient(world.sandbox).record('group', 'staff-of-wiki')).toMatchObject({ roles: [pk] });
  },
);

test('a name too long for earlier releases is an error only for these releases', async () => {
  const { context, stderr } = new World(undefined, '2023.10').run(
    `version: 1\nroles: [{ name: ${'a'.repeat(151)} }]\n`,
  );
  await plan(['m.yaml'], { output: 'text' }, context).catch(() => {});
  expect(stderr()).toContain('refuses this name, like all releases before 2026.2');
});
