import { describe, expect, test } from 'vitest';
import { isJsonList, isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { show } from '../../src/commands/show.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { capabilities } from '../../src/kinds/capability.ts';
import { answered } from '../support/scripted-transport.ts';
import type { Captured } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { allowUpdate, staff, World } from '../support/update-world.ts';

const seed: SandboxSeed = {
  providers: [1, 2, 3, 4, 5].map((pk) => ({ pk, name: `OIDC ${pk}` })),
  groups: [{ pk: staff, name: 'staff' }],
  applications: [
    { slug: 'old', name: 'Old', provider: 1, backchannel_providers: [3] },
    { slug: 'kept', name: 'Kept' },
  ],
};
const env = { ROLLCALL_CAPABILITIES: capabilities.join(',') };

/** Two of the five resources refer to missing records. */
const manifest = `version: 1
applications:
  - { slug: bad, name: Bad, provider: { name: OIDC 22 } }
  - { slug: good, name: Good, provider: { name: OIDC 2 } }
  - { slug: kept, name: Kept }
users:
  - { username: alice, name: Alice, groups: [{ name: staff }] }
  - { username: bob, name: Bob, groups: [{ name: stuff }, { name: nobody }] }
`;
const left = ['application.bad', 'user.bob'];

type Ran = Captured & { ending: string; world: World };

async function run(
  command: 'plan' | 'apply',
  options: object = {},
  { text = manifest, world = new World(seed) }: { text?: string; world?: World } = {},
): Promise<Ran> {
  const ran = world.run(text, env);
  const given = { output: 'text', keepGoing: true, yes: true, ...options } as const;
  const paths = 'plan' in given ? [] : ['m.yaml'];
  const ending = await { plan, apply }[command](paths, given, ran.context);
  return { ...ran, ending, world };
}

function changesIn(document: unknown): JsonObject[] {
  const changes = isJsonObject(document) ? document['resource_changes'] : undefined;
  return (isJsonList(changes) ? changes : []).filter((change) => isJsonObject(change));
}

function notPlannedIn(document: unknown): unknown[] {
  return changesIn(document).flatMap(({ address, change }) =>
    JSON.stringify(change).includes('not-planned') ? [address] : [],
  );
}

function created(world: World): unknown[] {
  return world.writes().map(({ body }) => (isJsonObject(body) ? (body['slug'] ?? body['username']) : body));
}

/** A manifest of applications. From line 3 on, each entry has its own line. */
function applications(...entries: string[]): string {
  return ['version: 1', 'applications:', ...entries.map((entry) => `  - { ${entry} }`), ''].join('\n');
}

describe('with --keep-going, a name without an id', () => {
  test('ends the plan with 6, and its resource is listed last', async () => {
    const { ending, stdout, stderr } = await run('plan');
    expect(ending).toBe('incomplete');
    expect(stdout()).toMatch(/^ {2}! application\.bad is not planned {2}m\.yaml:3$/m);
    expect(stdout()).toContain('error  m.yaml:3:39: there is no provider named "OIDC 22"');
    expect(stdout()).toContain('[name-not-found]. Did you mean "OIDC 2"?');
    expect(stdout()).toContain('there is no group named "stuff"');
    expect(stdout()).toContain('there is no group named "nobody"');
    expect(stdout()).toContain('2 to create, 0 to create if absent, 0 differ, 1 in sync, 2 not planned.');
    expect(stdout().trimEnd()).toMatch(/Plan: 2 to add, 0 to change, 0 to destroy\.$/);
    expect(stdout()).toMatch(/^ {2}! user\.bob[^]*^ {2}\+ application\.good/m);
    expect(stderr().trimEnd()).toBe('error: 2 resources are not planned: application.bad, user.bob');
  });

  test('is in the JSON document of the plan, and the document matches the schema', async () => {
    const { stdout } = await run('plan', { output: 'json' });
    const document = parseJson(stdout());
    expect(schemaErrors('plan', document)).toEqual([]);
    expect(notPlannedIn(document)).toEqual(left);
    expect(document).toMatchObject({ summary: { create: 2, in_sync: 1, not_planned: 2 } });
    expect(changesIn(document)[0]).toMatchObject({
      presence: 'unknown',
      change: { actions: ['not-planned'], before: null, after: null },
      diagnostics: [{ severity: 'error', code: 'name-not-found', address: 'application.bad' }],
    });
  });

  test('does not stop apply from doing everything else', async () => {
    const { ending, stdout, world } = await run('apply');
    expect(ending).toBe('incomplete');
    expect(created(world)).toEqual(['good', 'alice']);
    expect(stdout()).toContain('application.bad  not attempted: it could not be planned');
    expect(stdout()).toContain('m.yaml:3:39: error: application.bad: there is no provider named "OIDC 22"');
    expect(stdout()).toContain('2 created, 1 in sync, 2 not attempted.');
    expect(stdout()).toContain('Fix the problems that are shown, then run the same apply again');
    expect(stdout()).toContain('Apply incomplete! Resources: 2 added');
  });

  test.each([
    ['--detailed-exitcode', { detailedExitcode: true }],
    ['--fail-on', { failOn: ['differs'] }],
  ])('ends the run with exit code 6 instead of 2, given %s', async (_, options) => {
    const text = manifest.replace('name: Kept', 'name: Other');
    const { ending, stderr } = await run('plan', options, { text });
    expect(ending).toBe('incomplete');
    if ('failOn' in options) expect(stderr()).toContain('1 resource differs, and --fail-on differs is given');
  });

  test('ends with 6 and changes nothing if it affects all resources', async () => {
    const text = applications('slug: bad, name: Bad, provider: { name: nobody }');
    for (const command of ['plan', 'apply'] as const) {
      const { ending, stdout, world } = await run(command, {}, { text });
      expect(ending).toBe('incomplete');
      expect(stdout()).not.toContain('No changes.');
      expect(world.writes()).toEqual([]);
    }
  });

  test('leaves its resource unplanned if the token may not look up the name', async () => {
    const world = new World({
      ...seed,
      tokens: [{ token: 'canary-blind', view_groups: 'none' }],
    });
    const blind = world.run(manifest, { ...env, ROLLCALL_TOKEN: 'canary-blind' });
    world.tamper = (request) => world.handle(request, 'canary-blind');
    const ending = await plan(['m.yaml'], { output: 'json', keepGoing: true }, blind.context);
    expect(ending).toBe('incomplete');
    expect(notPlannedIn(parseJson(blind.stdout()))).toEqual(['application.bad', 'user.alice', 'user.bob']);
    expect(blind.stdout()).toContain('The token must be allowed to view groups.');
  });

  test('does not trigger --fail-fast', async () => {
    const { world } = await run('apply', { failFast: true, concurrency: '1' });
    expect(created(world)).toEqual(['good', 'alice']);
  });

  test('does not prevent creates of other resources if the look-up of the name fails', async () => {
    const world = new World(seed);
    world.tamper = ({ path }, answer) => (path.includes('/providers/') ? answered(500, 'broken') : answer());
    const { ending, stdout } = await run('apply', {}, { world });
    expect(ending).toBe('incomplete');
    expect(stdout()).toContain('could not look up the provider by its name');
    expect(world.writes()).not.toEqual([]);
  });

  test('does not keep the run going if the service asks for too long a pause', async () => {
    const world = new World(seed);
    const later = answered(429, { detail: 'Later.' }, { 'retry-after': '100000' });
    world.tamper = ({ path }, answer) => (path.includes('/providers/') ? later : answer());
    const { ending, stderr } = await run('apply', {}, { world });
    expect(ending).toBe('failed');
    expect(stderr()).toContain('No plan for');
    expect(world.writes()).toEqual([]);
  });

  test('does not keep the run going if a manifest is invalid', async () => {
    const { ending, world } = await run('apply', {}, { text: `${manifest}  - { username: "", name: X }\n` });
    expect(ending).toBe('invalid');
    expect(world.writes()).toEqual([]);
  });
});

test('with --keep-going, a run in which every name has an id ends as without --keep-going', async () => {
  const good = applications('slug: good, name: Good, provider: { name: OIDC 2 }');
  for (const command of ['plan', 'apply'] as const) {
    const [one, other] = await Promise.all(
      [true, false].map((keepGoing) => run(command, { keepGoing }, { text: good })),
    );
    expect([one?.ending, one?.stdout()]).toEqual(['done', other?.stdout()]);
  }
});

describe('a report lists resources that are not planned, with reasons', () => {
  const formats = ['text', 'json', 'markdown', 'html', 'junit', 'github'];
  const texts = async (command: 'plan' | 'apply'): Promise<ReadonlyMap<string, string>> =>
    (await run(command, { report: formats.map((format) => `${format}=${format}`) })).written;

  test.each(['plan', 'apply'] as const)('for %s', async (command) => {
    const written = await texts(command);
    for (const format of formats) {
      const text = written.get(format) ?? '';
      for (const address of left) expect(text, format).toContain(address);
      expect(text, format).toMatch(/there is no group named \\?(?:"|&quot;)stuff/);
    }
    expect(written.get('junit')?.match(/<failure /g)).toHaveLength(command === 'plan' ? 3 : 2);
    expect(written.get('github')).toContain('::error file=m.yaml,line=3,endLine=3,col=39');
    expect(written.get('markdown')).toContain(command === 'plan' ? '2 not planned' : '2 not attempted');
  });

  test('for apply -o json', async () => {
    const document = parseJson((await run('apply', { output: 'json' })).stdout());
    expect(schemaErrors('apply', document)).toEqual([]);
    expect(document).toMatchObject({
      outcomes: [
        { address: 'application.bad', outcome: 'not_attempted', stopped_by: 'not_planned', needs_fix: true },
        { address: 'application.good', outcome: 'created' },
        { address: 'application.kept', outcome: 'unchanged' },
        { address: 'user.alice', outcome: 'created' },
        { address: 'user.bob', diagnostics: [{ code: 'name-not-found' }, { code: 'name-not-found' }] },
      ],
    });
  });
});

describe('a saved plan with resources that are not planned', () => {
  const saved = async (text = manifest, world = new World(seed)): Promise<{ text: string; world: World }> => {
    const { written } = await run('plan', { out: 'p.json', ...allowUpdate }, { text, world });
    return { text: written.get('p.json') ?? '', world };
  };

  test('applies the rest, lists them, and ends with 6', async () => {
    const { text, world } = await saved();
    expect(schemaErrors('plan', parseJson(text))).toEqual([]);
    const ran = world.run(manifest, env, { files: { 'm.yaml': manifest, 'p.json': text } });
    const ending = await apply(['m.yaml'], { output: 'json', plan: 'p.json' }, ran.context);
    expect([ending, created(world)], ran.stderr()).toEqual(['incomplete', ['good', 'alice']]);
    expect(ran.stdout()).toContain('there is no provider named');
  });

  test('is shown with these resources by rollcall show', async () => {
    const { text, world } = await saved();
    const { context, stdout } = world.run('', env, { files: { 'p.json': text } });
    expect(await show('p.json', { output: 'text' }, context)).toBe('done');
    expect(stdout()).toContain('! application.bad is not planned');
    expect(stdout()).toContain('2 not planned.');
  });

  test('cannot be applied with --keep-going, an option for new plans', async () => {
    const { text, world } = await saved();
    const { context } = world.run('', env, { files: { 'p.json': text } });
    const applied = apply([], { output: 'text', plan: 'p.json', keepGoing: true }, context);
    await expect(applied).rejects.toThrow('a saved plan already contains its selection of resources');
  });
});

test('a resource that is not planned is shown even if unchanged since the baseline', async () => {
  const ran = new World(seed).run(manifest, env, { past: { 'm.yaml': manifest } });
  const options = {
    output: 'text',
    keepGoing: true,
    baseline: '.before',
    report: ['markdown=c', 'html=h'],
  } as const;
  expect(await plan(['m.yaml'], options, ran.context)).toBe('incomplete');
  for (const text of [ran.stdout(), ran.written.get('c'), ran.written.get('h')]) {
    expect(text).toContain('nothing added, altered or removed');
    expect(text).toMatch(/application\.bad[^]*there is no provider named/);
  }
  expect(ran.stdout()).toContain('Not affected by this change: 2 to create, 1 in sync.');
});

test('a resource that is not planned shows no hidden field', async () => {
  const text = manifest.replace('nobody', 'canary-hidden-group');
  const files = {
    'm.yaml': text,
    'rollcall.yaml': 'version: 1\nhide: [user.groups]\n',
  };
  const { context, stdout, stderr, written } = new World(seed).run('', env, { files });
  const options = { output: 'text', keepGoing: true, out: 'p.json', report: ['json=j', 'html=h'] } as const;
  expect(await plan(['m.yaml'], options, context)).toBe('incomplete');
  expect(stdout()).toContain('there is no group of this name');
  const all = [stdout(), stderr(), written.get('j'), written.get('h'), written.get('p.json')].join();
  expect(all).not.toContain('canary-hidden-group');
});

test('a resource that is not planned is printed with control characters escaped', async () => {
  const text = manifest.replace('{ name: nobody }', String.raw`{ name: "no\u202ebody\n::error::x" }`);
  const formats = ['text=t', 'markdown=m', 'html=h', 'github=g', 'junit=x'];
  const { stdout, stderr, written } = await run('plan', { report: formats }, { text });
  const compact = await run('plan', { compact: true }, { text });
  for (const each of [stdout(), stderr(), compact.stdout(), ...written.values()]) {
    expect(each).not.toContain('\u202e');
    expect(each).not.toMatch(/^::error::/m);
  }
  expect(compact.stdout()).toMatch(/^ {2}! user\.bob is not planned: there is no group named "stuff"/m);
});

describe('with --keep-going, a resource is not planned', () => {
  const codesIn = ({ stdout }: Captured): unknown[] =>
    changesIn(parseJson(stdout())).map(({ address, diagnostics }) => [
      address,
      isJsonList(diagnostics) ? diagnostics.map((each) => isJsonObject(each) && each['code']) : 'planned',
    ]);

  test('if its provider belongs to another application', async () => {
    const text = applications(
      'slug: new, name: New, provider: { name: OIDC 1 }',
      'slug: fine, name: Fine, provider: 2',
    );
    const ran = await run('plan', { output: 'json' }, { text });
    expect(ran.ending).toBe('incomplete');
    expect(codesIn(ran)).toEqual([
      ['application.fine', 'planned'],
      ['application.new', ['provider-taken']],
    ]);
    const { world } = await run('apply', {}, { text });
    expect(created(world)).toEqual(['fine']);
  });

  test('if it depends on another resource that is not planned', async () => {
    const world = new World({
      ...seed,
      applications: [1, 2, 3, 4].map((pk) => ({ slug: `app-${pk}`, name: `App ${pk}`, provider: pk })),
    });
    // Each application takes the value of the previous one. The first refers to a missing record, and the last depends on none.
    const text = applications(
      'slug: app-1, name: App 1, provider: { name: nobody }',
      'slug: app-2, name: App 2, provider: 1',
      'slug: app-3, name: App 3, provider: 2',
      'slug: app-4, name: App 4, provider: 5',
    );
    const ran = await run('plan', { output: 'json', ...allowUpdate }, { text, world });
    expect(codesIn(ran)).toEqual([
      ['application.app-1', ['name-not-found']],
      ['application.app-2', ['provider-taken']],
      ['application.app-3', ['not-planned']],
      ['application.app-4', 'planned'],
    ]);
    expect(ran.stdout()).toContain('it depends on application.app-2, which is not planned');
    expect(ran.stdout()).toContain(
      'application.app-1 may keep the value, because that resource has errors and is not planned.',
    );
    await run('apply', allowUpdate, { text, world });
    expect(world.writes()).toEqual([{ path: '/applications/app-4/', body: { provider: 5 } }]);
  });

  test('if it exists and refers to a later resource that is not planned', async () => {
    const text = `version: 1
applications:
  - { slug: kept, name: Kept, access: { users: [{ name: bob }] } }
users:
  - { username: bob, name: Bob, groups: [{ name: nobody }] }
`;
    const ran = await run('plan', { output: 'json' }, { text });
    expect(codesIn(ran)).toEqual([
      ['application.kept', ['not-planned']],
      ['user.bob', ['name-not-found']],
    ]);
    expect(ran.stdout()).toContain('it depends on user.bob, which is not planned');
  });

  test('if it is part of a circle', async () => {
    const world = new World({
      ...seed,
      applications: [1, 2].map((pk) => ({ slug: `app-${pk}`, name: `App ${pk}`, provider: pk })),
    });
    const text = applications(
      'slug: app-1, name: App 1, provider: 2',
      'slug: app-2, name: App 2, provider: 1',
      'slug: fine, name: Fine',
    );
    const ran = await run('apply', { output: 'json', ...allowUpdate }, { text, world });
    expect([ran.ending, created(world)]).toEqual(['incomplete', ['fine']]);
  });

  test('if one of its names resolves to a provider that another resource uses', async () => {
    const text = applications(
      'slug: a, name: A, backchannel_providers: [{ name: OIDC 3 }]',
      'slug: b, name: B, backchannel_providers: [3]',
      'slug: c, name: C',
    );
    const ran = await run('plan', { output: 'json' }, { text });
    expect(codesIn(ran)).toEqual([
      ['application.a', ['shared-backchannel-provider']],
      ['application.b', ['shared-backchannel-provider']],
      ['application.c', 'planned'],
    ]);
    expect(created((await run('apply', {}, { text })).world)).toEqual(['c']);
  });
});

test('a resource that is not planned does not prevent another resource from taking a value from it', async () => {
  const text = applications(
    'slug: old, name: Old, provider: { name: nobody }',
    'slug: new, name: New, backchannel_providers: [3]',
  );
  const { stdout } = await run('plan', {}, { text });
  expect(stdout()).toContain('removes 3 from the `backchannel_providers` of application.old');
});

test('the advice for a reason is given once if several resources are not planned for this reason', async () => {
  const slugs = ['a', 'b', 'c'];
  const entries = slugs.map(
    (slug) => `  - { slug: ${slug}, name: A, access: { groups: [{ name: nobody }] } }\n`,
  );
  const { stdout } = await run('plan', {}, { text: `version: 1\napplications:\n${entries.join('')}` });
  expect(stdout().match(/there is no group named "nobody"/g)).toHaveLength(3);
  expect(stdout().match(/Names are compared exactly/g)).toHaveLength(1);
});

test.each<[options: object, count: number, listed: number]>([
  [{}, 10, 10],
  [{}, 11, 1],
  [{ compact: true }, 12, 1],
  [{ compact: false }, 12, 12],
])(
  'with %j, of %i resources that are not planned for one reason, %i are listed',
  async (options, count, listed) => {
    const entries = Array.from(
      { length: count },
      (_, index) => `slug: a${index}, name: A, access: { groups: [{ name: nobody }] }`,
    );
    const report = ['markdown=comment.md'];
    const { stdout, written } = await run('plan', { ...options, report }, { text: applications(...entries) });
    const rest = `${count - 1} more are not planned for the same reason as application.a0: application.a1, application.a10, application.a`;
    for (const [text, isCounted, lines] of [
      [stdout(), listed === 1, listed],
      [written.get('comment.md') ?? '', count > 10, count > 10 ? 1 : count],
    ] as const) {
      expect(text.match(/^ *! application\.a\d+ is not planned/gm)).toHaveLength(lines);
      expect(text.includes(`\n${rest}`)).toBe(isCounted);
    }
  },
);

test('an unreadable type leaves out its own resources only: an error of another resource still ends the run', async () => {
  const text = `version: 1
settings: [{ avatars: none }]
applications: [{ slug: fine, name: Fine }, { slug: icon, name: Icon, meta_hide: true }]
`;
  const world = new World(
    { ...seed, tokens: [{ token: 'sandbox-token', rights: { view_settings: 'none' } }] },
    '2026.2',
  );
  const stopped = await run('apply', { keepGoing: false }, { text, world });
  expect([stopped.ending, world.writes()]).toEqual(['invalid', []]);
  expect(stopped.stdout() + stopped.stderr()).toContain('[not-in-release]');
  const corrected = await run(
    'apply',
    { keepGoing: false },
    { text: text.replace(', meta_hide: true', ''), world },
  );
  expect([corrected.ending, created(world)]).toEqual(['incomplete', ['fine', 'icon']]);
});

test('a compact line gives each reason once', async () => {
  const world = new World({ tokens: [{ token: 'sandbox-token', view_groups: 'none' }] });
  const text = 'version: 1\nusers: [{ username: ann, name: Ann, groups: [{ name: a }, { name: b }] }]\n';
  const { context, stdout } = world.run(text);
  await plan(['m.yaml'], { output: 'text', keepGoing: true, compact: true }, context);
  expect(stdout().match(/could not look up/g)).toHaveLength(1);
});
