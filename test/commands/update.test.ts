import { describe, expect, test } from 'vitest';
import { parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered } from '../support/scripted-transport.ts';
import {
  allowUpdate,
  contractors,
  manifest,
  applyAsJson,
  outcomesIn,
  staff,
  World,
} from '../support/update-world.ts';
import { virtualClock } from '../support/virtual-clock.ts';

describe('the switches for updates', () => {
  test('change nothing if only the capability is given', async () => {
    const world = new World();
    const { context, stdout } = world.run();
    expect(await apply(['m.yaml'], { output: 'json', yes: true }, context)).toBe('done');
    expect(world.writes()).toEqual([]);
    expect(outcomesIn(stdout()).map(({ outcome }) => outcome)).toEqual(Array(5).fill('differs'));
  });

  test('are a usage error if only the permission is given, and the message names the other switch', async () => {
    const world = new World();
    const { context } = world.run(manifest, { ROLLCALL_CAPABILITIES: '' });
    await expect(apply(['m.yaml'], applyAsJson, context)).rejects.toThrow(
      '--allow needs the capability `update`, which is not turned on',
    );
    await expect(plan(['m.yaml'], { output: 'text', allow: ['destroy'] }, context)).rejects.toThrow(
      '--allow cannot be "destroy"',
    );
    expect(world.requests).toEqual([]);
  });

  test('are a usage error with contract_only, and the advice names the flag to leave out', async () => {
    const { context } = new World().run();
    await expect(apply(['m.yaml'], { ...applyAsJson, contractOnly: true }, context)).rejects.toMatchObject({
      message: '--allow needs the capability `update`, which contract_only turns off',
      hint: expect.stringContaining('leave out contract_only, or leave out --allow.') as string,
    });
  });

  test('can both be set by an environment', async () => {
    const world = new World();
    const files = {
      'm.yaml': manifest,
      'rollcall.yaml':
        'version: 1\nmanifests: [m.yaml]\nenvironments:\n  lab: { url: "http://127.0.0.1:9", capabilities: [update], allow: [update] }\n',
    };
    const { context, stdout } = world.run('', { ROLLCALL_CAPABILITIES: '', ROLLCALL_ENV: 'lab' }, { files });
    await plan([], { output: 'text' }, context);
    expect(stdout()).toContain('Plan: 0 to add, 5 to change, 0 to destroy.');
  });
});

describe('a plan with --allow update', () => {
  test('shows updates and their side effects', async () => {
    const world = new World();
    const { context, stdout } = world.run();
    expect(await plan(['m.yaml'], { output: 'text', detailedExitcode: true, ...allowUpdate }, context)).toBe(
      'changes',
    );
    const text = stdout();
    expect(text).toContain('  ~ application.wiki');
    expect(text).toContain('        observed  "Old"\n        declared  "Tools"');
    expect(text).toContain(`      groups\n        will add  [ "${staff}" ]`);
    expect(text).toContain('attributes.theme.dark\n        observed  true\n        declared  false');
    expect(text).toContain('note  logins go through another provider');
    expect(text).toContain('note  removes 4 from the `backchannel_providers` of application.mail');
    expect(text).toContain('note  the account can no longer log in');
    expect(text).toContain('5 to change');
    expect(text).toContain('Plan: 0 to add, 5 to change, 0 to destroy.');
    expect(world.writes()).toEqual([]);
  });

  test('as JSON contains the `resource_changes` of a Terraform plan', async () => {
    const world = new World();
    const { context, stdout } = world.run();
    await plan(['m.yaml'], { output: 'json', ...allowUpdate }, context);
    const document = parseJson(stdout());
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document).toMatchObject({
      summary: { update: 5, differs: 0 },
      resource_changes: [
        {},
        {},
        {
          address: 'application.wiki',
          change: {
            actions: ['update'],
            before: { group: 'Old' },
            after: { slug: 'wiki', name: 'Wiki', group: 'Tools' },
          },
        },
        {},
        {},
      ],
    });
  });

  test('is refused if it has more updates than --max-updates allows', async () => {
    const world = new World();
    const { context, stderr } = world.run();
    expect(await apply(['m.yaml'], { ...applyAsJson, maxUpdates: '4' }, context)).toBe('failed');
    expect(stderr()).toContain('the plan would change 5 resources, and --max-updates allows 4');
    expect(world.writes()).toEqual([]);
  });
});

