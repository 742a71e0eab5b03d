import { describe, expect, test } from 'vitest';
import { parseJson, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { done, runIn, type Ran } from '../support/manifest-run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { otherClient } from '../support/other-client.ts';
import { outcomesIn, World, type Tamper } from '../support/update-world.ts';

type Bindings = NonNullable<SandboxSeed['bindings']>;
type Application = NonNullable<SandboxSeed['applications']>[number];

/** A service after a run that was killed in the middle of its create. */
function worldWith(bindings: Bindings, more: Partial<Application> = {}): World {
  return new World({
    groups: [{ name: 'staff' }, { name: 'guests' }],
    providers: [{ pk: 7, name: 'Wiki', type: 'oauth2' }],
    applications: [{ slug: 'wiki', name: 'Wiki', ...more }],
    bindings,
  });
}

const wiki = (more: string): string => `version: 1
applications:
  - { slug: wiki, name: Wiki, access: { groups: [{ name: staff }, { name: guests }] }${more} }
`;
const withProvider = wiki(', provider: 7');
const staff = { application: 'wiki', group: 'staff' };
const guests = { application: 'wiki', group: 'guests' };

function ran(world: World, command: typeof apply, text: string, options: object = {}): Promise<Ran> {
  return runIn(command, world.run(text, { ROLLCALL_CAPABILITIES: 'update' }), options);
}

describe.each([
  ['no bindings and no provider', [], withProvider],
  ['one of two bindings and no provider', [staff], withProvider],
  ['all bindings and no provider', [staff, guests], withProvider],
  ['no bindings, and without a declared provider', [], wiki('')],
] satisfies [string, Bindings, string][])('an application with %s', (_, bindings, text) => {
  test('is reported as unfinished by an apply without permission to update, with advice to give --allow update', async () => {
    const world = worldWith(bindings);
    const { ending, stdout } = await ran(world, apply, text);
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('x application.wiki  unfinished');
    expect(stdout).toContain('not yet as declared');
    expect(stdout).toContain('--allow update');
    expect(stdout).toContain('Apply incomplete!');
    expect(world.writes()).toEqual([]);
    const json = await ran(world, apply, text, { output: 'json' });
    expect(outcomesIn(json.stdout)).toMatchObject([{ outcome: 'unfinished', attempts: 0 }]);
  });

  test('leaves a plan incomplete if the run may not update, even with --detailed-exitcode', async () => {
    const world = worldWith(bindings);
    for (const detailedExitcode of [false, true]) {
      const { ending, stdout, stderr } = await ran(world, plan, text, { detailedExitcode });
      expect(ending).toBe('incomplete');
      expect(stdout).toContain('! application.wiki is unfinished');
      expect(stderr).toContain('1 resource is unfinished, which needs --allow update');
    }
    expect((await ran(world, plan, text, { failOn: ['differs'] })).ending).toBe('changes');
    const compact = await ran(world, plan, text, { compact: true });
    expect(compact.stdout).toMatch(/! application\.wiki is unfinished in /);
    const json = await ran(world, plan, text, { output: 'json' });
    expect(schemaErrors('plan', parseJson(json.stdout))).toEqual([]);
    expect(parseJson(json.stdout)).toMatchObject({ resource_changes: [{ unfinished: true }] });
  });

  test.each([
    ['the entry is new', 'version: 1\n', 'is a new entry; its record is unfinished: '],
    ['the entry is altered', text.replace('Wiki', 'Old'), 'is altered; the record is unfinished: '],
    ['the entry is the same', text, '1 unfinished'],
  ])('is called unfinished by a plan with a baseline if %s', async (__, before, words) => {
    const captured = worldWith(bindings).run(text, {}, { past: { 'm.yaml': before } });
    const { stdout, written } = await runIn(plan, captured, { baseline: '.before', report: ['github=g'] });
    expect(stdout).toContain(words);
    expect(stdout).toContain('1 unfinished, 0 differ,');
    expect(`${stdout}${written.get('g')}`).not.toContain('differs ');
  });

  test('is finished by a run with permission to update', async () => {
    const world = worldWith(bindings);
    await done(ran(world, apply, text, { allow: ['update'] }));
    expect((await ran(world, plan, text)).stdout).toContain('No changes.');
  });
});

test.each([
  ['it has a provider', worldWith([], { provider: 7 }), withProvider],
  [
    'its bindings are complete, and no provider is declared',
    worldWith([staff, guests], { name: 'Old' }),
    wiki(''),
  ],
  ['some bindings are missing, and no provider is declared', worldWith([staff]), wiki('')],
  ['another group is bound than the declared', worldWith([staff]), wiki('').replace('{ name: staff }, ', '')],
  ['it is declared open to everyone', worldWith([staff]), wiki('').replace(/\{ groups.*\] \}/, 'everyone')],
])('an application is reported as different, not as unfinished, if %s', async (_, world, text) => {
  const { ending, stdout } = await ran(world, apply, text);
  expect(stdout).toContain('differs and is left unchanged');
  expect(ending).toBe('done');
});

