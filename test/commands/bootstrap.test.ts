import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { isJsonList, parseJson, type JsonObject } from '../../src/base/json.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import type { Transport } from '../../src/service/transport.ts';
import { done, endOf, type Ran } from '../support/manifest-run.ts';
import { capture, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { sandboxHere } from '../support/sandbox-requests.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { someOf } from '../support/effort.ts';
import { otherClient } from '../support/other-client.ts';

const folder = new URL('../../examples/bootstrap/', import.meta.url);
const example: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
);

type Files = Readonly<Record<string, string>>;

function run(
  command: typeof plan | typeof apply,
  transport: Transport,
  files: Files,
  options: object = {},
  setup: Setup = {},
): Promise<Ran> {
  const captured = capture({
    url: 'https://id.example.com',
    clock: virtualClock(),
    transport,
    files,
    env: { ROLLCALL_TOKEN: 'a-token', GRAFANA_CLIENT_SECRET: 'a-secret-of-grafana' },
    ...setup,
  });
  const given = { output: 'text', yes: true, ...options } as const;
  return endOf(captured, (context) => command(Object.keys(files), given, context));
}

function empty(release: SandboxRelease): ReturnType<typeof sandboxHere> {
  return sandboxHere({ groups: [], providers: [], roles: [] }, release);
}

/** The notes about fields of the example that came with a later release. */
function leftOut(release: SandboxRelease): string {
  const note = (field: string, since: string, patch: string): string =>
    `Note: \`${field}\` of providers is left out: it came with release ${since}, and the service is ${patch}.\n`;
  const of = (patch: string): string => note('grant_types', '2026.5', patch);
  if (release === '2023.10') return of('2023.10.7') + note('invalidation_flow', '2024.10', '2023.10.7');
  return release === '2025.12' ? of('2025.12.4') : release === '2026.2' ? of('2026.2.2') : '';
}

test('a fresh service of release 2023.10 has no flow for invalidation_flow, and the example works without one', async () => {
  const { send } = empty('2023.10');
  const paths: string[] = [];
  const watched: Transport = (request) => {
    paths.push(request.path);
    return send(request);
  };
  const flows = await send({ method: 'GET', path: '/api/v3/flows/instances/' });
  expect(flows).toMatchObject({ body: expect.stringContaining('"default-invalidation-flow"') });
  expect(flows).toMatchObject({ body: expect.not.stringContaining('provider-invalidation-flow') });
  const { ending, stdout, stderr } = await run(apply, watched, example);
  expect([ending, stderr]).toEqual(['done', leftOut('2023.10')]);
  expect(stdout).toContain('10 created.');
  expect(paths.filter((path) => path.includes('provider-invalidation-flow'))).toEqual([]);
  expect((await run(plan, send, example)).stdout).toContain('No changes.');
});

test('a missing invalidation flow is an error from release 2024.10 on', async () => {
  const { send } = sandboxHere({ groups: [], flows: [] }, '2025.12');
  const { ending, stderr } = await run(apply, send, example);
  expect(ending).toBe('invalid');
  expect(stderr).toContain('there is no flow named "default-provider-invalidation-flow"');
});

test.each(someOf(sandboxReleases, 1))(
  'a number of digits may be written as a number or as a text: release %s',
  async (release) => {
    const { send } = sandboxHere({}, release);
    const manifest = (digits: string): Files => ({
      'm.yaml': `version: 1\nstages: [{ type: authenticator_totp, name: t, digits: ${digits} }]\n`,
    });
    expect(await run(apply, send, manifest('6'))).toMatchObject({ ending: 'done' });
    for (const digits of ['6', '"6"'])
      expect((await run(plan, send, manifest(digits))).stdout).toContain('No changes.');
    expect((await run(plan, send, manifest('8'))).stdout).toContain('1 differs');
  },
);

