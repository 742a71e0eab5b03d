import { describe, expect, test } from 'vitest';
import { parseJson, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { formatNames } from '../../src/report/formats/all.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { application } from '../../src/kinds/application.ts';
import { Client } from '../../src/service/client.ts';
import { done, runIn, type Ran } from '../support/manifest-run.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { allowUpdate, contractors, manifest, outcomesIn, staff, World } from '../support/update-world.ts';
import { otherClient } from '../support/other-client.ts';

const wiki = 'version: 1\napplications: [{ slug: wiki, name: Wiki, group: Tools }]\n';

function applied(world: World, text: string, options: object = {}, more: object = {}): Promise<Ran> {
  return runIn(apply, world.run(text, {}, more), { ...allowUpdate, ...options });
}

describe('undeclared values in the service', () => {
  const users = `version: 1\nusers: [{ username: alice, name: Alice, groups: ["${staff}"], at_least: [groups], attributes: { dept: legal } }]\n`;

  test('are kept, whatever their keys and strings are', async () => {
    const held = JSON.parse(
      '{"dept":"sales","__proto__":{"dept":"x"},"constructor":1,"toString":"t","hasOwnProperty":[],"":"","a.b":{"1":"é\\u202e🙂"},"null":null,"1":1}',
    ) as JsonObject;
    const world = new World({ users: [{ username: 'alice', name: 'Alice', groups: [contractors] }] });
    world.patch('/users/1/', { attributes: held });
    await done(applied(world, users));
    expect(JSON.stringify(world.held('/users/1/')['attributes'])).toBe(
      JSON.stringify(held).replace('sales', 'legal'),
    );
    expect(world.held('/users/1/')['groups']).toEqual([staff, contractors]);
  });

  test('that contain the token are sent back unmasked, and no output shows the token', async () => {
    const world = new World({ users: [{ username: 'alice', name: 'Alice' }] });
    const attributes = { dept: 'sales', note: `use ${sandboxToken}`, [sandboxToken]: { key: sandboxToken } };
    world.patch('/users/1/', { attributes });
    const { stdout } = await done(applied(world, users));
    expect(stdout).not.toContain(sandboxToken);
    expect(world.held('/users/1/')['attributes']).toEqual({ ...attributes, dept: 'legal' });
  });

  test('are kept, and reported, if the service does not show them', async () => {
    const world = new World();
    world.tamper = (_, answer) => {
      const exchange = answer();
      return exchange.kind === 'answered'
        ? { ...exchange, body: exchange.body.replace(/"groups":\[[^\]]*\],/, '') }
        : exchange;
    };
    const { stdout } = await done(applied(world, users));
    expect(stdout).toContain(
      'Not compared, because the service does not show the value: user.alice `groups`.',
    );
    expect(world.writes().map(({ body }) => JSON.stringify(body).includes('groups'))).toEqual([false]);
    expect(world.held('/users/1/')['groups']).toEqual([contractors]);
  });
});

test('a user is not changed to an internal account, since that change could not be reverted', async () => {
  const world = new World();
  const users = 'version: 1\nusers: [{ username: bob, name: Bob, type: internal_service_account }]\n';
  expect((await applied(world, users)).stdout).toContain('it would become an account of the service itself');
  expect(world.writes()).toEqual([]);
});

test("changes that might lock the token out are skipped if the token's user is unknown", async () => {
  const world = new World();
  world.tamper = ({ path }, answer) => (path.endsWith('/users/me/') ? answered(403, {}) : answer());
  const users =
    'version: 1\nusers: [{ username: bob, name: Bob, is_active: false }, { username: alice, name: A, type: internal }]\n';
  const { stdout } = await applied(world, users);
  expect(stdout).toContain('! user.bob differs and is left unchanged; it is unknown whether the token');
  expect(world.writes()).toMatchObject([{ body: { name: 'A' } }]);
});

