import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { show } from '../../src/commands/show.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import { capture } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered } from '../support/scripted-transport.ts';
import { allowUpdate, staff, World } from '../support/update-world.ts';
import { done } from '../support/manifest-run.ts';

const settings = '/api/v3/admin/settings/';
const bindingList = '/api/v3/policies/bindings/';
const wiki = (access: string): string =>
  `version: 1\napplications:\n  - slug: wiki\n    name: Wiki\n    ${access}\n`;
const withFlag = (text: string, value: boolean): string =>
  `${text}settings: [{ flags: { core_default_app_access: ${value} } }]\n`;
const closed = 'nobody could open it, because the service closes an application that has no binding';
const perhaps = 'if the flag `core_default_app_access` is on (its state is unknown)';

/** The page of an empty list. */
const noPage = {
  pagination: { count: 0, current: 1, next: 0, previous: 0, start_index: 0, end_index: 0, total_pages: 1 },
};

/** A service that has an application without bindings, and this value of the flag. */
function worldOf(release: SandboxRelease, flag: boolean, more: SandboxSeed = {}): World {
  const world = new World({ applications: [{ slug: 'wiki', name: 'Wiki', provider: 1 }], ...more }, release);
  const body = JSON.stringify({ flags: { core_default_app_access: flag } });
  world.handle({ method: 'PATCH', path: settings, body });
  return world;
}

interface Planned {
  readonly ending: string;
  readonly stdout: string;
  readonly opens: string[];
  readonly reads: number;
}

async function planned(world: World, text: string, options: object = {}): Promise<Planned> {
  const before = world.requests.length;
  const { context, stdout, stderr } = world.run(text);
  const ending = await plan(['m.yaml'], { output: 'text', ...allowUpdate, ...options }, context);
  const reads = world.requests.slice(before).filter(({ path }) => path === settings).length;
  return { ending, stdout: stdout() + stderr(), opens: stdout().match(/^Opens .*$/gm) ?? [], reads };
}

describe('an application with `access: everyone`', () => {
  test('is an error at its line if core_default_app_access is off, for an existing and a new application', async () => {
    for (const more of [{}, { applications: [] }]) {
      const { ending, stdout } = await planned(worldOf('2026.8', false, more), wiki('access: everyone'));
      expect([ending, stdout]).toEqual([
        'invalid',
        expect.stringContaining(`m.yaml:5:13: error: application.wiki: ${closed}`),
      ]);
      expect(stdout).toContain('settings: [{ flags: { core_default_app_access: true } }]');
    }
  });

  test('is reported as opened to everyone if core_default_app_access is on, and the flag is read once', async () => {
    const two = `${wiki('access: everyone')}  - { slug: mail, name: Mail, access: everyone }\n`;
    const result = await planned(worldOf('2026.8', true), two);
    expect(result).toMatchObject({
      ending: 'done',
      opens: ['Opens application.mail to everyone.'],
      reads: 1,
    });
  });

  test('is reported as opened to everyone in a release without core_default_app_access, and the settings are not read', async () => {
    const world = worldOf('2026.2', false, { bindings: [{ application: 'wiki', group: 'staff' }] });
    const result = await planned(world, wiki('access: everyone'));
    expect(result).toMatchObject({
      ending: 'done',
      opens: ['Opens application.wiki to everyone.'],
      reads: 0,
    });
  });

  test('is not an error if a policy is bound', async () => {
    const world = worldOf('2026.8', false, {
      bindings: [{ application: 'wiki', group: 'staff', negate: true }],
    });
    expect(await planned(world, wiki('access: everyone'))).toMatchObject({ ending: 'done', opens: [] });
  });

  test('with --keep-going, is an error for that application alone', async () => {
    const text = `${wiki('access: everyone')}  - { slug: mail, name: Mail }\n`;
    const { ending, stdout } = await planned(worldOf('2026.8', false), text, { keepGoing: true });
    expect([ending, stdout]).toEqual(['incomplete', expect.stringContaining('application.mail')]);
    expect(stdout).toContain(closed);
  });
});

