import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { laterParameters, unknownIn } from '../service-api/requests.ts';
import { certificates } from '../support/pem.ts';
import { capture } from '../support/run.ts';
import { World } from '../support/update-world.ts';
import { changeOf, createdKinds, isIn, leastEntry, writtenType } from '../support/written-type.ts';
import { someReleases } from '../support/effort.ts';

const capabilities = ['update', 'delete'];

/** Changes of what no answer shows. */
const ownChanges: Readonly<Record<string, JsonObject>> = {
  '/crypto/certificatekeypairs/': { certificate_data: certificates.two },
};

/** Each kind, on the oldest and the newest release that has it. */
const cases = createdKinds.flatMap((kind) => {
  const having = sandboxReleases.filter((release) => isIn(kind, release));
  const some = new Set([having.at(0), having.at(-1)]);
  return [...some].flatMap((release) =>
    release === undefined ? [] : [{ release, type: writtenType(kind, release), kind }],
  );
});

describe('release', () => {
  test.each(cases)(
    '$release: a record of the kind $type is created, left alone, changed, renamed, exported and deleted',
    async ({ release, type, kind }) => {
      const world = new World(
        { tokens: [{ token: 'sandbox-token', superuser: true }], is_licensed: true },
        release,
      );
      const run = async (entry: JsonObject): Promise<string[]> => {
        const text = JSON.stringify({ version: 1, [kind.list]: [entry] });
        const env = {
          ROLLCALL_CAPABILITIES: capabilities.join(),
          SECRET: 'canary-of-a-secret',
          SECRET_JSON: '{"key": "canary-of-a-secret"}',
        };
        const before = world.writes().length;
        const applied = world.run(text, env);
        const options = { output: 'text', yes: true, allow: capabilities } as const;
        expect(await apply(['m.yaml'], options, applied.context), applied.stderr() + applied.stdout()).toBe(
          'done',
        );
        const planned = world.run(text, env);
        const again = { output: 'text', detailedExitcode: true } as const;
        expect(await plan(['m.yaml'], again, planned.context), planned.stdout()).toBe('done');
        return world.requests
          .filter(({ method }) => !/^(?:GET|OPTIONS|HEAD)$/.test(method))
          .slice(before)
          .map(({ method }) => method);
      };
      const entry = leastEntry(kind, 'one', world.sandbox, release);
      // What 2023.10 refuses as none of its forms is sent once more in that.
      const former = release === '2023.10' && kind.fields['redirect_uris'];
      expect(await run(entry)).toEqual(former ? ['POST', 'POST'] : ['POST']);
      expect(world.sandbox.record(type, 'one')).toMatchObject({ [kind.identity]: 'one' });
      expect(await run(entry)).toEqual([]);
      const change = ownChanges[type] ?? changeOf(kind, release, world.sandbox.record(type, 'one') ?? {});
      const changed = { ...entry, ...change };
      expect(await run(changed)).toEqual(Object.keys(change).length > 0 ? ['PATCH'] : []);
      const { family, formerPath } = kind;
      const id = formerPath?.path.endsWith(type) ? (formerPath.id ?? family.id) : family.id;
      const { [id]: pk } = world.sandbox.record(type, 'one') ?? {};
      if (kind.fields['formerly'] === undefined) return;
      const renamed = { ...changed, [kind.identity]: 'two', formerly: 'one' };
      expect(await run(renamed)).toEqual(['PATCH']);
      expect(world.sandbox.record(type, 'two')).toMatchObject({ [id]: pk });
      const { context, stdout } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
      await exportManifests(
        { output: 'yaml', target: [`${kind.type}.${kind.scope === undefined ? '' : '*/'}two`] },
        context,
      );
      expect(stdout()).toContain(`${kind.identity}: two`);
      const planned = world.run(stdout());
      const whole = { output: 'text', detailedExitcode: true } as const;
      expect(await plan(['m.yaml'], whole, planned.context), planned.stderr() + planned.stdout()).toBe(
        'done',
      );
      const named = {
        [kind.identity]: 'two',
        ...(kind.variant && { [kind.variant.field]: kind.variant.value }),
        ...(kind.scope !== undefined && { [kind.scope]: entry[kind.scope] }),
      };
      expect(await run({ ...named, state: 'absent' })).toEqual(['DELETE']);
      expect(world.sandbox.record(type, 'two')).toBeUndefined();
      const unknown = world.requests.flatMap((request) => unknownIn(release, request));
      // The API has no such path for these alone, so that a service refuses to say what depends on one, and the delete is not sent.
      const missing = unknown.filter((one) => !/^GET \/lifecycle\/rules\/[^/]+\/used_by\/$/.test(one));
      expect(missing.filter((one) => !Object.hasOwn(laterParameters, one.split('?')[1] ?? ''))).toEqual([]);
    },
  );
});

test.each(someReleases(sandboxReleases))(
  'a role comes before the group that names it: %s',
  async (release) => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] }, release);
    const { context, stdout } = world.run(
      'version: 1\ngroups: [{ name: staff-of-wiki, roles: [{ name: writers }] }]\nroles: [{ name: writers }]\n',
    );
    expect(await apply(['m.yaml'], { output: 'text', yes: true }, context), stdout()).toBe('done');
    const { pk } = world.sandbox.record('role', 'writers') ?? {};
    expect(world.sandbox.record('group', 'staff-of-wiki')).toMatchObject({ roles: [pk] });
  },
);

test('a name too long for earlier releases is an error only for those', async () => {
  const { context, stderr } = new World(undefined, '2023.10').run(
    `version: 1\nroles: [{ name: ${'a'.repeat(151)} }]\n`,
  );
  await plan(['m.yaml'], { output: 'text' }, context).catch(() => {});
  expect(stderr()).toContain('before 2026.2 refuse this name');
});