describe('a record that the plan creates, and that appears before its create ends,', () => {
  const text = `version: 1
groups: [{ name: staff }]
policies: [{ type: expression, name: vpn, expression: return False }]
stages: [{ type: consent, name: asks, mode: always_require }]
flows:
  - { slug: authz, name: F, title: F, designation: authorization, stages: [{ stage: { name: asks }, order: 0 }], policies: [{ group: { name: staff }, order: 0 }] }
providers: [{ type: oauth2, name: P, authorization_flow: { slug: authz }, invalidation_flow: { slug: authz }, redirect_uris: [], grant_types: [] }]
applications: [{ slug: a, name: A, provider: { name: P }, policies: [{ policy: { name: vpn }, order: 0 }] }]
`;
  const flow = { slug: 'authz', name: 'F', title: 'F', designation: 'authorization' };
  const rule = (expression: string, more = {}): JsonObject => ({ name: 'vpn', expression, ...more });
  const lostFlow: Tamper = ({ method, path }, answer) => {
    if (method !== 'POST' || !path.endsWith('/flows/instances/')) return answer();
    answer();
    return lost;
  };
  const rival =
    (list: string, body: JsonObject) =>
    (world: World): Tamper =>
    ({ method, path }, answer) => {
      if (method === 'POST' && path.endsWith(list)) otherClient(world.sandbox).create(list, body);
      return answer();
    };

  test.each<[string, string, (world: World) => Tamper]>([
    ['flow.authz', 'its answer was lost, and its bindings are missing', () => lostFlow],
    ['flow.authz', 'somebody else created it without bindings', rival('/flows/instances/', flow)],
    [
      'policy.vpn',
      'somebody else created it with another rule',
      rival('/policies/expression/', rule('return True')),
    ],
  ])('%s, is unfinished, and nothing relies on it: %s', async (address, _, tamper) => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    world.tamper = tamper(world);
    const { ending, stdout } = await ran(world, apply, text);
    expect([ending, stdout]).toEqual(['incomplete', expect.stringContaining(`x ${address}  unfinished`)]);
    expect(stdout).toContain(`${address}: it is unfinished: `);
    expect(stdout).toContain(
      '. application.a  not attempted: a resource that it depends on is missing, or not as declared',
    );
    expect(otherClient(world.sandbox).record('application', 'a')).toBeUndefined();
    world.tamper = (_request, answer) => answer();
    await done(ran(world, apply, text, { allow: ['update'] }));
    expect((await ran(world, plan, text)).stdout).toContain('No changes.');
  });

  test.each([
    ['exists', 'somebody else has created it', 'e'],
    ['rejected', 'the service refuses it for another reason', 'other'],
  ])('within its parent, ends as %s if %s', async (outcome, _, name) => {
    const world = new World({ applications: [{ slug: 'wiki', name: 'Wiki' }] }, '2026.2');
    const app = otherClient(world.sandbox).pk('application', 'wiki') ?? null;
    const list = '/core/application_entitlements/';
    world.tamper = ({ method, path }, answer) => {
      if (method !== 'POST' || !path.endsWith(list)) return answer();
      otherClient(world.sandbox).create(list, { name, app });
      return name === 'e' ? answer() : answered(400, { non_field_errors: ['No.'] });
    };
    const entitlement = 'version: 1\nentitlements: [{ name: e, app: { slug: wiki } }]\n';
    const { stdout } = await ran(world, apply, entitlement, { output: 'json' });
    expect(outcomesIn(stdout)).toMatchObject([{ outcome }]);
  });

  test('leaves out the reference to it that would be set later', async () => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    const circle = `version: 1
stages: [{ type: password, name: pw, backends: [authentik.core.auth.InbuiltBackend], configure_flow: { slug: authz } }]
flows: [{ slug: authz, name: F, title: F, designation: stage_configuration, stages: [{ stage: { name: pw }, order: 0 }] }]
`;
    const other = { ...flow, designation: 'stage_configuration' };
    world.tamper = rival('/flows/instances/', other)(world);
    const { ending, stdout } = await ran(world, apply, circle);
    expect([ending, stdout]).toEqual(['incomplete', expect.stringContaining('x stage.pw  unfinished')]);
    expect(otherClient(world.sandbox).record('/stages/password/', 'pw')).toMatchObject({
      configure_flow: null,
    });
  });

  test('but differs in another field, is left, and nothing relies on it', async () => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    const members =
      'version: 1\nusers: [{ username: u, name: U, is_active: false }]\napplications: [{ slug: a, name: A, access: { users: [{ name: u }] } }]\n';
    world.tamper = rival('/core/users/', { username: 'u', name: 'U', is_active: true })(world);
    const { ending, stdout } = await ran(world, apply, members);
    expect([ending, stdout]).toEqual([
      'incomplete',
      expect.stringContaining('= user.u  exists already, and differs in is_active'),
    ]);
    expect(stdout).toContain(
      '. application.a  not attempted: a resource that it depends on is missing, or not as declared',
    );
    expect(stdout).toContain('1 there already, but differing, 1 not attempted.');
    expect(stdout).toContain('it is left unchanged. Plan again to see the differences.');
    expect(otherClient(world.sandbox).record('application', 'a')).toBeUndefined();
  });
});