describe('backchannel providers', () => {
  const swapped =
    'version: 1\napplications: [{ slug: a, name: A, backchannel_providers: [2, 3] }, { slug: b, name: B, backchannel_providers: [1] }]\n';
  const seed = {
    applications: [
      { slug: 'a', name: 'A', backchannel_providers: [1, 3] },
      { slug: 'b', name: 'B', backchannel_providers: [2] },
    ],
  };

  test('that move between two applications do not count as changes by somebody else', async () => {
    const world = new World(seed);
    await done(applied(world, swapped, { concurrency: '1' }));
    expect(world.writes()).toHaveLength(2);
    expect(world.held('/applications/a/')['backchannel_providers']).toEqual([2, 3]);
    expect(world.held('/applications/b/')['backchannel_providers']).toEqual([1]);
  });

  test('that somebody else moves count as changes by somebody else', async () => {
    const world = new World(seed);
    let looks = 0;
    world.tamper = ({ method, path }, answer) => {
      if (method === 'GET' && path.endsWith('/a/') && (looks += 1) === 2)
        world.patch('/applications/a/', { backchannel_providers: [1] });
      return answer();
    };
    const { ending, stdout } = await applied(world, swapped, { output: 'json', concurrency: '1' });
    expect(ending).toBe('incomplete');
    expect(outcomesIn(stdout)).toMatchObject([{ outcome: 'conflict' }, { outcome: 'updated' }]);
  });

  test('are not named if hidden', async () => {
    const world = new World(seed);
    const files = {
      'm.yaml': swapped,
      'rollcall.yaml': 'version: 1\nhide: [application.backchannel_providers]\n',
    };
    const { context, stdout } = world.run('', {}, { files });
    await plan(['m.yaml'], { output: 'text', ...allowUpdate }, context);
    expect(stdout()).toContain('removes one from the `backchannel_providers` of application.b');
    expect(stdout()).not.toContain('takes 2');
  });
});

describe('an update reports', () => {
  test('that the service accepted a request and ignored a field', async () => {
    const world = new World();
    world.tamper = (request, answer) =>
      request.method === 'PATCH' ? world.handle({ ...request, body: '{}' }) : answer();
    const { stdout } = await applied(world, wiki);
    expect(stdout).toContain('the service accepted the change, but did not change `group`: "Old"');
    expect(stdout).toContain('The value was sent 3 times. The service may store the value in another form');
  });

  test('that the service itself may have changed a field along with the change', async () => {
    const world = new World();
    world.tamper = (request, answer) =>
      request.method === 'PATCH' ? world.handle({ ...request, body: '{"group":"Odd"}' }) : answer();
    const { stdout } = await applied(world, wiki);
    expect(stdout).toContain('`group` differs from both the planned and the declared value');
    expect(stdout).toContain('Somebody else may have changed it, or the service itself');
  });

  test('that the record has another value after a lost answer, without mentioning creates', async () => {
    const world = new World();
    let sent = 0;
    world.tamper = (request, answer) => {
      if (request.method !== 'PATCH') return answer();
      return (sent += 1) === 1 ? lost : world.handle({ ...request, body: '{"group":"Odd"}' });
    };
    const { ending, stdout } = await applied(world, wiki);
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('`group` differs from both the planned and the declared value');
    expect(stdout).toContain('the effect is unknown');
    expect(stdout).not.toMatch(/created it|its create/);
  });

  test('that a rejected update changed nothing, because the record had disappeared before', async () => {
    const world = new World();
    world.tamper = ({ method }, answer) =>
      method === 'PATCH' ? answered(404, { detail: 'Not found.' }) : answer();
    expect((await applied(world, wiki)).stdout).toContain(
      'rollcall sent a request to change it, but the request had no effect.',
    );
  });

  test('that too many updates were denied, without mentioning creates', async () => {
    const slugs = ['a', 'b', 'c', 'd', 'e', 'f'];
    const world = new World({ applications: slugs.map((slug) => ({ slug, name: 'A' })) });
    world.tamper = ({ method }, answer) => (method === 'PATCH' ? answered(403, { detail: 'no' }) : answer());
    const entries = slugs.map((slug) => `  - { slug: ${slug}, name: B }\n`).join('');
    const { stdout } = await applied(world, `version: 1\napplications:\n${entries}`, { concurrency: '1' });
    expect(stdout).toContain('. application.f  not attempted: too many changes of resources of this type');
    expect(stdout).not.toContain('create resources');
  });
});

