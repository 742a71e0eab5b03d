import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import type { Captured } from '../support/run.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { schemaErrors } from '../support/schemas.ts';
import { allowUpdate, applyAsJson, outcomesIn, staff, World } from '../support/update-world.ts';
import { answered } from '../support/scripted-transport.ts';
import { done } from '../support/manifest-run.ts';

const admins = '44444444-4444-4444-8444-444444444444';
const seed: SandboxSeed = {
  providers: [1, 2, 3, 4, 5].map((pk) => ({ pk, name: `OIDC ${pk}` })),
  groups: [
    { pk: staff, name: 'staff' },
    { pk: admins, name: 'admins', is_superuser: true },
  ],
  applications: [
    { slug: 'outsider', name: 'Outsider', provider: 1, backchannel_providers: [3] },
    { slug: 'known', name: 'Known', provider: 2, backchannel_providers: [5] },
  ],
  users: [
    { username: 'alice', name: 'Alice', groups: [staff] },
    { username: 'root', name: 'Root', groups: [admins] },
  ],
};
const all = { ROLLCALL_CAPABILITIES: 'update' };
const contract = { ROLLCALL_CAPABILITIES: '', ROLLCALL_CONTRACT_ONLY: 'true' };

function applications(...entries: string[]): string {
  return ['version: 1', 'applications:', ...entries.map((entry) => `  - { ${entry} }`), ''].join('\n');
}

function users(...entries: string[]): string {
  return ['version: 1', 'users:', ...entries.map((entry) => `  - { ${entry} }`), ''].join('\n');
}

async function planned(
  manifest: string,
  options: object = {},
  { env = all, world = new World(seed), more = {} }: { env?: object; world?: World; more?: object } = {},
): Promise<Captured & { ending: string; world: World }> {
  const run = world.run(manifest, { ...env }, more);
  const ending = await plan(['m.yaml'], { output: 'text', ...options }, run.context);
  return { ...run, ending, world };
}

describe('a backchannel provider that an undeclared application uses', () => {
  const takes = 'removes "OIDC 3" (3) from the `backchannel_providers` of application.outsider';
  const byName = applications('slug: new, name: New, backchannel_providers: [{ name: OIDC 3 }]');

  test.each(['text', 'json'])(
    'is shown in the %s plan with the application that loses it',
    async (output) => {
      const { stdout } = await done(planned(byName, { output }));
      if (output === 'text') expect(stdout()).toContain(`note  ${takes}`);
      else
        expect(parseJson(stdout())).toMatchObject({
          resource_changes: [{ address: 'application.new', remarks: [takes] }],
        });
    },
  );

  test('is looked up again before it is taken', async () => {
    const world = new World(seed);
    const { context, stderr, questions } = world.run(byName, all, { answerToPrompt: ['yes', 'no'] });
    expect(await apply(['m.yaml'], { output: 'text' }, context)).toBe('failed');
    expect(questions).toHaveLength(2);
    expect(stderr()).toContain(`application.new: ${takes}`);
    expect(world.writes()).toEqual([]);
  });

  test('is recognized from the look-up of another application', async () => {
    const shared: SandboxSeed = {
      ...seed,
      applications: [
        { slug: 'outsider', name: 'Outsider', backchannel_providers: [3] },
        { slug: 'known', name: 'Known', provider: 3 },
      ],
    };
    const { stdout, world } = await planned(
      applications('slug: known, name: Known', 'slug: new, name: New, backchannel_providers: [3]'),
      {},
      { env: contract, world: new World(shared) },
    );
    expect(stdout()).toContain('note  removes 3 from the `backchannel_providers` of application.outsider');
    expect(world.requests.map(({ path }) => path)).toEqual([
      '/api/v3/core/applications/known/',
      '/api/v3/core/applications/new/',
    ]);
  });

  test('is not shown if the field is hidden, but the plan names the application that loses the provider', async () => {
    const { stdout } = await planned(
      byName,
      {},
      {
        more: {
          files: {
            'm.yaml': byName,
            'rollcall.yaml': 'version: 1\nhide: [application.backchannel_providers]\n',
          },
        },
      },
    );
    expect(stdout()).toContain('note  removes one from the `backchannel_providers` of application.outsider');
    expect(stdout()).not.toContain('OIDC');
  });

  test('is shown as free if nothing was read about it', async () => {
    const manifest = applications('slug: new, name: New, backchannel_providers: [3]');
    const { stdout, world } = await planned(manifest, {}, { env: contract });
    expect(stdout()).not.toContain('note');
    expect(world.requests).toHaveLength(1);
  });
});