test.each(['name', 'id'])(
  'a plan notes that a new record waits for the unfinished record to which it refers by %s',
  async (by) => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    const others = otherClient(world.sandbox);
    others.create('/flows/instances/', { slug: 'f', name: 'F', title: 'F', designation: 'authorization' });
    const reference = by === 'name' ? '{ slug: f }' : String(others.pk('/flows/instances/', 'f'));
    const text = `version: 1
stages: [{ type: consent, name: asks, mode: always_require }]
flows: [{ slug: f, name: F, title: F, designation: authorization, stages: [{ stage: { name: asks }, order: 0 }] }]
providers: [{ type: saml, name: P, authorization_flow: ${reference}, invalidation_flow: ${reference}, acs_url: 'https://a.example/acs' }]
`;
    const { ending, stdout } = await ran(world, plan, text);
    expect(ending).toBe('incomplete');
    expect(stdout.match(/note {2}is not created while flow\.f is unfinished/g)).toHaveLength(1);
    expect(await ran(world, apply, text)).toMatchObject({
      stdout: expect.stringContaining('. provider.P  not attempted') as string,
    });
  },
);

test('a plan without changes notes a login flow that undeclared policies have opened', async () => {
  const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
  const login = (guard: string): string => `version: 1
policies: [{ type: dummy, name: never, result: false }]
stages:
  - { type: identification, name: who, user_fields: [username] }
  - { type: password, name: pw, backends: [authentik.core.auth.InbuiltBackend] }
  - { type: user_login, name: enter }
flows:
  - { slug: door, name: D, title: D, designation: authentication, stages: [{ stage: { name: who }, order: 0 }, { stage: { name: pw }, order: 1${guard} }, { stage: { name: enter }, order: 2 }] }
`;
  const opened = login(', policies: [{ policy: { name: never }, order: 0 }]');
  await done(ran(world, apply, opened, { allow: ['open-login'] }));
  const { stdout } = await done(ran(world, plan, login('')));
  expect(stdout).toContain('No changes.');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'flow.door: anyone who enters a user name can log in: the stage "pw" is skipped because of "never".',
  );
});