describe('no format shows a secret or hidden field that an update sends:', () => {
  const secret = 'canary-new-secret';
  const users = `version: 1\nusers: [{ username: alice, name: Alice, email: a@kestrel.org, attributes: { dept: legal, key: "\${env:KEY}" } }]\n`;
  const files = { 'm.yaml': users, 'rollcall.yaml': 'version: 1\nhide: [user.email]\n' };
  const kestrel = { email: 'old@kestrel.org', attributes: { dept: 'sales', key: 'canary-old', own: 'kept' } };

  test.each(['updated', 'conflict', 'unknown', 'rejected'])('%s', async (outcome) => {
    const world = new World();
    world.patch('/users/1/', kestrel);
    let looks = 0;
    world.tamper = (request, answer) => {
      if (outcome === 'conflict' && request.path.includes('username=alice') && (looks += 1) === 2)
        world.patch('/users/1/', { email: 'third@kestrel.org', attributes: { dept: 'x', key: 'canary-3' } });
      if (request.method !== 'PATCH' || outcome === 'updated') return answer();
      return outcome === 'unknown'
        ? world.handle({ ...request, body: '{"email":"4@kestrel.org","attributes":{"key":"canary-4"}}' })
        : answered(400, { email: ['No.'], attributes: [`Not ${secret}.`] });
    };
    const { context, stdout, stderr, written } = world.run('', { KEY: secret }, { files });
    const report = formatNames.map((format) => `${format}=report.${format}`);
    await apply(['m.yaml'], { output: 'json', yes: true, report, ...allowUpdate }, context);
    expect(stdout()).toContain(`"outcome": "${outcome}"`);
    expect(written.size).toBeGreaterThan(5);
    // After each test, all of this output is also searched for canaries.
    for (const shown of [stdout(), stderr(), ...written.values()]) expect(shown).not.toContain('kestrel');
    expect(world.writes()).toMatchObject(
      outcome === 'conflict'
        ? []
        : [{ body: { email: 'a@kestrel.org', attributes: { dept: 'legal', key: secret, own: 'kept' } } }],
    );
  });
});

describe('an interruption during updates', () => {
  test('completes the updates under way, and starts nothing more', async () => {
    const world = new World();
    const stop = new AbortController();
    world.tamper = ({ method }, answer) => {
      if (method !== 'PATCH') return answer();
      stop.abort();
      answer();
      return lost;
    };
    const more = { signal: stop.signal };
    const { stdout } = await applied(world, manifest, { output: 'json', concurrency: '1' }, more);
    expect(outcomesIn(stdout).map(({ outcome }) => outcome)).toEqual([
      'updated',
      ...Array<string>(4).fill('not_attempted'),
    ]);
    expect(world.writes()).toHaveLength(1);
    expect(parseJson(stdout)).toMatchObject({ interrupted: true });
  });
});