describe('a declared provider that is the main provider of another application', () => {
  const taken = applications('slug: new, name: New, provider: { name: OIDC 1 }');

  test('is an error at its line if the plan has found the other application', async () => {
    const { ending, stdout, stderr, world } = await planned(taken);
    expect(ending).toBe('invalid');
    expect(stderr()).toContain('m.yaml:3:39');
    expect(stderr()).toContain('provider "OIDC 1" (1) is already the main provider of `outsider`');
    expect(stderr()).toContain('[provider-taken]');
    expect(stderr().replaceAll(/\s+/g, ' ')).toContain('write `formerly: outsider`.');
    expect(stderr()).toContain('some of the changes are refused');
    expect(stdout()).toBe('');
    expect(await apply(['m.yaml'], { ...applyAsJson }, world.run(taken, all).context)).toBe('invalid');
    expect(world.writes()).toEqual([]);
  });

  const byId = applications('slug: new, name: New, provider: 1');
  const asked = (world: World): string[] =>
    world.requests.map(({ path }) => path).filter((path) => path.includes('/providers/'));

  test('is an error at its line even if declared by id', async () => {
    const { ending, stderr, world } = await planned(byId);
    expect(ending).toBe('invalid');
    expect(stderr()).toContain('m.yaml:3:39');
    expect(stderr()).toContain('provider 1 is already the main provider of `outsider`');
    expect(stderr()).toContain('[provider-taken]');
    expect(asked(world)).toEqual(['/api/v3/providers/all/1/']);
  });

  test('is an error with --changed-only if the other application is declared and not altered', async () => {
    const known = 'slug: known, name: Known, provider: 2';
    const before = { 'm.yaml': applications(known), 'rollcall.yaml': 'version: 1\n' };
    const manifest = applications(known, 'slug: new, name: New, provider: 2');
    const compared = { baseline: '.before', changedOnly: true };
    const more = { files: { ...before, 'm.yaml': manifest }, past: before };
    const { ending, stderr } = await planned(manifest, compared, { more });
    expect(ending).toBe('invalid');
    expect(stderr()).toContain('shared-provider');
    const other = { files: { ...before, 'm.yaml': byId }, past: before };
    const alone = await planned(byId, compared, { more: other });
    expect(alone.ending).toBe('invalid');
    expect(alone.stderr()).toContain('[provider-taken]');
  });

  test.each([
    ['no application uses the provider', 'provider: 4', seed],
    ['there is no such provider', 'provider: 999', seed],
    [
      'the token may not view the provider',
      'provider: 1',
      { ...seed, tokens: [{ token: sandboxToken, view_providers: 'none' as const }] },
    ],
  ])('is no error of the plan if %s', async (_, field, holding) => {
    const manifest = applications(`slug: new, name: New, ${field}`);
    const { world } = await done(planned(manifest, {}, { world: new World(holding) }));
    expect(asked(world)).toHaveLength(1);
  });

  test('is read from a list if many new applications declare providers, and is not read for existing applications', async () => {
    const providers = Array.from({ length: 40 }, (_, index) => ({ pk: 100 + index, name: `P ${index}` }));
    const holding = {
      ...seed,
      providers: [...(seed.providers ?? []), ...providers],
      applications: [...(seed.applications ?? []), { slug: 'other', name: 'Other', provider: 139 }],
    };
    const entries = Array.from(
      { length: 20 },
      (_, index) => `slug: new-${index}, name: New, provider: ${120 + index}`,
    );
    const manifest = applications('slug: known, name: Known, provider: 2', ...entries);
    const { stderr, world } = await planned(manifest, {}, { world: new World(holding) });
    expect(stderr().match(/\[provider-taken\]/g)).toHaveLength(1);
    expect(stderr()).toContain('provider 139 is already the main provider of `other`');
    expect(asked(world)).toEqual(['/api/v3/providers/all/?ordering=name&page=1&page_size=100']);
  });

  test('is an error if a declared application keeps it', async () => {
    const manifest = applications('slug: known, name: Known', 'slug: new, name: New, provider: 2');
    const { ending, stderr } = await planned(manifest, {}, { env: contract });
    expect(ending).toBe('invalid');
    expect(stderr()).toContain('provider 2 is already the main provider of `known`');
  });

  test('is an error if the run may not update the application that gives it away', async () => {
    const manifest = applications(
      'slug: known, name: Known, provider: null',
      'slug: new, name: New, provider: 2',
    );
    const { ending, stderr } = await planned(manifest);
    expect(ending).toBe('invalid');
    expect(stderr()).toContain(
      'The manifests remove the value from that record, but this plan leaves the record unchanged',
    );
    await done(planned(manifest, allowUpdate));
  });

  test('is no error if it is also the provider of the declared application, or if nothing could be read', async () => {
    const own = applications('slug: outsider, name: Outsider, provider: { name: OIDC 1 }');
    await done(planned(own));
    const unread = applications('slug: new, name: New, provider: 1');
    await done(planned(unread, {}, { env: contract }));
  });

  test('ends the apply of an earlier saved plan as stale', async () => {
    const free = applications('slug: new, name: New, provider: { name: OIDC 4 }');
    const { world, written } = await planned(free, { out: 'p.json' });
    world.patch('/applications/outsider/', { provider: 4 });
    const files = { 'm.yaml': free, 'p.json': written.get('p.json') ?? '' };
    const { context, stderr } = world.run(free, all, { files });
    expect(await apply(['m.yaml'], { output: 'text', plan: 'p.json' }, context)).toBe('stale');
    expect(stderr()).toContain('is already the main provider of `outsider`');
  });

  test('is not read for an existing application, and is read one by one if the list is too long', async () => {
    const there = await planned(applications('slug: known, name: Known, provider: 2'));
    expect(asked(there.world)).toEqual([]);
    const providers = Array.from({ length: 300 }, (_, index) => ({ pk: 100 + index, name: `P ${index}` }));
    const entries = Array.from(
      { length: 9 },
      (_, index) => `slug: new-${index}, name: N, provider: ${100 + index}`,
    );
    const { world } = await planned(
      applications(...entries),
      {},
      { world: new World({ ...seed, providers }) },
    );
    expect(asked(world).filter((path) => /\/all\/\d+\/$/.test(path))).toHaveLength(9);
    expect(asked(world)).toHaveLength(10);
  });

  test('is requested without its id in the log if the field is hidden', async () => {
    const files = { 'm.yaml': byId, 'rollcall.yaml': 'version: 1\nhide: [application.provider]\n' };
    const { stderr } = await planned(byId, { verbose: true }, { more: { files } });
    expect(stderr()).toContain('GET /api/v3/providers/all/(hidden)/ 200');
    expect(stderr()).not.toContain('/providers/all/1/');
  });

  test('is not shown if the field is hidden', async () => {
    const files = { 'm.yaml': taken, 'rollcall.yaml': 'version: 1\nhide: [application.provider]\n' };
    const { ending, stderr } = await planned(taken, {}, { more: { files } });
    expect(ending).toBe('invalid');
    expect(stderr()).toContain('provider (hidden) is already the main provider of `outsider`');
    expect(stderr()).not.toContain('OIDC');
  });
});