describe('an application without declared access', () => {
  const denied = { tokens: [{ token: 'sandbox-token', rights: { view_settings: 'none' as const } }] };

  test.each([
    ['2026.2', 'off', {}, 'everyone', 0],
    ['2026.8', 'on', {}, 'everyone', 1],
    ['2026.8', 'off', {}, undefined, 1],
    ['2026.8', 'unreadable', denied, `everyone ${perhaps}`, 1],
  ] as const)(
    'if new, is reported as open to everyone if everyone can open it: release %s, core_default_app_access %s',
    async (release, flag, seed, whom, reads) => {
      const world = worldOf(release, flag === 'on', { ...seed, applications: [] });
      const text = `${wiki('group: Docs')}  - { slug: mail, name: Mail }\n`;
      const result = await planned(world, text, { failOn: ['opens'] });
      expect(result).toMatchObject({ ending: 'done', opens: [], reads });
      expect(result.stdout.match(/^Open to .*$/gm)).toEqual(
        whom === undefined
          ? null
          : [`Open to ${whom}, because no \`access\` is declared: application.mail, application.wiki.`],
      );
    },
  );

  test('is not reported as open to everyone if it exists, or if `access` or `policies` is declared', async () => {
    const held = await planned(worldOf('2026.2', true), wiki('group: Docs'));
    expect(held.stdout).not.toContain('Open to');
    for (const access of ['access: { groups: [{ name: staff }] }', 'access: everyone', 'policies: []']) {
      const { ending, stdout } = await planned(worldOf('2026.2', true, { applications: [] }), wiki(access));
      expect([ending, stdout]).toEqual(['done', expect.not.stringContaining('Open to')]);
    }
  });

  test.each([
    ['may not turn core_default_app_access off', {}, 1],
    ['turns core_default_app_access off', allowUpdate, undefined],
  ])('if new, is reported as open to everyone if the run %s', async (_, options, count) => {
    const text = withFlag(wiki('group: Docs'), false);
    const given = { allow: [], ...options };
    const { stdout } = await planned(worldOf('2026.8', true, { applications: [] }), text, given);
    expect(stdout.match(/^Open to everyone.*$/gm)?.length).toBe(count);
  });

  test('if new, is reported as open to everyone by a saved plan as well', async () => {
    const world = worldOf('2026.2', true, { applications: [] });
    const { context, stdout } = world.run(wiki('group: Docs'));
    expect(await plan(['m.yaml'], { output: 'json' }, context)).toBe('done');
    expect(JSON.parse(stdout())).toMatchObject({ resource_changes: [{ open_to: 'everyone' }] });
    expect(schemaErrors('plan', JSON.parse(stdout()))).toEqual([]);
    const shown = capture({ files: { 'plan.json': stdout() } });
    expect(await show('plan.json', { output: 'text' }, shown.context)).toBe('done');
    expect(shown.stdout()).toContain('Open to everyone');
  });
});

describe('an application without bindings while core_default_app_access is off', () => {
  test('is opened to a group by its first binding', async () => {
    const access = wiki('access: { groups: [{ name: staff }] }');
    const { opens, stdout } = await planned(worldOf('2026.8', false), access, { failOn: ['opens'] });
    expect(opens).toEqual([`Opens application.wiki to the group "staff" (${staff}).`]);
    expect(stdout).toContain('nobody could open it until now');
    const open = await planned(worldOf('2026.8', true), access);
    expect([open.opens, open.stdout]).toEqual([
      [],
      expect.stringContaining('everyone could open it until now'),
    ]);
  });

  test('stays closed with an empty list of policies', async () => {
    const world = worldOf('2026.8', false, { bindings: [{ application: 'wiki', group: 'staff' }] });
    const options = { allow: ['update', 'delete'] };
    const env = { ROLLCALL_CAPABILITIES: 'update,delete' };
    const { context, stdout } = world.run(wiki('policies: []'), env);
    await plan(['m.yaml'], { output: 'text', ...options }, context);
    expect([stdout().includes('1 to change'), stdout().includes('Opens')]).toEqual([true, false]);
  });
});