test('renamed fields reach an earlier release under their former names', async () => {
  const { send } = sandboxHere({}, '2023.10');
  const files = {
    'm.yaml': `version: 1
groups: [{ name: ops }]
property_mappings: [{ type: notification, name: body, expression: 'return {}' }]
transports: [{ name: hook, mode: webhook, webhook_url: https://hooks.example.com/, webhook_mapping_body: { name: body } }]
event_rules: [{ name: alerts, transports: [{ name: hook }], destination_group: { name: ops } }]
`,
  };
  expect(await run(apply, send, files)).toMatchObject({ ending: 'done', stderr: '' });
  const rule = await send({ method: 'GET', path: '/api/v3/events/rules/?name=alerts' });
  expect(rule).toMatchObject({
    body: expect.stringMatching(/"group_obj":\{"attributes":\{\},[^{}]*"name":"ops"/),
  });
  expect((await run(plan, send, files)).stdout).toContain('No changes.');
});

test('a reference in a field that the release does not have is an error, and no note says that it is left out', async () => {
  const { send } = sandboxHere({}, '2023.10');
  const entry = '{ name: hook, mode: webhook, webhook_mapping_headers: { name: none } }';
  const { ending, stderr } = await run(plan, send, { 'm.yaml': `version: 1\ntransports: [${entry}]\n` });
  expect([ending, stderr]).toEqual([
    'invalid',
    expect.stringContaining('ignores the field `webhook_mapping_headers`'),
  ]);
  expect(stderr).not.toContain('is left out');
});

describe.each(someOf(sandboxReleases, 1))('an empty service of release %s', (release) => {
  test('matches the whole example after one apply, and a second apply has no changes', async () => {
    const { send, sandbox } = empty(release);
    const first = await run(apply, send, example);
    expect([first.ending, first.stderr]).toEqual(['done', leftOut(release)]);
    expect(first.stdout).toContain('10 created.');
    expect(otherClient(sandbox).record('application', 'grafana')).toMatchObject({
      provider: otherClient(sandbox).pk('oauth2', 'Grafana'),
    });
    expect((await run(plan, send, example)).stdout).toContain('No changes.');
    const groups = otherClient(sandbox).record('user', 'alice')?.['groups_obj'];
    expect(groups).toMatchObject([{ name: 'Administrators', is_superuser: true }]);
  });
});

describe('a selection of resources', () => {
  const roll = `version: 1
groups:
  - name: staff
  - { name: admins, parents: [{ name: staff }] }
  - { name: aside }
users:
  - { username: alice, name: Alice, groups: [{ name: admins }] }
  - { username: bob, name: Bob }
`;
  const files = { 'm.yaml': roll };

  test('includes direct and indirect dependencies, and reports them', async () => {
    const { send, sandbox } = empty('2026.2');
    const { stdout } = await done(run(apply, send, files, { target: ['user.alice'] }));
    expect(stdout).toContain(
      'Only user.alice: 3 of the 5 declared resources. Among them are dependencies: group.admins, group.staff.',
    );
    expect(otherClient(sandbox).record('user', 'alice')?.['groups_obj']).toMatchObject([{ name: 'admins' }]);
    expect(otherClient(sandbox).record('group', 'aside')).toBeUndefined();
    expect(otherClient(sandbox).record('user', 'bob')).toBeUndefined();
  });

  test('is described in the JSON document of the plan, and the document matches the schema of plans', async () => {
    const { stdout } = await run(plan, empty('2026.2').send, files, {
      target: ['user.alice'],
      output: 'json',
    });
    const document = parseJson(stdout) as JsonObject; // rollcall prints a JSON object
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document['scope']).toMatchObject({ along: ['group.admins', 'group.staff'] });
  });

  test('does not include excluded dependencies, but requires that they exist in the service', async () => {
    const { send, sandbox } = empty('2026.2');
    const options = { target: ['user.alice'], exclude: ['group.*'] };
    const { ending, stderr } = await run(apply, send, files, options);
    expect(ending).toBe('invalid');
    expect(stderr).toContain('there is no group named "admins"');
    expect(otherClient(sandbox).record('user', 'alice')).toBeUndefined();
  });

  test('has all groups in the first shard, and no group in the other shards', async () => {
    const plans = await Promise.all(
      [1, 2, 3].map((index) =>
        run(plan, empty('2026.2').send, files, { shard: `${index}/3`, output: 'json', keepGoing: true }),
      ),
    );
    const addresses = plans.map(({ stdout }) => {
      const changes = (parseJson(stdout) as JsonObject)['resource_changes'] ?? null; // rollcall prints a JSON object
      return isJsonList(changes) ? changes.map((change) => (change as { address: string }).address) : []; // its schema requires this form
    });
    expect(addresses[0]).toEqual(expect.arrayContaining(['group.admins', 'group.aside', 'group.staff']));
    expect(
      addresses
        .slice(1)
        .flat()
        .filter((address) => address.startsWith('group.')),
    ).toEqual([]);
    expect(addresses.flat()).toHaveLength(5);
  });

  test('that is a later shard leads to advice on what to apply first if a group is missing', async () => {
    const many = {
      'm.yaml': `${roll}${Array.from({ length: 8 }, (_, index) => `  - { username: u${index}, name: U, groups: [{ name: staff }] }\n`).join('')}`,
    };
    const { send } = empty('2026.2');
    const early = await run(apply, send, many, { shard: '2/2' });
    expect(early.ending).toBe('invalid');
    expect(early.stderr).toContain(
      "This record is declared, but not selected in this run. Apply it first, for example with --target 'group.*'",
    );
    await done(run(apply, send, many, { shard: '1/2' }));
    await done(run(apply, send, many, { shard: '2/2' }));
    expect((await run(plan, send, many)).stdout).toContain('No changes.');
  });

  test('whose shards refer to each other is complete if all shards are applied twice as advised', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `{ username: u${index}, name: U }`);
    const apps = names.map(
      (_, index) => `{ slug: a${index}, name: A${index}, access: { users: [{ name: u${index} }] } }`,
    );
    const mixed = {
      'm.yaml': `version: 1\nusers: [${names.join(', ')}]\napplications: [${apps.join(', ')}]\n`,
    };
    const { send } = empty('2026.2');
    const early = await run(apply, send, mixed, { shard: '1/2' });
    expect(early.stderr).toContain(
      'With --shard, apply every shard with --keep-going, from the first to the last, and then repeat.',
    );
    for (const shard of ['1/2', '2/2', '1/2', '2/2'])
      await run(apply, send, mixed, { shard, keepGoing: true });
    expect((await run(plan, send, mixed)).stdout).toContain('No changes.');
  });

  test('by --changed-only includes the groups that changed entries refer to', async () => {
    const { send, sandbox } = empty('2026.2');
    const before = roll.replace('  - { username: alice, name: Alice, groups: [{ name: admins }] }\n', '');
    const past = { 'm.yaml': before };
    const options = { baseline: '.before', changedOnly: true };
    const { stdout } = await done(run(apply, send, files, options, { past }));
    expect(stdout).toContain('Among them are dependencies: group.admins, group.staff.');
    expect(otherClient(sandbox).record('user', 'alice')?.['groups_obj']).toMatchObject([{ name: 'admins' }]);
    expect(otherClient(sandbox).record('group', 'aside')).toBeUndefined();
  });
});

test.each([
  ['wsfed', ['not-in-release']],
  ['none', ['not-in-release', 'name-not-found']],
])(
  'an entry of a kind that the release does not have is an error, without the names of its fields: %s',
  async (provider, codes) => {
    const { send } = sandboxHere({}, '2023.10');
    const flow = 'flow: { slug: default-provider-invalidation-flow }';
    const wsfed = `{ type: wsfed, name: wsfed, reply_url: 'https://a/', wtrealm: a, authorization_${flow}, invalidation_${flow} }`;
    const application = `{ slug: a, name: A, provider: { name: ${provider} } }`;
    const files = { 'm.yaml': `version: 1\nproviders: [${wsfed}]\napplications: [${application}]\n` };
    const { ending, stderr } = await run(plan, send, files);
    expect([ending, Array.from(stderr.matchAll(/\[([\w-]+)\]$/gm), ([, code]) => code)]).toEqual([
      'invalid',
      codes,
    ]);
    const kept = await run(plan, send, files, { keepGoing: true });
    expect(kept.stdout.match(/default-provider-invalidation-flow|does not offer/g)).toBeNull();
  },
);