describe('a user who becomes a superuser', () => {
  const gains = "a superuser's rights through";
  const byName = 'groups: [{ name: admins }, { name: staff }]';

  test.each([
    ['when created', 'new', 'New'],
    ['when changed', 'alice', 'Alice'],
  ])('is marked in the plan as a wider effect: %s', async (_, username, name) => {
    const entry = `username: ${username}, name: ${name}, ${byName}`;
    const { stdout, world } = await planned(users(entry), allowUpdate);
    expect(stdout()).toContain(`Gives user.${username} ${gains} "admins" (${admins}) in \`groups\``);
    expect(stdout().match(/rights through/g)).toHaveLength(1);
    const { context, stderr, questions } = world.run(users(entry), all, { answerToPrompt: ['yes', 'no'] });
    expect(await apply(['m.yaml'], { output: 'text', ...allowUpdate }, context)).toBe('failed');
    expect(questions.at(-1)).toContain('Give this access?');
    expect(stderr()).toContain(gains);
    expect(world.writes()).toEqual([]);
  });

  test.each(['new', 'alice'])('is recognized by the id of the group: %s', async (username) => {
    const { stdout } = await planned(
      users(`username: ${username}, name: A, groups: [${admins}]`),
      allowUpdate,
    );
    expect(stdout()).toContain(`Gives user.${username} ${gains} ${admins} in \`groups\``);
  });

  test('is recognized if the look-up of another user shows that the group grants superuser rights', async () => {
    const manifest = users('username: root, name: Root', `username: new, name: New, groups: [${admins}]`);
    const { stdout } = await planned(manifest, {}, { env: { ROLLCALL_CAPABILITIES: '' } });
    expect(stdout()).toContain(`Gives user.new ${gains} ${admins} in \`groups\``);
  });

  test('is not confused with a user who is a superuser already or who joins another group', async () => {
    const manifest = users(
      'username: root, name: Another, groups: [{ name: admins }]',
      'username: new, name: New, groups: [{ name: staff }]',
    );
    expect((await planned(manifest, allowUpdate)).stdout()).not.toContain(gains);
  });

  test('is marked if the group is hidden', async () => {
    const manifest = users(`username: new, name: New, ${byName}`);
    const files = { 'm.yaml': manifest, 'rollcall.yaml': 'version: 1\nhide: [user.groups]\n' };
    const { stdout } = await planned(manifest, {}, { more: { files } });
    expect(stdout()).toContain(`Gives user.new ${gains} one in \`groups\``);
    expect(stdout()).not.toContain('admins');
  });
});

