import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { capture } from '../support/run.ts';
import { World } from '../support/update-world.ts';
import { otherClient } from '../support/other-client.ts';

interface Case {
  readonly type: string;
  readonly list: string;
  readonly scope: string;
  readonly path: string;
  readonly wholePath: string;
  /** Two records that can contain the name. `within` returns how an entry refers to one of them. */
  readonly wholes: JsonObject;
  readonly within: (name: string) => JsonObject;
  readonly more: JsonObject;
}

const flows = {
  authorization_flow: { slug: 'default-provider-authorization-implicit-consent' },
};

const cases: readonly Case[] = [
  {
    type: 'entitlement',
    list: 'entitlements',
    scope: 'app',
    path: '/core/application_entitlements/',
    wholePath: '/core/applications/',
    wholes: { applications: ['a', 'b'].map((slug) => ({ slug, name: slug })) },
    within: (slug) => ({ slug }),
    more: { attributes: { level: 1 } },
  },
  {
    type: 'rac_endpoint',
    list: 'rac_endpoints',
    scope: 'provider',
    path: '/rac/endpoints/',
    wholePath: '/providers/rac/',
    wholes: { providers: ['a', 'b'].map((name) => ({ name, type: 'rac', ...flows })) },
    within: (name) => ({ name }),
    more: { host: 'one.example.com', protocol: 'rdp', auth_mode: 'static' },
  },
  {
    type: 'enrollment_token',
    list: 'enrollment_tokens',
    scope: 'connector',
    path: '/endpoints/agents/enrollment_tokens/',
    wholePath: '/endpoints/agents/connectors/',
    wholes: { connectors: ['a', 'b'].map((name) => ({ name, type: 'agents' })) },
    within: (name) => ({ name }),
    more: { expiring: false },
  },
];

const allowed = { output: 'text', yes: true, allow: ['update', 'delete'] } as const;

function worldOf(superuser = true): World {
  return new World({ tokens: [{ token: 'sandbox-token', superuser }], is_licensed: true }, '2026.8');
}

function textOf(content: JsonObject): string {
  return JSON.stringify({ version: 1, ...content });
}

const env = { ROLLCALL_CAPABILITIES: 'update,delete' };