describe('a concurrent change between the plan and the update', () => {
  /** Calls a function just before the nth request with this method arrives. */
  function before(world: World, method: string, nth: number, otherWrite: () => void): void {
    let seen = 0;
    world.tamper = (request, answer) => {
      if (request.method === method && (seen += 1) === nth) otherWrite();
      return answer();
    };
  }

  test('that adds an undeclared key and an undeclared group is kept', async () => {
    const other = '33333333-3333-4333-8333-333333333333';
    const groups = [staff, contractors, other].map((pk) => ({ pk, name: pk }));
    const attributes = { dept: 'sales', theme: { dark: true } };
    const world = new World({
      groups,
      users: [{ username: 'alice', name: 'Alice', groups: [contractors], attributes }],
    });
    before(world, 'GET', 2, () =>
      world.patch('/users/1/', {
        groups: [contractors, other],
        attributes: { dept: 'sales', theme: { dark: true, wide: true }, theirs: 1 },
      }),
    );
    const users = `version: 1\nusers: [{ username: alice, groups: ["${staff}"], at_least: [groups], name: Alice, attributes: { theme: { dark: false } } }]\n`;
    await done(applied(world, users));
    expect(world.held('/users/1/')).toMatchObject({
      groups: expect.arrayContaining([contractors, other, staff]),
      attributes: { dept: 'sales', theme: { dark: false, wide: true }, theirs: 1 },
    });
  });

  const remade = (world: World): void => {
    otherClient(world.sandbox).delete('application', 'wiki');
    otherClient(world.sandbox).create('application', { slug: 'wiki', name: 'Wiki', group: 'Old' });
  };

  test('that replaces the record just before the update leaves the outcome unknown', async () => {
    const world = new World();
    before(world, 'PATCH', 1, () => remade(world));
    const { stdout } = await applied(world, wiki, { output: 'json' });
    expect(outcomesIn(stdout)).toMatchObject([{ outcome: 'unknown', attempts: 1 }]);
    expect(stdout).toContain('another record now has its name');
  });
});

test('a group of a user is not sent twice, in any spelling of its id', async () => {
  const world = new World();
  const groups = [contractors, staff].map((id) => `"${id.toUpperCase().replaceAll('-', '')}"`).join(', ');
  const users = `version: 1\nusers: [{ username: alice, name: Alice, groups: [${groups}], at_least: [groups] }]\n`;
  await done(applied(world, users));
  expect(world.writes()).toMatchObject([
    { body: { groups: [contractors, staff.toUpperCase().replaceAll('-', '')] } },
  ]);
});

describe('undeclared attributes', () => {
  const users = (more = ''): string =>
    `version: 1\nusers: [{ username: alice, name: Alice, attributes: { dept: legal${more} } }]\n`;

  /** A service in which the attribute `big` of alice has this text. */
  function holding(value: string, from?: SandboxSeed): World {
    const world = new World(from);
    world.tamper = (_, answer) => {
      const exchange = answer();
      return exchange.kind === 'answered'
        ? { ...exchange, body: exchange.body.replaceAll('"dept":"sales"', `"dept":"sales","big":${value}`) }
        : exchange;
    };
    return world;
  }

  test.each([
    '[1, 9007199254740993]',
    '{"deep":[{"id":9007199254740993}]}',
    '1e30',
    '-9007199254740993',
    '1e400',
    '0.12345678901234567890123',
    '1.0',
  ])('with %s are not sent back', async (value) => {
    const world = holding(value);
    expect((await applied(world, users())).stdout).toContain(
      'its `attributes` holds a number that rollcall cannot send back exactly',
    );
    expect(world.writes()).toEqual([]);
  });

  test.each(['9007199254740991', '-0.5', '0', '"1e400"', String.raw`"\\\" 1e400"`, '[true, null, {}]'])(
    'with %s are sent back',
    async (value) => {
      const world = holding(value);
      await done(applied(world, users()));
      expect(world.writes()).toMatchObject([{ body: { attributes: { big: JSON.parse(value) } } }]);
    },
  );

  test('with a number that would lose digits do not prevent an update that replaces the number or changes another field', async () => {
    const replaced = holding('1e400');
    await done(applied(replaced, users(', big: 3')));
    expect(replaced.writes()).toMatchObject([{ body: { attributes: { dept: 'legal', big: 3 } } }]);
    const other = holding('1e400');
    const renamed = 'version: 1\nusers: [{ username: alice, name: Alicia }]\n';
    await done(applied(other, renamed));
    expect(other.writes()).toMatchObject([{ body: { name: 'Alicia' } }]);
  });

  test('with a number that would lose digits are also recognized if the users are read from a list', async () => {
    const names = Array.from({ length: 14 }, (_, index) => `user-${index}`);
    const world = holding('1e400', {
      users: names.map((username) => ({ username, name: 'U', attributes: { dept: 'sales' } })),
    });
    const list = names.map((username) => `{ username: ${username}, attributes: { dept: legal } }`).join(', ');
    const { context, stdout } = world.run(`version: 1\nusers: [${list}]\n`, {
      ROLLCALL_CAPABILITIES: 'update',
    });
    await plan(['m.yaml'], { output: 'text', ...allowUpdate }, context);
    expect(stdout().match(/holds a number that rollcall cannot send back/g)).toHaveLength(14);
    expect(world.requests.filter(({ path }) => path.includes('username='))).toEqual([]);
  });
});