describe('a plan that moves a value from one entry to another', () => {
  const handedOver = applications(
    'slug: anew, name: New, provider: 2',
    'slug: known, name: Known, provider: 4',
  );

  test('begins with the entry that frees the value, and reports why it comes first', async () => {
    const { stdout } = await planned(handedOver, allowUpdate);
    expect(stdout()).toMatch(/~ application\.known[^]*\+ application\.anew/);
    expect(stdout()).toContain('after  application.known, which frees a value that this change needs');
    const { stdout: json } = await planned(handedOver, { output: 'json', ...allowUpdate });
    expect(schemaErrors('plan', parseJson(json()))).toEqual([]);
    expect(parseJson(json())).toMatchObject({
      resource_changes: [
        { address: 'application.known' },
        { address: 'application.anew', waits_for: ['application.known'] },
      ],
    });
    expect((await planned(handedOver, { compact: true, ...allowUpdate })).stdout()).toContain(
      'after application.known',
    );
  });

  test('is applied in one run', async () => {
    const world = new World(seed);
    const { context, stdout } = world.run(handedOver, all);
    expect(await apply(['m.yaml'], applyAsJson, context)).toBe('done');
    expect(outcomesIn(stdout()).map(({ address, outcome }) => [address, outcome])).toEqual([
      ['application.known', 'updated'],
      ['application.anew', 'created'],
    ]);
    expect(world.writes().map(({ path }) => path)).toEqual(['/applications/known/', '/applications/']);
  });

  test('does not attempt an entry whose value was not freed, and gives the reason', async () => {
    const world = new World(seed);
    world.tamper = ({ method }, answer) =>
      method === 'PATCH' ? answered(400, { provider: ['no'] }) : answer();
    const { context, stdout } = world.run(handedOver, all);
    expect(await apply(['m.yaml'], applyAsJson, context)).toBe('incomplete');
    expect(outcomesIn(stdout())).toMatchObject([
      { address: 'application.known', outcome: 'rejected' },
      {
        address: 'application.anew',
        outcome: 'not_attempted',
        stopped_by: 'waits',
        attempts: 0,
      },
    ]);
    const text = world.run(handedOver, all);
    await apply(['m.yaml'], { ...applyAsJson, output: 'text' }, text.context);
    expect(text.stdout()).toContain('the change that it depends on failed');
  });

  test('is refused at the lines of entries that wait for each other', async () => {
    const swapped: SandboxSeed = {
      ...seed,
      applications: [
        { slug: 'a', name: 'A', provider: 1 },
        { slug: 'b', name: 'B', provider: 2 },
      ],
    };
    const manifest = applications('slug: a, name: A, provider: 2', 'slug: b, name: B, provider: 1');
    const { ending, stderr } = await planned(manifest, allowUpdate, { world: new World(swapped) });
    expect(ending).toBe('invalid');
    expect(stderr()).toContain('application.a, application.b depend on each other');
  });
});