describe.each(cases)('two records with the same name in different parents: $type', (one) => {
  const { type, list, scope, path, wholePath, wholes, within, more } = one;
  const entryIn = (whole: string, fields: JsonObject = more): JsonObject => ({
    name: 'admin',
    [scope]: within(whole),
    ...fields,
  });
  const both = textOf({ ...wholes, [list]: [entryIn('a'), entryIn('b')] });

  async function applied(world: World, text: string, options: object = {}): Promise<string[]> {
    const before = world.writes().length;
    const run = world.run(text, env);
    const ending = await apply(['m.yaml'], { ...allowed, ...options }, run.context);
    expect(ending, run.stderr() + run.stdout()).toBe('done');
    const sent = world.requests.filter(({ method }) => !/^(?:GET|OPTIONS|HEAD)$/.test(method));
    return sent.slice(before).map(({ method }) => method);
  }

  async function planned(world: World, text: string, options: object = {}): Promise<string> {
    const run = world.run(text, env);
    await plan(['m.yaml'], { output: 'text', ...options }, run.context);
    return run.stderr() + run.stdout();
  }

  test('are created in their parents, found again, changed, renamed and deleted separately', async () => {
    const world = worldOf();
    expect(await planned(world, both)).toContain(`${type}.a/admin`);
    expect(await applied(world, both)).toEqual(['POST', 'POST', 'POST', 'POST']);
    expect(await applied(world, both)).toEqual([]);
    const [field = ''] = Object.keys(more);
    const change = {
      attributes: { attributes: { level: 2 } },
      host: { host: 'two.example.com' },
      expiring: { expiring: true },
    };
    const changed = { ...more, ...change[field as keyof typeof change] };
    const other = textOf({ ...wholes, [list]: [entryIn('a'), entryIn('b', changed)] });
    expect(await applied(world, other)).toEqual(['PATCH']);
    const renamed = textOf({ [list]: [{ ...entryIn('b', changed), name: 'root', formerly: 'admin' }] });
    expect(await applied(world, renamed)).toEqual(['PATCH']);
    expect(await planned(world, textOf({ [list]: [entryIn('a')] }))).toContain('No changes');
    const gone = textOf({ [list]: [{ name: 'admin', [scope]: within('a'), state: 'absent' }] });
    expect(await applied(world, gone)).toEqual(['DELETE']);
    const { context, stdout } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    await exportManifests({ output: 'yaml', list: true, target: [`${type}.*`] }, context);
    expect(stdout().trim()).toBe(`${type}.b/root`);
  });

  test('are read from lists, by parent', async () => {
    const world = worldOf();
    const many = Array.from({ length: 14 }, (_, index) => ({ ...entryIn('a'), name: `role-${index}` }));
    const text = textOf({
      ...wholes,
      [list]: [...many, ...many.map((each) => ({ ...each, [scope]: within('b') }))],
    });
    await applied(world, text);
    world.requests.length = 0;
    expect(await planned(world, text)).toContain('No changes');
    expect(world.requests.filter(({ path: asked }) => asked.includes(`${path}?name`))).toEqual([]);
  });

  test('are selected, exported and compared with manifests by their addresses', async () => {
    const world = worldOf();
    await applied(world, both);
    const { context, stdout } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    await exportManifests({ output: 'yaml', target: [`${type}.*`] }, context);
    expect(await planned(world, stdout())).toContain('No changes');
    expect(await planned(world, both, { undeclared: true })).not.toContain(`${type}.`);
    const onlyOne = textOf({ ...wholes, [list]: [entryIn('a')] });
    expect(await planned(world, onlyOne, { undeclared: true })).toContain(`${type}.b/admin (pk`);
    const none = worldOf();
    const target = [`${type}.b/admin`];
    expect(await applied(none, both, { target })).toEqual(['POST', 'POST']);
    const [, { body } = { body: null }] = none.writes();
    expect(body).toMatchObject({ name: 'admin' });
  });

  test('require a parent by name or by id, not both', async () => {
    const world = worldOf();
    await applied(world, textOf(wholes));
    const { pk, connector_uuid: id = pk ?? null } = otherClient(world.sandbox).record(wholePath, 'a') ?? {};
    const byId = { ...entryIn('a'), [scope]: id };
    expect(await planned(world, textOf({ ...wholes, [list]: [byId] }))).toContain('1 to create');
    const twice = textOf({ ...wholes, [list]: [entryIn('a'), byId] });
    expect(await planned(world, twice)).toContain(`\`admin\` is declared twice within the same \`${scope}\``);
    const without = [{ name: 'admin' }, { name: 'x', state: 'absent' }];
    const missing = capture({ files: { 'm.yaml': textOf({ [list]: without }) } });
    await validate(['m.yaml'], { output: 'text' }, missing.context);
    expect(missing.stderr() + missing.stdout()).toMatch(
      new RegExp(`${type}\\.admin: the field .${scope}. is missing[^]*The same for: ${type}\\.x`),
    );
  });

  test('do not count as absent if the service answers a filter with another record', async () => {
    const world = worldOf();
    await applied(world, textOf({ ...wholes, [list]: [entryIn('a')] }));
    world.tamper = (request, answer) =>
      request.path.includes(`${path}?name=`)
        ? world.handle({ method: 'GET', path: `/api/v3${path}` })
        : answer();
    const isFiltered = list !== 'enrollment_tokens';
    expect(await planned(world, both)).toContain(`${isFiltered ? 0 : 1} to create`);
  });
});

test('RAC endpoints are created only in a new provider, with a token to which the service shows a cached list', async () => {
  const world = worldOf(false);
  const { wholes, list, more } = cases[1] ?? expect.fail();
  const named = ([whole = '', name = '']: string): JsonObject => ({
    name,
    provider: { name: whole },
    ...more,
  });
  const { context: first } = world.run(textOf({ providers: [{ name: 'a', type: 'rac', ...flows }] }), env);
  expect(await apply(['m.yaml'], allowed, first)).toBe('done');
  const text = textOf({ ...wholes, [list]: ['a1', 'a2', 'b3'].map(named) });
  for (const counted of ['2 created, 1 in sync, 2 denied', '0 created, 3 in sync, 2 denied']) {
    const run = world.run(text, env);
    expect(await apply(['m.yaml'], allowed, run.context)).toBe('denied');
    expect(run.stdout()).toContain(counted);
    expect(world.writes()).toHaveLength(3);
    otherClient(world.sandbox).create('/rac/endpoints/', {
      name: '1',
      provider: otherClient(world.sandbox).pk('/providers/rac/', 'a') ?? 0,
      ...more,
    });
  }
  const { context, stdout } = world.run(text, env);
  await plan(['m.yaml'], { output: 'text' }, context);
  expect(stdout()).toContain("nothing is created without a superuser's token");
});

test('an RAC endpoint is not created if another client has just created its provider', async () => {
  const world = worldOf(false);
  const { list, more } = cases[1] ?? expect.fail();
  const provider = { name: 'b', type: 'rac', ...flows };
  const text = textOf({ providers: [provider], [list]: [{ name: '3', provider: { name: 'b' }, ...more }] });
  world.tamper = (request, answer) => {
    if (request.method === 'POST' && request.path.endsWith('/providers/rac/')) answer();
    return answer();
  };
  const run = world.run(text, env);
  await apply(['m.yaml'], allowed, run.context);
  expect(run.stdout()).toContain('exists already');
  expect(world.writes()).toHaveLength(1);
});
