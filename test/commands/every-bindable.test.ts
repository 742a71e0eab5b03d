import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { kinds } from '../../src/kinds/all.ts';
import { childFields } from '../../src/kinds/bindings.ts';
import { policyBindings } from '../../src/kinds/policy-bindings.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { capture } from '../support/run.ts';
import { World } from '../support/update-world.ts';
import { existsIn, smallestEntry, listPathIn } from '../support/written-type.ts';
import { someOf } from '../support/effort.ts';

const capabilities = ['update', 'delete'];

/** Every kind to which policies can be bound, on the oldest and on the newest release that has the kind. */
const cases = kinds
  .filter((kind) => childFields(kind).some(([, children]) => children === policyBindings))
  .flatMap((kind) => {
    const having = sandboxReleases.filter((release) => existsIn(kind, release));
    return [...new Set([having.at(0), having.at(-1)])].flatMap((release) =>
      release === undefined ? [] : [{ release, type: listPathIn(kind, release), kind }],
    );
  });

test('policies can be bound to every type that the facts call bindable', () => {
  expect(new Set(cases.map(({ kind }) => kind.list))).toEqual(
    new Set([
      'flows',
      'sources',
      'rac_endpoints',
      'device_access_groups',
      'applications',
      'entitlements',
      'event_rules',
      'request_rules',
    ]),
  );
});

test.each(someOf(cases, 3))(
  'release $release: bindings of a $type are created, changed, deleted and exported',
  async ({ release, kind }) => {
    const world = new World(
      { tokens: [{ token: 'sandbox-token', superuser: true }], is_licensed: true },
      release,
    );
    const run = async (policies: readonly JsonObject[]): Promise<readonly unknown[]> => {
      const text = JSON.stringify({
        version: 1,
        groups: [{ name: 'bound' }, { name: 'decides' }],
        policies: [{ type: 'dummy', name: 'decides' }],
        [kind.list]: [{ ...smallestEntry(kind, 'one', world.sandbox, release), policies }],
      });
      const env = {
        ROLLCALL_CAPABILITIES: capabilities.join(),
        SECRET: 'canary',
        SECRET_JSON: '{"key": "canary"}',
      };
      const before = world.requests.length;
      const applied = world.run(text, env);
      const options = { output: 'text', yes: true, allow: capabilities } as const;
      expect(await apply(['m.yaml'], options, applied.context), applied.stderr() + applied.stdout()).toBe(
        'done',
      );
      const planned = world.run(text, env);
      const again = { output: 'text', detailedExitcode: true } as const;
      expect(await plan(['m.yaml'], again, planned.context), planned.stdout()).toBe('done');
      return world.requests
        .slice(before)
        .filter(({ method, path }) => method !== 'GET' && path.includes('/policies/bindings/'))
        .map(({ method }) => method);
    };
    // The service refuses policies for entitlements.
    const bound = kind.fields['policies']?.checks ? 'group' : 'policy';
    const decides = { [bound]: { name: 'decides' }, order: 1 };
    expect(await run([decides, { group: { name: 'bound' }, order: 2, enabled: false }])).toEqual([
      'POST',
      'POST',
    ]);
    const { context, stdout } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    await exportManifests({ output: 'yaml', target: [`${kind.type}.*one`] }, context);
    expect(stdout()).toContain(`- { ${bound}: { name: decides }, order: 1 }`);
    expect(stdout()).toContain('- { group: { name: bound }, order: 2, enabled: false }');
    expect(await run([{ ...decides, negate: true }])).toEqual(['PATCH', 'DELETE']);
  },
);

test.each(
  someOf(
    cases.filter(({ kind }) => kind.list === 'sources'),
    2,
  ),
)(
  'release $release: a source of the type $type is created disabled, and enabled after its bindings',
  async ({ release, kind }) => {
    const world = new World(
      { tokens: [{ token: 'sandbox-token', superuser: true }], is_licensed: true },
      release,
    );
    const entry = {
      ...smallestEntry(kind, 'one', world.sandbox, release),
      enabled: true,
      policies: [{ group: { name: 'bound' }, order: 1 }],
    };
    const text = JSON.stringify({ version: 1, groups: [{ name: 'bound' }], sources: [entry] });
    const before = world.requests.length;
    const applied = world.run(text, { SECRET: 'canary', SECRET_JSON: '{"key": "canary"}' });
    const ending = await apply(['m.yaml'], { output: 'text', yes: true }, applied.context);
    expect(ending, applied.stdout() + applied.stderr()).toBe('done');
    const sent = world.requests
      .slice(before)
      .filter(({ method, path }) => method !== 'GET' && !path.includes('/groups/'))
      .map(({ method, body = '' }) => `${method} ${/"enabled":\w+/.exec(body)?.[0]}`);
    expect(sent).toEqual(['POST "enabled":false', 'POST "enabled":true', 'PATCH "enabled":true']);
  },
);

const superuser = { tokens: [{ token: 'sandbox-token', superuser: true }], is_licensed: true };

test.each(someOf(cases, 3))(
  'release $release: a group in the only binding of a $type is deleted only together with the bound record, unless nobody can then open it',
  async ({ release, kind }) => {
    const world = new World(superuser, release);
    const env = {
      ROLLCALL_CAPABILITIES: capabilities.join(),
      SECRET: 'canary',
      SECRET_JSON: '{"key": "canary"}',
    };
    const run = async (manifest: JsonObject): Promise<string> => {
      const { context, stdout } = world.run(JSON.stringify({ version: 1, ...manifest }), env);
      await apply(['m.yaml'], { output: 'text', yes: true, allow: capabilities }, context);
      return stdout();
    };
    const entry = smallestEntry(kind, 'one', world.sandbox, release);
    const { family, variant, identity, bindable } = kind;
    for (const negate of [false, true]) {
      const policies = [{ group: { name: 'bound' }, order: 1, negate }];
      const bound = { groups: [{ name: 'bound' }], [kind.list]: [{ ...entry, policies }] };
      await run(bound);
      const left = await run({ groups: [{ name: 'bound', state: 'absent' }] });
      const of = `the ${family.type.replaceAll('_', ' ')} ${JSON.stringify(entry[identity])}`;
      expect(left).toContain(
        bindable?.isClosedUnbound
          ? `nobody can open ${of} any more`
          : `everyone could then open ${of}, because the service would also delete the last binding that keeps it closed`,
      );
      if (bindable?.isClosedUnbound) await run(bound);
    }
    const scope = Object.fromEntries(
      Object.entries(entry).filter(([field]) => [identity, variant?.field, kind.scope].includes(field)),
    );
    const both = await run({
      groups: [{ name: 'bound', state: 'absent' }],
      [family.list]: [{ ...scope, state: 'absent' }],
    });
    expect(both).toContain('2 destroyed');
  },
);