describe('a duplicate id in a list is sent once', () => {
  const bare = staff.toUpperCase().replaceAll('-', '');
  const twice = `groups: ["${staff}", "${bare}", "${contractors}"]`;

  test('in a create', async () => {
    const world = new World();
    const declared = `version: 1
applications: [{ slug: new, name: New, backchannel_providers: [9, 8, 9] }]
users: [{ username: new, name: New, ${twice} }]
`;
    await done(applied(world, declared));
    expect(world.writes()).toMatchObject([
      { body: { backchannel_providers: [9, 8] } },
      { body: { groups: [staff, contractors] } },
    ]);
  });

  test('if declared by id and by name', async () => {
    const world = new World();
    const declared = `version: 1\nusers: [{ username: new, name: New, groups: ["${staff}", { name: staff }] }]\n`;
    const { context } = world.run(declared, { ROLLCALL_CAPABILITIES: '' });
    expect(await apply(['m.yaml'], { output: 'text', yes: true }, context)).toBe('done');
    expect(world.writes()).toMatchObject([{ body: { groups: [staff] } }]);
  });

  test.each(['', ', at_least: [groups]'])('in an update%s', async (exactly) => {
    const world = new World();
    const declared = `version: 1\nusers: [{ username: bob, name: Bob, ${twice}${exactly} }]\n`;
    await done(applied(world, declared));
    expect(world.writes()).toMatchObject([{ body: { groups: [staff, contractors] } }]);
  });
});

test('a token without permission to create can still update', async () => {
  const world = new World();
  world.tamper = ({ method }, answer) => (method === 'POST' ? answered(403, { detail: 'no' }) : answer());
  const both =
    'version: 1\napplications: [{ slug: anew, name: New }, { slug: newer, name: New }, { slug: wiki, name: Wiki, group: Tools }]\n';
  const { ending, stdout } = await applied(world, both, { output: 'json', concurrency: '1' });
  expect(ending).toBe('denied');
  expect(outcomesIn(stdout).map(({ outcome }) => outcome)).toEqual(['denied', 'not_attempted', 'updated']);
});

test.each(['', ', access: everyone'])(
  'a licence that allows no changes stops updates and creates alike%s',
  async (access) => {
    const world = new World();
    world.tamper = ({ method }, answer) =>
      method === 'PATCH' ? answered(400, { detail: 'no', code: 'denied_license' }) : answer();
    const both = `version: 1\napplications: [{ slug: mail, name: Post${access} }, { slug: new, name: New${access} }, { slug: wiki, name: Wiki, group: Tools }]\n`;
    const { stdout } = await applied(world, both, { output: 'json', concurrency: '1' });
    expect(outcomesIn(stdout).map(({ outcome }) => outcome)).toEqual(Array(3).fill('not_attempted'));
    expect(world.writes()).toHaveLength(1);
  },
);

test('a field that equals the value of a header is sent unmasked', async () => {
  const world = new World();
  const tools = 'version: 1\napplications: [{ slug: wiki, name: Wiki, group: engineering }]\n';
  await done(applied(world, tools, { header: ['X-Team: engineering'] }));
  expect(world.held('/applications/wiki/')['group']).toBe('engineering');
});

test('the client itself sends no update without the capability to update', async () => {
  const world = new World();
  const client = new Client(world.send);
  const sending = client.update(application, 'wiki', '1', { group: 'Tools' });
  await expect(sending).rejects.toThrow('needs the capability update');
  expect(world.requests).toEqual([]);
});