describe('an apply with --allow update', () => {
  test('sends only differing declared fields, keeps undeclared values, and then has no changes', async () => {
    const world = new World();
    const first = world.run();
    expect(await apply(['m.yaml'], applyAsJson, first.context)).toBe('done');
    expect(outcomesIn(first.stdout()).map(({ outcome }) => outcome)).toEqual(Array(5).fill('updated'));
    expect(world.writes()).toEqual(
      expect.arrayContaining([
        { path: '/applications/wiki/', body: { group: 'Tools' } },
        { path: '/applications/grafana/', body: { provider: 2, backchannel_providers: [3, 4] } },
        { path: '/applications/mail/', body: { name: 'Post' } },
        expect.objectContaining({
          body: { groups: [contractors, staff], attributes: { dept: 'legal', theme: { dark: false } } },
        }),
        expect.objectContaining({ body: { is_active: false } }),
      ]),
    );
    expect(world.held('/applications/wiki/')).toMatchObject({ group: 'Tools', meta_description: 'kept' });
    const writes = world.writes().length;
    const second = world.run();
    expect(
      await plan(['m.yaml'], { output: 'text', detailedExitcode: true, ...allowUpdate }, second.context),
    ).toBe('done');
    expect(second.stdout()).toContain('No changes.');
    expect(await apply(['m.yaml'], applyAsJson, world.run().context)).toBe('done');
    expect(world.writes()).toHaveLength(writes);
  });

  test('keeps undeclared keys, groups and nested keys', async () => {
    const world = new World({
      users: [
        {
          username: 'alice',
          name: 'Alice',
          groups: [contractors],
          attributes: { a: { b: 1, c: [1] }, d: null },
        },
      ],
    });
    const users = `version: 1\nusers: [{ username: alice, groups: ["${staff}"], at_least: [groups], attributes: { a: { b: 2 }, e: x }, name: A }]\n`;
    await apply(['m.yaml'], applyAsJson, world.run(users).context);
    expect(world.writes()).toMatchObject([
      {
        body: {
          name: 'A',
          groups: [contractors, staff],
          attributes: { a: { b: 2, c: [1] }, d: null, e: 'x' },
        },
      },
    ]);
  });

  test('removes undeclared attributes if the entry has `exactly: [attributes]`', async () => {
    const world = new World();
    const users = `version: 1\nusers: [{ username: alice, name: Alice, attributes: { dept: x }, exactly: [attributes] }]\n`;
    await apply(['m.yaml'], applyAsJson, world.run(users).context);
    expect(world.writes()).toMatchObject([{ body: { attributes: { dept: 'x' } } }]);
  });

  describe('with declared groups of a user', () => {
    const admins = '44444444-4444-4444-8444-444444444444';
    const membership = (more: string): string =>
      `version: 1\nusers: [{ username: alice, name: Alice${more} }]\n`;
    const world = (): World =>
      new World({
        groups: [
          { pk: staff, name: 'staff' },
          { pk: contractors, name: 'contractors' },
          { pk: admins, name: 'admins', is_superuser: true },
        ],
        users: [
          { username: 'alice', name: 'Alice', groups: [contractors, admins] },
          { username: 'root', name: 'Root', groups: [admins] },
        ],
      });

    test('removes the user from undeclared groups, each named in the plan', async () => {
      const here = world();
      const { context, stdout } = here.run(membership(`, groups: [{ name: staff }]`));
      await apply(['m.yaml'], { ...applyAsJson, output: 'text' }, context);
      expect(stdout()).toContain(`note  its \`groups\` lose "contractors" (${contractors})`);
      expect(stdout()).toContain(
        `note  its \`groups\` lose "admins" (${admins}), which grants a superuser's rights`,
      );
      expect(here.writes()).toMatchObject([{ body: { groups: [staff] } }]);
      const after = here.run(membership(`, groups: [{ name: staff }]`));
      await plan(['m.yaml'], { output: 'text' }, after.context);
      expect(after.stdout()).toContain('No changes.');
    });

    test('keeps the memberships and reports a difference if ROLLCALL_CAPABILITIES is empty', async () => {
      const here = world();
      const { context, stdout } = here.run(membership(', groups: []'), { ROLLCALL_CAPABILITIES: '' });
      await apply(['m.yaml'], { output: 'text', yes: true }, context);
      expect(stdout()).toContain('user.alice differs and is left unchanged');
      expect(here.writes()).toEqual([]);
    });

    test.each(['', ', groups: [{ name: staff }], at_least: [groups]'])(
      'keeps undeclared groups if the entry has `at_least`: %j',
      async (more) => {
        const here = world();
        const { context, stdout } = here.run(membership(more));
        await apply(['m.yaml'], applyAsJson, context);
        expect(stdout()).not.toContain('lose');
        expect(here.held('/users/1/')['groups']).toEqual(expect.arrayContaining([contractors, admins]));
      },
    );

    test('uses `exactly` of an entry instead of `at_least` of the defaults', async () => {
      const here = world();
      const text = `version: 1\ndefaults: { user: { at_least: [groups] } }\nusers:\n  - { username: alice, name: Alice, groups: ["${staff}"], exactly: [groups] }\n`;
      await apply(['m.yaml'], applyAsJson, here.run(text).context);
      expect(here.writes()).toMatchObject([{ body: { groups: [staff] } }]);
    });

    test('names the removed mappings and parents that the answers show only by their ids', async () => {
      const here = world();
      const mapping = (name: string): string =>
        `{ type: provider_scope, name: ${name}, scope_name: ${name}, expression: 'return 1' }`;
      const text = (parents: string, mappings: string): string => `version: 1
groups: [{ name: crew, parents: [${parents}] }]
flows: [{ slug: door, name: Door, title: Door, designation: authorization }]
providers: [{ name: Door, type: oauth2, authorization_flow: { slug: door }, invalidation_flow: { slug: door }, redirect_uris: [], property_mappings: [${mappings}] }]
`;
      const both = text('{ name: contractors }', '{ name: rooms }, { name: keys }');
      const made = here.run(`${both}property_mappings: [${mapping('rooms')}, ${mapping('keys')}]\n`);
      expect(await apply(['m.yaml'], applyAsJson, made.context)).toBe('done');
      const { context, stdout } = here.run(text('', '{ name: rooms }'));
      await plan(['m.yaml'], { output: 'text', ...allowUpdate }, context);
      expect(stdout()).toContain(`its \`parents\` lose "contractors" (${contractors})`);
      // Lists of groups can be long.
      expect(here.requests.map(({ path }) => path)).toContainEqual(
        expect.stringContaining(`/groups/${contractors}/`),
      );
      expect(stdout()).toMatch(/its `property_mappings` lose "keys" \([-0-9a-f]{36}\)/);
    });

    test('counts hidden groups in the note without naming them', async () => {
      const here = world();
      const { context, stdout } = here.run(
        membership(', groups: []'),
        {},
        {
          files: {
            'm.yaml': membership(', groups: []'),
            'rollcall.yaml': 'version: 1\nhide: [user.groups]\n',
          },
        },
      );
      await plan(['m.yaml'], { output: 'text', ...allowUpdate }, context);
      expect(stdout()).toContain('its `groups` lose one');
      expect(stdout()).not.toContain('contractors');
    });
  });

  test.each<[string, JsonObject, string, string]>([
    [
      'to another value, and keeps it',
      { group: 'Theirs' },
      'conflict',
      'somebody else has changed `group` since the plan',
    ],
    ['to the declared value, and sends nothing', { group: 'Tools' }, 'unchanged', ''],
  ])('detects that after the plan somebody changed the field %s', async (_, body, outcome, words) => {
    const world = new World();
    const wiki = 'version: 1\napplications: [{ slug: wiki, name: Wiki, group: Tools }]\n';
    let looks = 0;
    world.tamper = ({ method, path }, answer) => {
      if (method === 'GET' && path.endsWith('/wiki/') && (looks += 1) === 2)
        world.patch('/applications/wiki/', body);
      return answer();
    };
    const { context, stdout } = world.run(wiki);
    await apply(['m.yaml'], applyAsJson, context);
    expect(outcomesIn(stdout())).toMatchObject([{ outcome, attempts: 0 }]);
    expect(stdout()).toContain(words);
    expect(world.writes()).toEqual([]);
    expect(world.held('/applications/wiki/')).toMatchObject(body);
  });

  test('may apply a saved plan with updates, and an apply without the switch may not', async () => {
    const world = new World();
    const made = world.run();
    await plan(['m.yaml'], { output: 'text', out: 'plan.json', ...allowUpdate }, made.context);
    const files = { 'm.yaml': manifest, 'plan.json': made.written.get('plan.json') ?? '' };
    const forbidden = world.run(undefined, {}, { files });
    expect(await apply(['m.yaml'], { output: 'text', plan: 'plan.json' }, forbidden.context)).toBe('invalid');
    expect(forbidden.stderr()).toContain('Allow the change with --allow update');
    expect(world.writes()).toEqual([]);
    expect(
      await apply(
        ['m.yaml'],
        { output: 'text', plan: 'plan.json', ...allowUpdate },
        world.run(undefined, {}, { files }).context,
      ),
    ).toBe('done');
    expect(world.writes()).toHaveLength(5);
  });

  test("changes no service account of the service itself, and does not disable the token's user", async () => {
    const world = new World({
      tokens: [{ token: 'own-token', username: 'pipeline' }],
      users: [
        { username: 'pipeline', name: 'Pipeline' },
        { username: 'outpost', name: 'Outpost' },
      ],
    });
    const pk = parseJson(
      (world.handle({ method: 'GET', path: '/api/v3/core/users/?username=outpost' }) as { body: string })
        .body,
    ) as { results: { pk: number }[] };
    world.patch(`/users/${pk.results[0]?.pk}/`, { type: 'internal_service_account' });
    const users =
      'version: 1\nusers:\n  - { username: outpost, name: Mine }\n  - { username: pipeline, name: Other, is_active: false }\n';
    const { context, stdout } = world.run(users, { ROLLCALL_TOKEN: 'own-token' });
    world.tamper = (request) => world.handle(request, 'own-token');
    expect(await apply(['m.yaml'], { output: 'text', yes: true, ...allowUpdate }, context)).toBe(
      'incomplete',
    );
    expect(stdout()).toContain(
      '! user.outpost differs and is left unchanged; the service rejects changes to its own accounts',
    );
    expect(stdout()).toContain(
      '! user.pipeline differs and is left unchanged; the token belongs to this user',
    );
    expect(world.writes()).toEqual([]);
  });

  test.each([
    ['is_active', 'false'],
    ['type', 'external'],
  ])("changes the %s of other users, but not of the token's own user", async (field, value) => {
    const users = ['pipeline', 'other'].map((username) => ({ username, name: 'A' }));
    const world = new World({ tokens: [{ token: 'own-token', username: 'pipeline' }], users });
    world.tamper = (request) => world.handle(request, 'own-token');
    const entries = users.map(({ username }) => `{ username: ${username}, ${field}: ${value} }`);
    const { context, stdout } = world.run(`version: 1\nusers: [${entries.join()}]\n`, {
      ROLLCALL_TOKEN: 'own-token',
    });
    expect(await apply(['m.yaml'], { output: 'text', yes: true, ...allowUpdate }, context)).toBe(
      'incomplete',
    );
    expect(stdout()).toContain(`the token belongs to this user, whose \`${field}\` differs`);
    expect(world.writes()).toHaveLength(1);
  });

  test('makes the same plan from lists as from look-ups, for unchanged records and for values taken from other records', async () => {
    const root = { token: sandboxToken, username: 'root', superuser: true };
    const fillers = Array.from({ length: 12 }, (_, index) => `zz-${index}`);
    const names = ['ann', 'ben', 'cy', 'outpost', ...fillers];
    const world = new World({
      tokens: [root],
      applications: [
        { slug: 'grafana', name: 'Grafana' },
        { slug: 'mail', name: 'Mail', backchannel_providers: [4] },
        { slug: 'wiki', name: 'Wiki' },
        { slug: 'zulip', name: 'Zulip' },
        ...fillers.map((slug) => ({ slug, name: slug })),
      ],
      users: names.map((username) => ({ username, name: 'A' })),
    });
    const found = parseJson(
      textOf(Object(world.handle({ method: 'GET', path: '/api/v3/core/users/?username=outpost' }))['body']),
    );
    const { results } = found as { results: { pk: number }[] };
    world.patch(`/users/${results[0]?.pk}/`, { type: 'internal_service_account' });
    const text = `version: 1
applications:
  - { slug: grafana, name: Grafana, backchannel_providers: [4] }
  - { slug: mail, name: Mail }
  - { slug: wiki, name: Wiki }
  - { slug: zulip, name: Zulip }
${fillers.map((slug) => `  - { slug: ${slug}, name: ${slug} }\n`).join('')}users:
${names.map((name) => `  - { username: ${name}, name: B }\n`).join('')}`;
    const { context, stdout } = world.run(text, { ROLLCALL_CAPABILITIES: 'update' });
    await plan(['m.yaml'], { output: 'text', ...allowUpdate }, context);
    expect(
      world.requests.filter(({ path }) => /applications\/[^?]/.test(path) || path.includes('username=')),
    ).toEqual([]);
    expect(stdout()).toContain(
      '! user.outpost differs and is left unchanged; the service rejects changes to its own accounts',
    );
    expect(stdout()).toContain('removes 4 from the `backchannel_providers` of application.mail');
    expect(stdout()).toContain('Plan: 0 to add, 16 to change, 0 to destroy.');
  });

  test.each([4, 14])('sends no field that the release shows but ignores: %i applications', async (count) => {
    const slugs = Array.from({ length: count }, (_, index) => `a${index}`);
    const root = { token: sandboxToken, username: 'root', superuser: true };
    const applications = slugs.map((slug) => ({ slug, name: slug }));
    const world = new World({ tokens: [root], applications }, '2023.10');
    const text = `version: 1\napplications:\n${slugs.map((slug) => `  - { slug: ${slug}, name: ${slug}, meta_icon: "fa://fa-book" }\n`).join('')}`;
    const { context, stdout } = world.run(text);
    world.tamper = ({ path }, answer) =>
      path.includes('/version/') ? answered(404, { detail: 'Not found.' }) : answer();
    expect(await apply(['m.yaml'], applyAsJson, context)).toBe('done');
    expect(outcomesIn(stdout()).map(({ outcome }) => outcome)).toEqual(slugs.map(() => 'unchanged'));
    expect(world.writes()).toEqual([]);
  });

  describe('with a new entry that may be an undeclared record under another name', () => {
    const root = { token: sandboxToken, username: 'root', superuser: true };
    // Enough records that rollcall reads a list.
    const others = Array.from({ length: 14 }, (_, index) => `other-${index}`);
    const applications = ['grafana', ...others].map((slug) => ({ slug, name: slug }));
    const remark = 'has the same `name` as application.grafana, which is not declared';
    const said = async (
      declared: readonly string[],
      { held = applications, target = [] }: { held?: typeof applications; target?: string[] },
    ): Promise<string> => {
      const world = new World({ tokens: [root], applications: held });
      const entries = declared.map((slug) => `  - { slug: ${slug}, name: ${slug} }\n`).join('');
      const text = `version: 1\napplications:\n${entries}  - { slug: dashboards, name: grafana }\n`;
      const { context, stdout } = world.run(text);
      expect(await plan(['m.yaml'], { output: 'text', target }, context)).toBe('done');
      expect(stdout()).toContain('+ application.dashboards');
      return stdout();
    };

    test('has a note that names the undeclared record', async () => {
      const text = await said(others, {});
      expect(text).toContain(remark);
      expect(text.match(/has the same/g)).toHaveLength(1);
    });

    test('has no note if the name is secret or missing', async () => {
      const world = new World({
        tokens: [root],
        applications,
        users: others.map((username) => ({ username, name: '' })),
      });
      const text =
        'version: 1\napplications:\n  - { slug: dashboards, name: "${env:TITLE}" }\n' +
        others.map((slug) => `  - { slug: ${slug}, name: ${slug} }\n`).join('') +
        `users:\n${others
          .slice(1)
          .map((username) => `  - { username: ${username} }\n`)
          .join('')}  - { username: eve, name: "" }\n`;
      const { context, stdout } = world.run(text, { TITLE: 'grafana' });
      expect(await plan(['m.yaml'], { output: 'text' }, context)).toBe('done');
      expect(stdout()).toContain('Plan: 2 to add');
      expect(stdout()).not.toContain('has the same');
    });

    test.each<[string, string[], Parameters<typeof said>[1]]>([
      ['is declared elsewhere', ['grafana', ...others], {}],
      ['may be declared outside of the selection', others, { target: ['application.*'] }],
      ['is one of several', others, { held: [...applications, { slug: 'metrics', name: 'grafana' }] }],
      ['is not seen in a list', others.slice(0, 3), {}],
    ])('has no note if the undeclared record %s', async (_, declared, how) => {
      expect(await said(declared, how)).not.toContain('has the same');
    });
  });

  test("requests the token's user like any other record: after a pause, and again after a failure", async () => {
    const world = new World();
    const clock = virtualClock();
    const asked: number[] = [];
    world.tamper = (request, answer) => {
      if (!request.path.endsWith('/users/me/')) return answer();
      asked.push(clock.now());
      return asked.length === 1 ? answered(503, '', { 'retry-after': '5' }) : answer();
    };
    const users = 'version: 1\nusers: [{ username: bob, name: Bob, is_active: false }]\n';
    const { context, stdout } = world.run(users, {}, { clock });
    expect(await apply(['m.yaml'], applyAsJson, context)).toBe('done');
    expect(outcomesIn(stdout())).toMatchObject([{ outcome: 'updated' }]);
    const [first = 0, second = 0] = asked;
    expect(second - first).toBeGreaterThanOrEqual(5000);
  });

  test.each([
    [
      'one update',
      '',
      'Change 1 in http://127.0.0.1:9?',
      'This change does more than change fields, as shown above. Make it?',
    ],
    [
      'one update beside a new record',
      ', { slug: new, name: New }',
      'Create 1 and change 1 in http://127.0.0.1:9?',
      '1 of these 2 changes does more than change fields, as shown above. Make all 2?',
    ],
  ])('asks separately for the confirmation of %s with wider effects', async (_, more, first, second) => {
    const world = new World();
    const grafana = `version: 1\napplications: [{ slug: grafana, name: Grafana, provider: 2 }${more}]\n`;
    const asking = { terminal: true, answerToPrompt: ['yes', 'no'] };
    const { context, stderr, questions } = world.run(grafana, {}, asking);
    expect(await apply(['m.yaml'], { output: 'text', ...allowUpdate }, context)).toBe('failed');
    expect(questions.map((question) => question.replaceAll('\n', ' '))).toEqual(
      [first, second].map((question) => `${question} Only "yes" is accepted: `),
    );
    expect(stderr()).toContain('application.grafana: logins go through another provider');
    expect(world.writes()).toEqual([]);
  });

  test.each([
    ['a delete', 'users: [{ username: jane, state: absent }]', 'Delete 1 in ', 'Delete it for good?'],
    [
      'several deletes',
      'users: [{ username: jane, state: absent }, { username: carl, state: absent }]',
      'Delete 2 in ',
      'Delete these 2 for good?',
    ],
    [
      'access',
      'users: [{ username: a, name: A, groups: [{ name: admins }] }]',
      'Create 1 in ',
      'Give this access?',
    ],
    [
      'access of several records',
      'users: [{ username: a, name: A, groups: &g [{ name: admins }] }, { username: b, name: B, groups: *g }]',
      'Create 2 in ',
      'Give access in all 2 cases?',
    ],
  ])('asks a separate question about %s', async (_, text, first, second) => {
    const names = ['jane', 'carl'];
    const world = new World({
      tokens: [{ token: 'sandbox-token', superuser: true }],
      groups: [{ name: 'admins', is_superuser: true }],
      users: names.map((username) => ({ username, name: username })),
    });
    const env = { ROLLCALL_CAPABILITIES: 'delete' };
    const { context, questions } = world.run(`version: 1\n${text}\n`, env, { answerToPrompt: 'yes' });
    expect(await apply(['m.yaml'], { output: 'text', allow: ['delete'], maxDeletes: '2' }, context)).toBe(
      'done',
    );
    expect(questions.map((question) => question.replace(/ Only.*/s, ''))).toEqual([
      `${first}http://127.0.0.1:9?`,
      second,
    ]);
  });

  test.each([
    ['50 new resources with --yes shows', 50, { yes: true }, true],
    ['51 new resources with --yes only counts', 51, { yes: true }, false],
    ['51 new resources with a confirmation shows', 51, {}, true],
  ])('an apply of %s the changes before it begins', async (_, count, options, areShown) => {
    const names = Array.from({ length: count }, (_value, index) => `u${index}`);
    const users = names.map((username) => ({ username, name: 'U' }));
    const world = new World();
    const text = JSON.stringify({ version: 1, users });
    const { context, stdout } = world.run(text, {}, { answerToPrompt: 'no' });
    world.tamper = ({ method }, answer) => (method === 'POST' ? answered(403, {}) : answer());
    await apply(['m.yaml'], { output: 'text', ...options }, context);
    const [before = ''] = stdout().split('Plan: ');
    expect(before.includes('user.u7')).toBe(areShown);
  });

  test('counts the updates with wider effects in the second question', async () => {
    const world = new World(undefined, '2025.12');
    const asking = { terminal: true, answerToPrompt: ['yes', 'no'] };
    const { context, stderr, questions } = world.run(manifest, {}, asking);
    await apply(['m.yaml'], { output: 'text', ...allowUpdate }, context);
    expect(questions[1]?.replaceAll('\n', ' ')).toBe(
      '2 of these 5 changes do more than change fields, as shown above. Make all 5? Only "yes" is accepted: ',
    );
    expect(stderr()).toContain('\n  user.bob: the account can no longer log in\n');
  });

  test.each([
    [{ is_active: true }, { is_active: false }, 'can no longer log in'],
    [{ is_active: false }, { is_active: true }, 'can log in again'],
    [{ type: 'internal' }, { type: 'external' }, 'changes from internal to external'],
    [{ type: 'external' }, { type: 'internal' }, 'changes from external to internal'],
  ] as const)('describes the effect of an update of a user: %j → %j', async (before, after, words) => {
    const user = { username: 'u', name: 'U' };
    const world = new World({ users: [{ ...user, ...before }] });
    const text = JSON.stringify({ version: 1, users: [{ ...user, ...after }] });
    const shown = world.run(text);
    await plan(['m.yaml'], { output: 'text', ...allowUpdate }, shown.context);
    expect(shown.stdout()).toMatch(new RegExp(`note  the .*account .*${words}$`, 'm'));
    const config = `version: 1\nhide: [user.${Object.keys(after).join('')}]\n`;
    const hidden = world.run('', {}, { files: { 'm.yaml': text, 'rollcall.yaml': config } });
    await plan(['m.yaml'], { output: 'text', ...allowUpdate }, hidden.context);
    expect(hidden.stdout()).toMatch(
      /note {2}the (account gains or loses the ability to log in|type of the account changes)$/m,
    );
  });

  test.each([
    [{ provider: 1 }, { provider: 2 }, 'logins go through another provider'],
    [{ provider: 1 }, { provider: null }, 'logins no longer go through a provider'],
    [{}, { provider: 2 }, 'logins now go through a provider'],
    [
      { backchannel_providers: [1] },
      { backchannel_providers: [] },
      'users are provisioned or logged out through fewer providers',
    ],
    [
      { backchannel_providers: [1] },
      { backchannel_providers: [1, 2] },
      'users are provisioned or logged out through more providers',
    ],
  ])('describes the effect of an update of an application: %j → %j', async (before, after, words) => {
    const application = { slug: 'a', name: 'A' };
    const world = new World({ applications: [{ ...application, ...before }] });
    const text = JSON.stringify({ version: 1, applications: [{ ...application, ...after }] });
    const { context, stdout } = world.run(text);
    await plan(['m.yaml'], { output: 'text', ...allowUpdate }, context);
    expect(stdout()).toMatch(new RegExp(`note {2}${words}$`, 'm'));
  });

  test('continues after one denied update, and stops after several', async () => {
    const slugs = Array.from({ length: 12 }, (_, index) => `a-${String(index).padStart(2, '0')}`);
    const world = new World({ applications: slugs.map((slug) => ({ slug, name: 'A' })) });
    world.tamper = ({ method, path }, answer) =>
      method === 'PATCH' && !path.endsWith('/a-02/') ? answered(403, { detail: 'no' }) : answer();
    const text = `version: 1\napplications:\n${slugs.map((slug) => `  - { slug: ${slug}, name: B }\n`).join('')}`;
    const { context, stdout } = world.run(text);
    expect(await apply(['m.yaml'], { ...applyAsJson, concurrency: '1' }, context)).toBe('denied');
    expect(outcomesIn(stdout()).map(({ outcome }) => outcome)).toEqual([
      'denied',
      'denied',
      'updated',
      'denied',
      'denied',
      'denied',
      'denied',
      'denied',
      'not_attempted',
      'not_attempted',
      'not_attempted',
      'not_attempted',
    ]);
  });
});

