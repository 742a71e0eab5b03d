import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import type { WrittenType } from '../../src/sandbox/all.ts';
import { unknownIn } from '../service-api/requests.ts';
import { certificates } from '../support/pem.ts';
import { capture } from '../support/run.ts';
import { World } from '../support/update-world.ts';
import { leastEntry, writtenType } from '../support/written-type.ts';

/** A field of each, and another value of it; of some, a name is all that there is. */
const changes: Readonly<Record<WrittenType, JsonObject>> = {
  certificate: { certificate_data: certificates.two },
  role: {},
  provider_scope: { expression: 'return {"name": request.user.name}' },
  group: { attributes: { team: 'x' } },
  outpost: { config: { log_level: 'debug' } },
  application: { meta_publisher: 'Example' },
  user: { email: 'a@example.com' },
  oauth2: { access_code_validity: 'minutes=2' },
  proxy: { external_host: 'https://y.example.com' },
};

/** Those that earlier releases ignore. */
const laterParameters = new Set(kinds.flatMap(({ changes: all }) => all.map(({ parameter }) => parameter)));

const capabilities = ['update', 'delete'];

describe.each([sandboxReleases[0], ...sandboxReleases.slice(-1)])('release %s', (release: SandboxRelease) => {
  test.each(kinds.map((kind) => ({ type: writtenType(kind), kind })))(
    'a record of the kind $type is created, left alone, changed, renamed, exported and deleted',
    async ({ type, kind }) => {
      const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] }, release);
      const run = async (entry: JsonObject): Promise<string[]> => {
        const text = JSON.stringify({ version: 1, [kind.list]: [entry] });
        const env = { ROLLCALL_CAPABILITIES: capabilities.join() };
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
      const entry = leastEntry(kind, 'one');
      // What 2023.10 refuses as none of its forms is sent once more in that.
      const former = release === '2023.10' && Object.values(kind.fields).some(({ form }) => form);
      expect(await run(entry)).toEqual(former ? ['POST', 'POST'] : ['POST']);
      expect(world.sandbox.record(type, 'one')).toMatchObject({ [kind.identity]: 'one' });
      expect(await run(entry)).toEqual([]);
      const changed = { ...entry, ...changes[type] };
      expect(await run(changed)).toEqual(Object.keys(changes[type]).length > 0 ? ['PATCH'] : []);
      const { pk } = world.sandbox.record(type, 'one') ?? {};
      if (kind.fields['formerly'] === undefined) return;
      const renamed = { ...changed, [kind.identity]: 'two', formerly: 'one' };
      expect(await run(renamed)).toEqual(['PATCH']);
      expect(world.sandbox.record(type, 'two')).toMatchObject({ pk });
      const { context, stdout } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
      await exportManifests({ output: 'yaml', target: [`${kind.type}.two`] }, context);
      expect(stdout()).toContain(`${kind.identity}: two`);
      const planned = world.run(stdout());
      expect(await plan(['m.yaml'], { output: 'text', detailedExitcode: true }, planned.context)).toBe(
        'done',
      );
      const named = { [kind.identity]: 'two', ...(kind.sort && { [kind.sort.field]: kind.sort.value }) };
      expect(await run({ ...named, state: 'absent' })).toEqual(['DELETE']);
      expect(world.sandbox.record(type, 'two')).toBeUndefined();
      const unknown = world.requests.flatMap((request) => unknownIn(release, request));
      expect(unknown.filter((one) => !laterParameters.has(one.split('?')[1]))).toEqual([]);
    },
  );
});

test.each(sandboxReleases)('a role comes before the group that names it: %s', async (release) => {
  const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] }, release);
  const { context, stdout } = world.run(
    'version: 1\ngroups: [{ name: staff-of-wiki, roles: [{ name: writers }] }]\nroles: [{ name: writers }]\n',
  );
  expect(await apply(['m.yaml'], { output: 'text', yes: true }, context), stdout()).toBe('done');
  const { pk } = world.sandbox.record('role', 'writers') ?? {};
  expect(world.sandbox.record('group', 'staff-of-wiki')).toMatchObject({ roles: [pk] });
});

test('a name that is longer than earlier releases take is an error for those alone', async () => {
  const { context, stderr } = new World(undefined, '2023.10').run(
    `version: 1\nroles: [{ name: ${'a'.repeat(151)} }]\n`,
  );
  await plan(['m.yaml'], { output: 'text' }, context).catch(() => {});
  expect(stderr()).toContain('before 2026.2 refuse this name');
});