describe('settings in the same manifest', () => {
  test('allow `access: everyone` if they turn core_default_app_access on, and open every application without a binding', async () => {
    const world = worldOf('2026.8', false);
    const text = withFlag(wiki('access: everyone'), true);
    const result = await planned(world, text, { failOn: ['opens'] });
    expect(result).toMatchObject({
      ending: 'changes',
      opens: ['Opens settings.service to everyone, for each application that has no binding.'],
      reads: 1,
    });
    const applied = world.run(text);
    expect(await apply(['m.yaml'], { output: 'text', yes: true, ...allowUpdate }, applied.context)).toBe(
      'done',
    );
    await done(planned(world, text, { detailedExitcode: true }));
  });

  test('refuse `access: everyone` if they turn core_default_app_access off', async () => {
    const { ending, stdout } = await planned(
      worldOf('2026.8', true),
      withFlag(wiki('access: everyone'), false),
    );
    expect([ending, stdout]).toEqual(['invalid', expect.stringContaining(closed)]);
  });

  test('have a note if they turn core_default_app_access off', async () => {
    const note = 'closes each application that has no binding';
    const text = withFlag('version: 1\n', false);
    expect((await planned(worldOf('2026.8', true), text)).stdout).toContain(note);
    expect((await planned(worldOf('2026.8', false), withFlag('version: 1\n', true))).stdout).not.toContain(
      note,
    );
    const other = text.replace('false', 'false, flows_refresh_others: true');
    const { stdout } = await planned(worldOf('2026.8', false), other);
    expect(stdout).toContain('~ settings.service');
    expect(stdout).not.toContain(note);
  });

  test('leave it open who can use an application whose new binding somebody deletes while they turn the flag off', async () => {
    const world = worldOf('2026.8', true);
    world.tamper = ({ method, path }, answer) =>
      method === 'GET' &&
      path.startsWith(bindingList) &&
      world.writes().some(({ path: sent }) => sent === bindingList)
        ? answered(200, { ...noPage, results: [] })
        : answer();
    const { context, stdout, stderr } = world.run(
      withFlag(wiki('access: { groups: [{ name: staff }] }'), false),
    );
    await apply(['m.yaml'], { output: 'text', yes: true, ...allowUpdate }, context);
    expect(stdout() + stderr()).toContain(`Who can open it now: everyone ${perhaps}.`);
  });

  test('cause a warning if they turn core_default_app_access off in a release without this flag', async () => {
    const { stdout } = await done(
      planned(worldOf('2026.2', true), withFlag(wiki('access: everyone'), false)),
    );
    expect(stdout).toContain('release 2026.2.2 ignores the flag `core_default_app_access`');
  });
});

describe('if core_default_app_access cannot be read', () => {
  const denied: SandboxSeed = {
    tokens: [{ token: 'sandbox-token', rights: { view_settings: 'none' } }],
    bindings: [{ application: 'wiki', group: 'staff' }],
  };

  test.each([
    ['the token may not view them', () => worldOf('2026.8', false, denied)],
    [
      'an answer has no data',
      () => {
        const world = worldOf('2026.8', false, { bindings: denied.bindings ?? [] });
        world.tamper = (request, answer) =>
          request.path === settings ? answered(404, 'nothing here') : answer();
        return world;
      },
    ],
  ])(
    'because %s, `access: everyone` is applied, and the report says that it opens the application if the flag is on',
    async (_, of) => {
      const world = of();
      const result = await planned(world, wiki('access: everyone'), { failOn: ['opens'] });
      expect(result).toMatchObject({
        ending: 'changes',
        opens: [`Opens application.wiki to everyone ${perhaps}.`],
      });
      const { context } = world.run(wiki('access: everyone'));
      expect(await apply(['m.yaml'], { output: 'text', yes: true, ...allowUpdate }, context)).toBe('done');
      expect(world.writes().map(({ path }) => path)).toEqual([
        expect.stringContaining('/policies/bindings/'),
      ]);
    },
  );

  test('because the release is unknown, the report says that `access: everyone` opens the application if the flag is on', async () => {
    const world = worldOf('2026.8', false, { bindings: denied.bindings ?? [] });
    world.tamper = (request, answer) =>
      request.path === '/api/v3/admin/version/' ? answered(404, 'nothing here') : answer();
    expect(await planned(world, wiki('access: everyone'))).toMatchObject({
      ending: 'done',
      opens: [`Opens application.wiki to everyone ${perhaps}.`],
    });
  });

  test('because the settings do not contain the flag, the report says that `access: everyone` opens the application', async () => {
    const world = worldOf('2026.8', false, { bindings: denied.bindings ?? [] });
    world.tamper = (request, answer) => (request.path === settings ? answered(200, { flags: {} }) : answer());
    const { opens } = await planned(world, wiki('access: everyone'));
    expect(opens).toEqual(['Opens application.wiki to everyone.']);
  });

  test('a JSON document contains the condition that the flag is on', async () => {
    const { context, stdout } = worldOf('2026.8', false, denied).run(wiki('access: everyone'));
    await plan(['m.yaml'], { output: 'json', ...allowUpdate }, context);
    const document = JSON.parse(stdout()) as { resource_changes: object[] };
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document.resource_changes[0]).toMatchObject({ opens: [`everyone ${perhaps}`] });
  });

  test('the report says that a first binding opens the application if the flag is off', async () => {
    const world = worldOf('2026.8', true, { tokens: denied.tokens ?? [] });
    const { opens } = await planned(world, wiki('access: { groups: [{ name: staff }] }'));
    expect(opens).toEqual([
      `Opens application.wiki to the group "staff" (${staff}) if the flag \`core_default_app_access\` is off (its state is unknown).`,
    ]);
  });
});