test('a create answered with 405 is reported as unclear, not as a change that the service does not offer', async () => {
  const world = new World();
  world.tamper = ({ method }, answer) => (method === 'POST' ? answered(405, '') : answer());
  const { context, stdout } = world.run('version: 1\napplications: [{ slug: new, name: New }]\n');
  expect(await apply(['m.yaml'], { output: 'text', yes: true }, context)).not.toBe('done');
  expect(stdout()).toContain('unclear whether it was created: the service failed (405)');
});

test('a 404 web page as the answer to one change does not stop other changes', async () => {
  const world = new World();
  world.tamper = ({ method, path }, answer) =>
    method === 'PATCH' && path.includes('/applications/') ? answered(404, '<!DOCTYPE html>') : answer();
  const { context, stdout } = world.run(
    'version: 1\napplications: [{ slug: wiki, name: Wiki, group: New }]\nusers: [{ username: zoe, name: Zoe }]\n',
  );
  const options = { output: 'json', yes: true, concurrency: '1', ...allowUpdate } as const;
  expect(await apply(['m.yaml'], options, context)).toBe('incomplete');
  expect(outcomesIn(stdout())).toMatchObject([
    { address: 'application.wiki', outcome: 'not_attempted' },
    { address: 'user.zoe', outcome: 'created' },
  ]);
});

test.each([
  ['405, as the API says it', 405, 'application/json', '{"detail":"Method \\"PATCH\\" not allowed."}'],
  ['405, as a proxy says it', 405, 'text/html', ''],
  ['404, as a proxy says it', 404, 'text/html', '<!DOCTYPE html>'],
])(
  'an update that the service does not offer is reported as not offered: %s',
  async (_, status, type, body) => {
    const world = new World();
    world.tamper = (request, answer) =>
      request.method === 'PATCH'
        ? { kind: 'answered', status, headers: { 'content-type': type }, body }
        : answer();
    const { context, stdout } = world.run(
      'version: 1\napplications: [{ slug: wiki, name: Wiki, group: New }]\n',
    );
    expect(await apply(['m.yaml'], { output: 'text', yes: true, ...allowUpdate }, context)).not.toBe('done');
    expect(stdout()).toContain(`the service does not offer to change applications (${status})`);
    expect(stdout()).toContain('Allow PATCH /api/v3/core/applications/ in every proxy');
    expect(stdout()).not.toContain('Check the service URL');
  },
);
