import { beforeEach, describe, expect, test } from 'vitest';
import { apply, type ApplyOptions } from '../../src/commands/apply.ts';
import { plan, type PlanOptions } from '../../src/commands/plan.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { fakeService, type FakeService } from '../support/fake-service.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { World } from '../support/update-world.ts';
import { capture, type Captured, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { done } from '../support/manifest-run.ts';
import { inFull } from '../support/effort.ts';

type Texts = Readonly<Record<string, string>>;

const config = 'version: 1\nmanifests: [m]\n';
const before = {
  'rollcall.yaml': config,
  'm/apps.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki }, { slug: docs, name: Docs }]\n',
  'm/users.yaml': 'version: 1\nusers: [{ username: alice, name: A }, { username: bob, name: B }]\n',
};
const now = {
  ...before,
  'm/apps.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki 2 }, { slug: docs, name: Docs }]\n',
  'm/users.yaml': 'version: 1\nusers: [{ username: alice, name: A }, { username: zoe, name: Z }]\n',
};
const existing = { wiki: { name: 'Wiki' }, docs: { name: 'Other' } };

let service: FakeService;
beforeEach(() => {
  service = fakeService(existing);
});

/** A context whose folder `.before` has other manifests than the present ones. */
function setup(past: Texts, present: Texts, more: Setup = {}): Captured {
  return capture({
    files: present,
    past,
    url: 'https://id.example.com',
    transport: service.send,
    ...more,
  });
}

interface Ran {
  readonly ending: Ending;
  readonly stdout: string;
  readonly stderr: string;
}

/** A plan of the present manifests, compared with the former manifests. */
async function planned(options: Partial<PlanOptions> = {}, captured = setup(before, now)): Promise<Ran> {
  const ending = await plan([], { output: 'json', baseline: '.before', ...options }, captured.context);
  return { ending, stdout: captured.stdout(), stderr: captured.stderr() };
}

async function applied(options: Partial<ApplyOptions> = {}, captured = setup(before, now)): Promise<Ran> {
  const ending = await apply(
    [],
    { output: 'json', baseline: '.before', yes: true, ...options },
    captured.context,
  );
  return { ending, stdout: captured.stdout(), stderr: captured.stderr() };
}

/** What the plan says about each entry since the baseline. Entries that are no longer declared are included. */
function told({ stdout }: Pick<Ran, 'stdout'>): Readonly<Record<string, string>> {
  const document = JSON.parse(stdout) as {
    readonly baseline: { readonly no_longer_declared: readonly { readonly address: string }[] };
    readonly resource_changes: readonly {
      readonly address: string;
      readonly since: { readonly kind: string };
    }[];
  };
  return Object.fromEntries([
    ...document.resource_changes.map(({ address, since }) => [address, since.kind] as const),
    ...document.baseline.no_longer_declared.map(({ address }) => [address, 'gone'] as const),
  ]);
}

function asked(): string[] {
  return service.requests
    .filter(({ path }) => !path.includes('/version/'))
    .map(({ method, path }) => `${method} ${path.replace('/api/v3/core', '')}`)
    .toSorted();
}

describe('a plan with --baseline', () => {
  test('reports how each entry changed, and the entries that are no longer declared', async () => {
    const { ending, stdout, stderr } = await planned();
    expect({ ending, stderr }).toEqual({ ending: 'done', stderr: '' });
    const document: unknown = JSON.parse(stdout);
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(document).toMatchObject({
      baseline: {
        path: '.before',
        no_longer_declared: [{ address: 'user.bob', source: { file: 'm/users.yaml', line: 2, column: 39 } }],
      },
      resource_changes: [
        { address: 'application.docs', since: { kind: 'same' } },
        {
          address: 'application.wiki',
          since: { kind: 'altered', fields: [{ field: 'name', before: 'Wiki', now: 'Wiki 2' }] },
        },
        { address: 'user.alice', since: { kind: 'same' } },
        { address: 'user.zoe', since: { kind: 'added' } },
      ],
    });
    expect(document).not.toHaveProperty('scope');
  });

  test('considers only selected entries, including removed ones', async () => {
    expect(told(await planned({ target: ['user.*'] }))).toEqual({
      'user.alice': 'same',
      'user.zoe': 'added',
      'user.bob': 'gone',
    });
    expect(told(await planned({ exclude: ['user.*'] }))).not.toHaveProperty('user.bob');
  });

  test('includes the comparison in the saved plan', async () => {
    const captured = setup(before, now);
    const printed = await planned({ out: 'plan.json' }, captured);
    const saved = captured.written.get('plan.json') ?? '';
    expect(told({ stdout: saved })).toEqual(told(printed));
    const later = setup({}, { ...now, 'plan.json': saved });
    expect(await apply(['m'], { output: 'text', plan: 'plan.json' }, later.context)).toBe('done');
    expect(asked().filter((request) => request.startsWith('POST'))).toHaveLength(2);
  });

  test.each([
    ['nowhere', '--baseline cannot be "nowhere": there is no such folder'],
    ['m/apps.yaml', '--baseline cannot be "m/apps.yaml": there is no such folder'],
    ['.', '--baseline cannot be the working directory itself'],
    ['/memory', '--baseline cannot be "/memory": there is no such folder'],
  ])(
    'is refused if its baseline is not a folder or is the working directory: %s',
    async (baseline, message) => {
      await expect(planned({ baseline })).rejects.toThrow(message);
      expect(service.requests).toEqual([]);
    },
  );
});

describe('a plan with --changed-only', () => {
  test('looks up and creates only added or altered entries', async () => {
    const { stdout } = await done(applied({ changedOnly: true, maxCreates: '1' }));
    expect(asked()).toEqual(['GET /applications/wiki/', 'GET /users/?username=zoe', 'POST /users/']);
    expect(service.creates()).toEqual(['{"username":"zoe","name":"Z"}']);
    const document: unknown = JSON.parse(stdout);
    expect(schemaErrors('apply', document)).toEqual([]);
    expect(document).toMatchObject({ scope: { target: [], exclude: [], declared: 4, changed_only: true } });
  });

  test('mentions the option, and contains the digest of all entries', async () => {
    const { stdout } = await planned({ changedOnly: true, exclude: ['application.*'], output: 'text' });
    expect(stdout).toMatch(
      'Plan for https://id.example.com\nWithout application.*, only added or altered entries: 1 of the 4 declared resources.\n',
    );
    const digests = [await planned({ changedOnly: true }), await planned()].map(
      (ran) => (JSON.parse(ran.stdout) as { readonly manifest_digest: string }).manifest_digest,
    );
    expect(new Set(digests).size).toBe(1);
  });

  test('has no changes and sends no request if no entry changed', async () => {
    for (const detailedExitcode of [false, true]) {
      const ran = await planned({ changedOnly: true, output: 'text', detailedExitcode }, setup(now, now));
      expect(ran).toMatchObject({ ending: 'done', stderr: '' });
      expect(ran.stdout).toMatch(/\n\nNo changes\. No resource was compared\.\n$/);
    }
    await done(applied({ changedOnly: true }, setup(now, now)));
    expect(service.requests).toEqual([]);
  });

  test.each([
    [
      ['application.docs'],
      '\nNo changes. The compared part of your infrastructure matches the configuration.\n',
    ],
    [['application.*'], '\nNo changes. Your infrastructure matches the configuration.\n'],
  ])('%j that finds no changes says how much matches', async (target, words) => {
    const docs = {
      'rollcall.yaml': config,
      'm/apps.yaml': before['m/apps.yaml'].replace('name: Docs', 'name: Other'),
    };
    const { stdout } = await planned({ target, output: 'text' }, setup(docs, docs));
    expect(stdout).toContain(words);
  });

  test('leaves out warnings about unchanged entries', async () => {
    const warned = (name: string): string => `{ username: ${name}, name: A, type: internal_service_account }`;
    const users = (...names: readonly string[]): Texts => ({
      ...now,
      'm/users.yaml': `version: 1\nusers: [${names.map(warned).join()}]\n`,
    });
    const { stderr } = await planned({ changedOnly: true }, setup(users('alice'), users('alice', 'zoe')));
    expect(stderr).toContain('warning: user.zoe: ');
    expect(stderr).not.toContain('alice:');
  });
});

test.each<[Partial<ApplyOptions>, readonly string[], string]>([
  [{ changedOnly: true }, ['m'], '--changed-only needs --baseline'],
  [{ baseline: '.before' }, ['-'], '--baseline cannot compare manifests from standard input'],
  [{ baseline: '.before', vars: ['-'] }, [], '--baseline cannot compare manifests from standard input'],
  [{ baseline: '.before', config: '-' }, [], '--baseline cannot compare manifests from standard input'],
  [
    { baseline: '.before', plan: 'plan.json' },
    [],
    'a saved plan already contains its selection of resources',
  ],
  [{ changedOnly: true, plan: 'plan.json' }, [], 'a saved plan already contains its selection of resources'],
])('the options %j are refused, given the paths %j', async (options, paths, message) => {
  const { context } = setup(before, now);
  await expect(apply(paths, { output: 'text', yes: true, ...options }, context)).rejects.toMatchObject({
    name: 'UsageError',
    message,
  });
  expect(service.requests).toEqual([]);
});

describe('manifests of the baseline', () => {
  const users = (...names: readonly string[]): string =>
    `version: 1\nusers:\n${names.map((name) => `  - { username: ${name}, name: N }\n`).join('')}`;

  test('are found through the rollcall.yaml of the baseline, and get the variables that it names', async () => {
    const past = {
      'rollcall.yaml':
        'version: 1\nmanifests: [old]\nvars: { who: alice }\nenvironments: { e: { vars: { other: bob } } }\n',
      'old/users.yaml': users('"${var:who}"', '"${var:other}"'),
      'm/users.yaml': users('never'),
    };
    const present = {
      'rollcall.yaml': 'version: 1\nmanifests: [m]\nvars: { who: zoe }\nenvironments: { e: {} }\n',
      'm/users.yaml': users('alice', '"${var:who}"'),
    };
    expect(told(await planned({ env: 'e' }, setup(past, present)))).toEqual({
      'user.alice': 'same',
      'user.zoe': 'added',
      'user.bob': 'gone',
    });
  });

  test('use the former content of the variable files that the rollcall.yaml of the baseline names', async () => {
    const settings =
      'version: 1\nmanifests: [m]\nvars_files: [vars/a.yaml]\nenvironments: { e: { vars_files: [vars/e.yaml] } }\n';
    const past = {
      'rollcall.yaml': settings,
      'vars/a.yaml': 'a: alice\nb: for-all\n',
      'vars/e.yaml': 'b: bob\n',
      'm/users.yaml': users('"${var:a}"', '"${var:b}"'),
    };
    const present = {
      ...past,
      'rollcall.yaml': settings.replaceAll('vars/', 'v/'),
      'v/a.yaml': 'a: alice\n',
      'v/e.yaml': 'b: zoe\n',
      'vars/a.yaml': 'a: of now\nb: of now\n',
    };
    expect(told(await planned({ env: 'e' }, setup(past, present)))).toEqual({
      'user.alice': 'same',
      'user.zoe': 'added',
      'user.bob': 'gone',
    });
  });

  test('use the present settings and variables if the baseline has no rollcall.yaml', async () => {
    const present = {
      'rollcall.yaml': 'version: 1\nmanifests: [m]\nvars: { a: alice }\n',
      'vars/b.yaml': 'b: bob\n',
      'm/users.yaml': users('"${var:a}"', '"${var:b}"', '"${var:c}"'),
    };
    const past = { 'm/users.yaml': present['m/users.yaml'] };
    const same = { 'user.alice': 'same', 'user.bob': 'same', 'user.cara': 'same' };
    const flags = { vars: ['vars/b.yaml'], var: ['c=cara'] };
    expect(told(await planned(flags, setup(past, present)))).toEqual(same);
    // References in the former manifests keep their former values.
    const others = { ...past, 'vars/b.yaml': 'b: old\n' };
    expect(told(await planned(flags, setup(others, present)))).toEqual({
      ...same,
      'user.bob': 'added',
      'user.old': 'gone',
    });
  });

  test.each<[string, Texts, boolean]>([
    ['no folder of manifests', { 'rollcall.yaml': config }, true],
    ['a folder without manifests', { 'rollcall.yaml': config, 'm/README.md': '' }, true],
    ['a rollcall.yaml that names no manifests', { 'rollcall.yaml': 'version: 1\n' }, false],
    ['an empty folder', {}, true],
  ])('may be missing, in which case all entries count as new: %s', async (_, past, isTold) => {
    const ran = await planned({ strict: true }, setup(past, now));
    expect(ran.ending).toBe('done');
    expect(ran.stderr.includes('warning: .before contains none of these manifests')).toBe(isTold);
    expect(new Set(Object.values(told(ran)))).toEqual(new Set(['added']));
  });

  test.each<[string, Texts, RegExp, Partial<PlanOptions>]>([
    [
      'an invalid manifest',
      { ...before, 'm/users.yaml': 'version: 1\nusers: [' },
      /^m\/users\.yaml:2:\d+: /m,
      {},
    ],
    [
      'an invalid entry',
      { ...before, 'm/users.yaml': 'version: 1\nusers: [{ username: alice, nme: A }]\n' },
      /^m\/users\.yaml:2:28: unknown field `nme`$/m,
      {},
    ],
    [
      'an invalid rollcall.yaml',
      { ...before, 'rollcall.yaml': 'version: 1\nmanifest: [m]\n' },
      /^rollcall\.yaml:2:1: unknown field `manifest`$/m,
      {},
    ],
    [
      'an environment without settings',
      before,
      /^the environment "e" is not in rollcall\.yaml$/m,
      { env: 'e' },
    ],
  ])('cause one warning if invalid, with or without --strict: %s', async (_, past, detail, options) => {
    const present = { ...now, 'rollcall.yaml': `${config}environments: { e: {} }\n` };
    const { stdout } = await done(planned({ strict: true, ...options }, setup(past, present)));
    const { diagnostics } = JSON.parse(stdout) as {
      readonly diagnostics: readonly { readonly detail: string }[];
    };
    expect(diagnostics).toEqual([
      expect.objectContaining({
        severity: 'warning',
        code: 'broken-before',
        detail: expect.stringMatching(detail),
      }),
    ]);
  });

  test('cause no additional warnings, and rollcall does not read the secrets of these manifests', async () => {
    const entry = (email: string): string =>
      `version: 1\nusers: [{ username: alice, name: '\${env:NAME}', email: ${email}, path: '\${file:nowhere}' }]\n`;
    const past = { ...before, 'm/users.yaml': entry('b@example.com, type: internal_service_account') };
    const present = { ...now, 'm/users.yaml': entry('a@example.com'), 'm/nowhere': 'canary' };
    const captured = setup(past, present, { env: { NAME: 'canary' } });
    const { ending, stdout, stderr } = await planned({ strict: true }, captured);
    expect({ ending, stderr }).toEqual({ ending: 'done', stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      resource_changes: [
        {},
        {},
        {
          since: {
            fields: [{ field: 'email', before: 'b@example.com', now: 'a@example.com' }, { field: 'type' }],
          },
        },
      ],
    });
  });

  test('do not reveal a token that the present manifests no longer contain', async () => {
    const past = { ...before, 'm/apps.yaml': before['m/apps.yaml'].replace('Wiki }', 'sandbox-token }') };
    const inFile = setup(
      { ...past, 'm/users.yaml': before['m/users.yaml'].replace('name: A', 'name: canary-of-the-file') },
      { ...now, token: 'canary-of-the-file' },
    );
    for (const ran of [await planned({}, setup(past, now)), await planned({ tokenFile: 'token' }, inFile)])
      expect(ran.stdout).toContain('"before": "(sensitive)"');
  });

  test('do not reveal fields hidden by the former or the present rollcall.yaml', async () => {
    const entry = (email: string): string =>
      `version: 1\nusers: [{ username: alice, name: A, email: ${email} }]\n`;
    const past = { 'rollcall.yaml': config, 'm/users.yaml': entry('old@example.com') };
    const present = { 'rollcall.yaml': config, 'm/users.yaml': entry('new@example.com') };
    const hiding = { 'rollcall.yaml': `${config}hide: [user.email]\n` };
    for (const [then, today] of [
      [{ ...past, ...hiding }, present],
      [past, { ...present, ...hiding }],
      [past, { ...present, ...hiding, 'm/users.yaml': entry('').replace(', email: ', '') }],
    ] as const) {
      const { stdout } = await done(planned({}, setup(then, today)));
      expect(stdout).toContain('"before": "(hidden)"');
      expect(stdout).not.toContain('old@example.com');
    }
  });

  test('are checked by the rules of the present release', async () => {
    const text = `version: 1\napplications: [{ slug: ${'a'.repeat(51)}, name: Wiki }]\n`;
    const past = { 'rollcall.yaml': `${config}release: '2023.10'\n`, 'm/apps.yaml': text };
    const present = { ...past, 'rollcall.yaml': `${config}release: '2026.5'\n` };
    const { stderr } = await done(planned({}, setup(past, present)));
    expect(stderr).not.toContain('invalid');
  });

  test('are not read from a file that the present rollcall.yaml names as a token file, even if the former one does not', async () => {
    const past = {
      ...before,
      'rollcall.yaml': 'version: 1\nmanifests: [m, store]\n',
      'store/token.yaml': 'canary-of-the-file: 1\n',
    };
    const present = {
      ...now,
      'rollcall.yaml': `${config}environments: { production: { token_file: store/token.yaml } }\n`,
      'store/token.yaml': 'canary-of-now\n',
    };
    const { stdout } = await done(planned({}, setup(past, present)));
    expect(stdout).toContain('store/token.yaml:1:1: this file');
  });

  test('may use files that the former rollcall.yaml allowed', async () => {
    const past = {
      'rollcall.yaml': `${config}allow_env: [OLD]\n`,
      'm/users.yaml': "version: 1\nusers: [{ username: alice, name: '${env:OLD}' }]\n",
    };
    const present = {
      'rollcall.yaml': `${config}allow_env: []\n`,
      'm/users.yaml': 'version: 1\nusers: [{ username: alice, name: A }]\n',
    };
    const { ending, stderr, stdout } = await planned({}, setup(past, present));
    expect({ ending, stderr }).toEqual({ ending: 'done', stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      resource_changes: [{ since: { fields: [{ field: 'name', before: '(sensitive)', now: 'A' }] } }],
    });
  });
});

describe.runIf(inFull)('fields that an entry no longer declares, but the service keeps', () => {
  const [staff, contractors] = [
    '11111111-1111-4111-8111-111111111111',
    '22222222-2222-4222-8222-222222222222',
  ];
  const some = 'at_least: [groups, roles]';
  const auditors = '33333333-3333-4333-8333-333333333333';
  const held: SandboxSeed = {
    users: [
      {
        username: 'alice',
        name: 'A',
        email: 'a@example.com',
        groups: [staff, contractors],
        roles: [auditors],
        attributes: { dept: 'x', theme: { dark: true, big: 1 } },
      },
    ],
    applications: [{ slug: 'wiki', name: 'Wiki', backchannel_providers: [3, 4] }],
  };

  async function compared(
    [then, present]: readonly [string, string],
    options: Partial<PlanOptions> = {},
    settings = 'version: 1\n',
    seen = (body: string): string => body,
  ): Promise<string> {
    const world = new World(held, '2026.2');
    world.tamper = (_, answer) => {
      const exchange = answer();
      return exchange.kind === 'answered' ? { ...exchange, body: seen(exchange.body) } : exchange;
    };
    const user = (fields: string): string =>
      `version: 1\nusers: [{ username: alice, name: A${fields === '' ? '' : `, ${fields}`} }]\n`;
    const { context, stdout } = world.run('', { ROLLCALL_CAPABILITIES: '' }, {
      files: { 'm.yaml': user(present), 'rollcall.yaml': settings },
      past: { 'm.yaml': user(then), 'rollcall.yaml': settings },
    } satisfies Setup);
    const ending = await plan(['m.yaml'], { output: 'text', baseline: '.before', ...options }, context);
    expect(ending).toBe('done');
    return stdout();
  }

  test.each([
    [
      `groups: ["${staff}", "${contractors}"]`,
      `groups: ["${staff}"], ${some}`,
      `keeps ${contractors} of its \`groups\``,
    ],
    [
      `groups: [{ name: staff }, { name: contractors }]`,
      `groups: [{ name: staff }], ${some}`,
      'keeps contractors of its `groups`',
    ],
    [
      `groups: [{ name: staff }, { name: contractors }]`,
      `groups: ["${staff}"], ${some}`,
      'keeps contractors of its `groups`',
    ],
    [
      `groups: ["${staff}", "${contractors}"]`,
      `groups: [{ name: staff }], ${some}`,
      `keeps ${contractors} of its \`groups\``,
    ],
    [`groups: ["${contractors}"]`, '', `keeps ${contractors} of its \`groups\``],
    [`groups: [{ name: contractors }]`, '', 'keeps contractors of its `groups`'],
    [`roles: ["${auditors}"]`, `roles: [], ${some}`, `keeps ${auditors} of its \`roles\``],
    [
      'attributes: { dept: x, theme: { dark: true } }',
      'attributes: { theme: {} }',
      'keeps dept, theme.dark of its `attributes`',
    ],
    ['email: a@example.com', '', 'keeps its `email`'],
  ])('are reported, and the entry is not reported as in sync: %s → %s', async (then, present, words) => {
    const text = await compared([then, present]);
    expect(text).toContain('user.alice is altered; its declared fields are in sync');
    expect(text).toMatch(new RegExp(`note  .*${words}$`, 'm'));
    expect(await compared([then, present], { compact: true })).toMatch(
      new RegExp(`user\\.alice is altered in .+; .*${words}`),
    );
  });

  test.each([
    [`groups: ["${staff}"]`, `keeps ${staff} of its \`groups\``, 'groups'],
    ['groups: [{ name: staff }]', 'keeps staff of its `groups`', 'groups'],
  ])(
    'are reported as possibly kept if the service does not show the fields: %s',
    async (then, words, unseen) => {
      const text = await compared([then, ''], {}, 'version: 1\n', (body) =>
        body.replaceAll(new RegExp(`"${unseen}":\\[[^\\]]*\\],`, 'g'), ''),
      );
      expect(text).toContain(`note  ${words}, if they are in the service\n`);
    },
  );

  test.each([
    ['a value that the service never had', 'groups: ["44444444-4444-4444-8444-444444444444"]', 'groups: []'],
    [
      'a name that the service never had',
      'groups: [{ name: staff }, { name: others }]',
      'groups: [{ name: staff }]',
    ],
    ['a field that is declared in full now', `groups: ["${staff}"]`, 'groups: []'],
    ['a replaced value', 'email: x@example.com', 'email: a@example.com'],
    ['an added value', `groups: ["${staff}"]`, `groups: ["${staff}", "${contractors}"]`],
  ])('are not reported for %s', async (_, then, present) => {
    expect(await compared([then, present])).not.toMatch(/note|still declares/);
  });

  test('are reported in addition to an update, do not raise the severity of the update, and are masked if hidden', async () => {
    const pair = [`groups: ["${staff}"]`, `groups: [], path: new, ${some}`] as const;
    const changing = { allow: ['update'], capability: ['update'] };
    const text = await compared(pair, { ...changing, output: 'json' });
    expect(schemaErrors('plan', JSON.parse(text))).toEqual([]);
    const [change] = (JSON.parse(text) as { resource_changes: readonly object[] }).resource_changes;
    expect(change).toMatchObject({
      change: { actions: ['update'] },
      since: {
        fields: [{ stays: `keeps ${staff} of its \`groups\`` }, { field: 'path' }, { field: 'at_least' }],
      },
    });
    expect(change).not.toHaveProperty('remarks');
    const hidden = await compared(pair, {}, 'version: 1\nhide: [user.groups]\n');
    expect(hidden).toContain('keeps any undeclared part of its `groups`');
    expect(hidden).not.toContain(staff);
  });
});

describe('a removed or renamed entry in a plan with a baseline', () => {
  const entry = (list: string, fields: string): string => `version: 1\n${list}: [{ ${fields} }]\n`;
  const alone = { 'rollcall.yaml': config };

  test('if removed, is reported with the lines of a manifest that would delete the record', async () => {
    const then = {
      ...alone,
      'm/a.yaml': entry('users', 'username: jane, name: J'),
      'm/b.yaml': entry('applications', 'slug: old, name: O'),
      'm/c.yaml': entry('applications', 'slug: wiki, name: Wiki'),
    };
    const { 'm/a.yaml': _, 'm/b.yaml': __, ...rest } = then;
    const captured = setup(then, rest);
    await planned({ report: ['github=out.txt'] }, captured);
    const report = captured.written.get('out.txt') ?? '';
    expect(report).toContain('- { username: "jane", is_active: false }');
    expect(report).toContain('- { slug: "old", state: absent }');
  });

  test('if renamed, counts as altered, not as added or removed', async () => {
    const then = { ...alone, 'm/c.yaml': entry('applications', 'slug: wiki, name: Wiki') };
    const ran = await planned(
      {},
      setup(then, {
        ...alone,
        'm/c.yaml': entry('applications', 'slug: handbook, formerly: wiki, name: Wiki'),
      }),
    );
    const document = JSON.parse(ran.stdout) as {
      baseline: { no_longer_declared: unknown[] };
      resource_changes: unknown[];
    };
    expect(document.baseline.no_longer_declared).toEqual([]);
    expect(document.resource_changes).toMatchObject([
      {
        address: 'application.handbook',
        formerly: 'wiki',
        since: {
          kind: 'altered',
          fields: [{ field: 'slug', before: 'wiki', now: 'handbook' }, { field: 'formerly' }],
        },
      },
    ]);
  });

  test('is not reported as kept if it is declared absent now', async () => {
    const then = { ...alone, 'm/c.yaml': entry('applications', 'slug: wiki, name: Wiki') };
    const ran = await planned(
      { output: 'text' },
      setup(then, { ...alone, 'm/c.yaml': entry('applications', 'slug: wiki, state: absent') }),
    );
    expect(ran.stdout).toContain('application.wiki is altered');
    expect(ran.stdout).not.toContain('keeps');
  });

  test('is reported as still active if it is a user with an active account', async () => {
    const world = new World({
      users: [
        { username: 'jane', name: 'J' },
        { username: 'carl', name: 'C', is_active: false },
      ],
    });
    const then = {
      ...alone,
      'm/a.yaml': entry('users', 'username: jane, name: J }, { username: carl, name: C'),
      'm/c.yaml': entry('applications', 'slug: wiki, name: Wiki'),
    };
    const { 'm/a.yaml': _, ...rest } = then;
    const ran = await planned({ output: 'text' }, setup(then, rest, { transport: world.send }));
    expect(ran.stdout).toContain(
      'No longer declared, and left unchanged: user.carl, user.jane (still active)',
    );
    const { stdout } = await planned({ output: 'json' }, setup(then, rest, { transport: world.send }));
    expect(JSON.parse(stdout)).toMatchObject({
      baseline: { no_longer_declared: [{ active: false }, { active: true }] },
    });
    expect(world.writes()).toEqual([]);
  });
});