describe('a delete of the only group of an application', () => {
  const bound: SandboxSeed = {
    groups: [
      { name: 'admins', is_superuser: true },
      { pk: staff, name: 'staff' },
    ],
    tokens: [{ token: 'sandbox-token', superuser: true }],
    bindings: [{ application: 'wiki', group: 'staff' }],
  };
  const gone = 'version: 1\ngroups: [{ name: staff, state: absent }]\n';
  const deleting = { allow: ['update', 'delete'] };
  const env = { ROLLCALL_CAPABILITIES: 'update,delete' };

  async function applied(
    world: World,
    text: string,
  ): Promise<{ ending: string; stdout: string; deletes: number }> {
    const { context, stdout, stderr } = world.run(text, env);
    const ending = await apply(['m.yaml'], { output: 'text', yes: true, ...deleting }, context);
    const deletes = world.requests.filter(({ method }) => method === 'DELETE').length;
    return { ending, stdout: stdout() + stderr(), deletes };
  }

  test('is done if core_default_app_access is off, and closes the application to everybody', async () => {
    const world = worldOf('2026.8', false, bound);
    const result = await applied(world, gone);
    expect(result, result.stdout).toMatchObject({ ending: 'done', deletes: 1 });
    expect(result.stdout).toContain('note  nobody can open the application "wiki" any more');
    const { body } = world.sandbox.handle({
      method: 'GET',
      path: '/api/v3/core/applications/wiki/check_access/?for_user=1',
      headers: { authorization: 'Bearer sandbox-token' },
      body: '',
    });
    expect(JSON.parse(body)).toMatchObject({ passing: false });
  });

  test('is done if the same plan turns core_default_app_access off', async () => {
    const result = await applied(worldOf('2026.8', true, bound), withFlag(gone, false));
    expect(result, result.stdout).toMatchObject({ ending: 'done', deletes: 1 });
  });

  test.each([
    ['the flag is on', (): World => worldOf('2026.8', true, bound), gone],
    ['the same plan turns the flag on', (): World => worldOf('2026.8', false, bound), withFlag(gone, true)],
    ['the release ignores the flag', (): World => worldOf('2026.2', false, bound), gone],
    [
      'the flag cannot be read',
      (): World => {
        const world = worldOf('2026.8', false, bound);
        world.tamper = ({ path }, answer) =>
          path === settings ? answered(403, { detail: 'No.' }) : answer();
        return world;
      },
      gone,
    ],
  ])('is refused if %s, as everyone could open it', async (_, worldIn, text) => {
    const result = await applied(worldIn(), text);
    expect(result, result.stdout).toMatchObject({ ending: 'incomplete', deletes: 0 });
    expect(result.stdout).toContain('everyone could then open');
  });

  test.each([
    ['somebody has turned the flag on', { core_default_app_access: true }],
    ['the service has stopped showing the flag', {}],
  ])('is refused if, since the plan, %s', async (_, flags) => {
    const world = worldOf('2026.8', false, bound);
    let reads = 0;
    world.tamper = ({ path }, answer) =>
      path === settings && (reads += 1) > 1 ? answered(200, { flags }) : answer();
    const result = await applied(world, gone);
    expect(result, result.stdout).toMatchObject({ ending: 'incomplete', deletes: 0 });
  });

  test.each([
    ['a source', []],
    ['a source together with an application', bound.bindings],
  ])(
    'is refused if it would open %s, as core_default_app_access does not close sources',
    async (_, bindings = []) => {
      const world = worldOf('2026.8', false, { ...bound, bindings });
      const text = `version: 1\nsources: [{ type: kerberos, name: Kerberos, slug: kerberos, realm: EXAMPLE.COM, enabled: true, policies: [{ group: { name: staff }, order: 0 }] }]\n`;
      const made = await applied(world, text);
      expect(made.ending, made.stdout).toBe('done');
      const result = await applied(world, gone);
      expect(result, result.stdout).toMatchObject({ ending: 'incomplete', deletes: 0 });
    },
  );
});

test('with contract_only, the settings of the service are not read', async () => {
  const world = worldOf('2026.8', false);
  const { context } = world.run('version: 1\napplications: [{ slug: new, name: New }]\n', {
    ROLLCALL_CONTRACT_ONLY: 'true',
    ROLLCALL_CAPABILITIES: '',
  });
  await plan(['m.yaml'], { output: 'text' }, context);
  expect(world.requests.filter(({ path }) => path === settings)).toEqual([]);
});

test.each([
  [true, '    access: everyone\n'],
  [false, ''],
] as const)(
  'an export of an application without a binding is in sync if core_default_app_access is %s',
  async (flag, line) => {
    const world = worldOf('2026.8', flag);
    const { context, stdout } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    await exportManifests({ output: 'yaml', type: ['application'] }, context);
    expect(stdout()).toMatch(new RegExp(`    provider: .*\n${line}$`));
    await done(planned(world, stdout(), { detailedExitcode: true }));
  },
);
