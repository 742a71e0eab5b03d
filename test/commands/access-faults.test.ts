import { describe, expect, test } from 'vitest';
import { textOf, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { application } from '../../src/kinds/application.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { documentedOnly } from '../../src/service/documented-only.ts';
import { Client } from '../../src/service/client.ts';
import type { HttpRequest, Transport } from '../../src/service/transport.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import type { Setup } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { outcomesIn } from '../support/update-world.ts';
import { answered, lost, scriptedTransport } from '../support/scripted-transport.ts';
import { otherClient } from '../support/other-client.ts';

const bindings = '/policies/bindings/';
const config = { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' };
const allowed = { config: 'rollcall.yaml', allow: ['update'] };

function grafana(access: string, more: string = ''): string {
  return `version: 1\napplications:\n  - slug: grafana\n    name: Grafana\n    access: ${access}\n${more}`;
}

function run(
  command: typeof plan | typeof apply,
  send: Transport,
  text: string,
  options: object = {},
  setup: Setup = {},
): Promise<Ran> {
  return runOn(command, send, text, options, { ...setup, files: { ...config, ...setup.files } });
}

type Service = ReturnType<typeof sandboxTransport>;

function serviceWith(
  bound: NonNullable<SandboxSeed['bindings']>,
  more: SandboxSeed = {},
  token?: string,
): Service {
  const applications = [{ slug: 'grafana', name: 'Grafana' }];
  return sandboxTransport({ applications, bindings: bound, ...more }, token);
}

function bind({ sandbox, ask }: Service, name: string): void {
  const target = otherClient(sandbox).pk('application', 'grafana') ?? null;
  ask('POST', bindings, { target, group: otherClient(sandbox).pk('group', name) ?? null, order: 7 });
}

/** Calls a function just before the nth request that matches arrives. */
function before(
  service: Service,
  isOne: (request: HttpRequest) => boolean,
  nth: number,
  otherWrite: () => void,
): Transport {
  let times = 0;
  return async (request, signal) => {
    if (isOne(request)) {
      times += 1;
      if (times === nth) otherWrite();
    }
    return service.send(request, signal);
  };
}

const isBind = ({ method, path }: HttpRequest): boolean => method === 'POST' && path.endsWith(bindings);
const isList = ({ method, path }: HttpRequest): boolean => method === 'GET' && path.includes(bindings);
const sent = (service: Service, method: string): HttpRequest[] =>
  service.requests.filter((request) => request.method === method);

describe('while another client writes,', () => {
  test('if the other client added a binding, a change of access ends as unfinished and does not send its last request', async () => {
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    // The bindings are read five times: for the plan, before the update, before the bind, before the delete, and after the
    // delete.
    const send = before(service, isList, 5, () => bind(service, 'staff'));
    const text = grafana('{ groups: [{ name: contractors }] }', '    meta_publisher: Ops\n');
    const { ending, stdout } = await run(apply, send, text, allowed);
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('x application.grafana  unfinished');
    expect(stdout).toContain(
      'Somebody else changed it in the meantime, or some bindings are hidden from the token.',
    );
    expect(sent(service, 'PATCH')).toEqual([]);
  });

  test('a binding that the other client has just added is not added again', async () => {
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    // The bindings are read three times before the bind: for the plan, before the update, and just before the bind.
    const send = before(service, isList, 3, () => bind(service, 'contractors'));
    const text = grafana('{ groups: [{ name: staff }, { name: contractors }] }');
    await done(run(apply, send, text, allowed));
    expect(sent(service, 'POST')).toEqual([]);
  });

  test('no binding is deleted if a declared binding disappears meanwhile', async () => {
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    const deleteNew = (): void => {
      for (const { pk, group } of service.list(`${bindings}?page_size=100`))
        if (group === otherClient(service.sandbox).pk('group', 'contractors'))
          service.ask('DELETE', `${bindings}${textOf(pk)}/`);
    };
    const send = before(service, isList, 4, deleteNew);
    const { ending, stdout } = await run(
      apply,
      send,
      grafana('{ groups: [{ name: contractors }] }'),
      allowed,
    );
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('a declared group or user is no longer bound');
    expect(sent(service, 'DELETE')).toEqual([]);
    expect(service.list(`${bindings}?page_size=100`)).toHaveLength(1);
  });

  test('a record that another client created since the plan is compared with its declaration', async () => {
    const service = sandboxTransport({});
    const send = before(
      service,
      ({ method, path }) => method === 'POST' && path.endsWith('/applications/'),
      1,
      () => {
        otherClient(service.sandbox).create('application', { slug: 'grafana', name: 'Grafana' });
        bind(service, 'staff');
      },
    );
    const { stdout } = await done(run(apply, send, grafana('{ groups: [{ name: staff }] }')));
    expect(stdout).toContain('= application.grafana  exists already (');
  });

  test('if an application is deleted while bindings are read, the access of only that application is reported as unreadable', async () => {
    const service = sandboxTransport({ applications: ['a', 'b'].map((slug) => ({ slug, name: slug })) });
    const send = before(service, isList, 1, () => otherClient(service.sandbox).delete('application', 'b'));
    const text =
      'version: 1\napplications: [{ slug: a, name: a, access: everyone }, { slug: b, name: b, access: everyone }]\n';
    const { ending, stdout } = await run(plan, send, text);
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('could not read who may open it');
    const lists = service.requests.filter((request) => isList(request));
    expect(lists.map(({ path }) => path.match(/target_in/g)?.length)).toEqual([2, 1, 1]);
  });
});

test('every run keeps the binding with the lowest id among duplicates, and deletes the others', async () => {
  const one = { application: 'grafana', group: 'staff' };
  const service = serviceWith([one, one, one, one]);
  const pks = service.list(`${bindings}?page_size=100`).map(({ pk }) => textOf(pk));
  await run(apply, service.send, grafana('{ groups: [{ name: staff }] }'), allowed);
  expect(service.list(`${bindings}?page_size=100`).map(({ pk }) => textOf(pk))).toEqual([pks.toSorted()[0]]);
});

test('an application gets its provider and backchannel providers after its bindings, and each binding has its own order', async () => {
  const service = sandboxTransport({});
  const text = grafana(
    '{ groups: [{ name: staff }, { name: contractors }] }',
    '    provider: 1\n    backchannel_providers: [2]\n',
  );
  await done(run(apply, service.send, text));
  const [created, ...others] = service.sent() as JsonObject[];
  expect(created).toEqual({ slug: 'grafana', name: 'Grafana' });
  expect(others.map(({ order }) => order)).toEqual([0, 1, undefined]);
  expect(others.at(-1)).toEqual({ provider: 1, backchannel_providers: [2] });
});

describe('an unfinished application is reported without fields that may be as declared', () => {
  const changed = grafana('{ groups: [{ name: contractors }], users: [{ name: alice }] }');

  test.each([[answered(502, '<html>')], [lost]])(
    'if its bindings cannot be read again: %j',
    async (exchange) => {
      const service = sandboxTransport({});
      let isAway = false;
      const send: Transport = async (request, signal) => {
        if (isAway) return exchange;
        isAway = isBind(request);
        return service.send(request, signal);
      };
      const wanted = grafana('{ groups: [{ name: staff }] }');
      const { stdout } = await run(apply, send, wanted, { output: 'json' });
      expect(outcomesIn(stdout)).toMatchObject([{ outcome: 'unfinished' }]);
      expect(stdout).not.toContain('"observed"');
      expect(stdout).toContain('could not be read again');
      expect((await run(plan, service.send, wanted)).stdout).toContain('No changes.');
    },
  );

  const first = (): Service =>
    serviceWith([{ application: 'grafana', group: 'staff' }], { users: [{ username: 'alice', name: 'A' }] });

  test('if a binding cannot be deleted', async () => {
    const { send: whole } = first();
    const send: Transport = async (request, signal) =>
      request.method === 'DELETE' ? answered(403, { detail: 'no' }) : whole(request, signal);
    const { ending, stdout } = await run(apply, send, changed, allowed);
    expect(ending).toBe('denied');
    expect(stdout).toMatch(/unfinished, not yet as declared: access\.groups$/m);
  });

  test.each([2, 3])('if no answer comes back from write %i on', async (nth) => {
    const { send: whole } = first();
    let writes = 0;
    const send: Transport = async (request, signal) => {
      const answer = await whole(request, signal);
      if (request.method !== 'GET') writes += 1;
      return writes >= nth ? lost : answer;
    };
    const { stdout } = await run(apply, send, changed, allowed);
    expect(stdout).toMatch(/unfinished, could not be read back/);
    expect(stdout).not.toContain('not yet as declared');
  });
});

describe('an apply with a failed or interrupted binding', () => {
  const many = Array.from({ length: 20 }, (_, index) => `a${index}`);
  const text = `version: 1\napplications:\n${many.map((slug) => `  - { slug: ${slug}, name: ${slug}, access: { groups: [{ name: staff }] } }\n`).join('')}`;

  test('starts no more applications once five are unfinished', async () => {
    const service = sandboxTransport({});
    const send: Transport = async (request, signal) =>
      isBind(request) ? answered(500, 'Server Error') : service.send(request, signal);
    const { ending, stdout } = await run(apply, send, text, { concurrency: '1' });
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('5 unfinished');
    expect(stdout).toContain('15 not attempted');
  });

  test('looks up a binding whose create got no answer, and creates no second one', async () => {
    const service = sandboxTransport({});
    const send: Transport = async (request, signal) => {
      const exchange = await service.send(request, signal);
      return isBind(request) ? lost : exchange;
    };
    await done(run(apply, send, grafana('{ groups: [{ name: staff }] }', '    provider: 1\n')));
    expect(service.list(`${bindings}?page_size=100`)).toHaveLength(1);
    expect(otherClient(service.sandbox).record('application', 'grafana')).toMatchObject({ provider: 1 });
  });

  test.each([
    ['is unknown if the binding is not found', false, 'incomplete', '? application.grafana  unknown'],
    ['is a change if the binding is found', true, 'done', '~ application.grafana  changed'],
  ])('reads the bindings after a 409: the outcome %s', async (_, isCreated, ending, line) => {
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    const send: Transport = async (request, signal) => {
      if (!isBind(request)) return service.send(request, signal);
      if (isCreated) await service.send(request, signal);
      return answered(409, '<html></html>');
    };
    const wanted = grafana('{ groups: [{ name: staff }, { name: contractors }] }');
    const ran = await run(apply, send, wanted, allowed);
    expect([ran.ending, ran.stdout]).toEqual([ending, expect.stringContaining(line)]);
  });

  test('after a denied binding, attempts no more applications that need a binding', async () => {
    const service = sandboxTransport({ tokens: [{ token: 't', add_bindings: false }] }, 't');
    const others = `  - { slug: later, name: Later, access: { groups: [{ name: staff }] } }
  - { slug: open, name: Open, access: everyone }
  - { slug: plain, name: Plain }
`;
    const wanted = grafana('{ groups: [{ name: staff }] }', others);
    const { stdout } = await run(apply, service.send, wanted, { concurrency: '1' });
    expect(stdout).toContain('x application.grafana  unfinished');
    expect(stdout).toContain('. application.later  not attempted: the token may not change access');
    expect(stdout).toContain('+ application.open  created');
    expect(stdout).toContain('+ application.plain  created');
    expect(otherClient(service.sandbox).record('application', 'later')).toBeUndefined();
  });

  test.each([401, 403])(
    'says only that the token is no longer accepted if it is revoked: %s',
    async (status) => {
      const service = sandboxTransport({});
      let isRevoked = false;
      const send: Transport = async (request, signal) => {
        isRevoked ||= isBind(request);
        return isRevoked
          ? answered(status, { detail: 'Token invalid/expired' })
          : service.send(request, signal);
      };
      const users = 'users: [{ username: a, name: A }, { username: b, name: B }]\n';
      const { ending, stdout, stderr } = await run(apply, send, text + users, { concurrency: '2' });
      expect(ending).toBe('denied');
      const reasons = stdout.match(/not attempted: .*/g)?.map((line) => line.replace(/: application.*/, ''));
      expect(new Set(reasons)).toEqual(new Set(['not attempted: the service no longer accepts the token']));
      expect(stdout + stderr).not.toMatch(/may not|add_policybinding/);
    },
  );

  test.each([
    ['for one request of the plan', '/admin/version/', 'incomplete'],
    ['from the last requests of the plan on', '/core/users/me/', 'denied'],
  ])('tries a token again that was refused %s', async (_, path, expected) => {
    const isRevoked = expected === 'denied';
    const service = sandboxTransport({ groups: [{ name: 'old' }] });
    let isRefused = false;
    const send: Transport = async (request, signal) => {
      const isNow = isRefused ? isRevoked : request.path.includes(path);
      isRefused ||= isNow;
      return isNow ? answered(403, { detail: 'Token invalid/expired' }) : service.send(request, signal);
    };
    const declared =
      'version: 1\ngroups: [{ name: old, state: absent }]\nusers: [{ username: a, name: A }]\n';
    const options = { yes: true, allow: ['delete'], capability: ['delete'] };
    const { ending, stdout, stderr } = await runOn(apply, send, declared, options);
    expect([ending, isRefused]).toEqual([expected, true]);
    expect(otherClient(service.sandbox).record('user', 'a') === undefined).toBe(isRevoked);
    if (isRevoked) expect(stdout + stderr).toContain('The service said: Token invalid/expired');
  });

  test('still creates other applications if the service denies a binding', async () => {
    const service = serviceWith([], { tokens: [{ token: 't', add_bindings: false }] }, 't');
    const more = '  - { slug: new, name: New }\n';
    const { ending } = await run(apply, service.send, grafana('{ groups: [{ name: staff }] }', more), {
      ...allowed,
      concurrency: '1',
    });
    expect(ending).toBe('denied');
    expect(otherClient(service.sandbox).record('application', 'new')).toBeDefined();
  });

  test('completes a started application after an interruption', async () => {
    const service = sandboxTransport({});
    const interruption = new AbortController();
    const send = before(
      service,
      ({ method, path }) => method === 'POST' && path.endsWith('/applications/'),
      1,
      () => interruption.abort('SIGINT'),
    );
    const wanted = grafana('{ groups: [{ name: staff }] }', '    provider: 1\n');
    const { ending, stdout } = await run(apply, send, wanted, {}, { signal: interruption.signal });
    expect(ending).toBe('interrupted');
    expect(stdout).toContain('+ application.grafana  created');
    expect(otherClient(service.sandbox).record('application', 'grafana')).toMatchObject({ provider: 1 });
  });

  test('does not start a change if the interruption comes before the first write of that change', async () => {
    const service = serviceWith([]);
    const interruption = new AbortController();
    // The bindings are read three times before the bind: for the plan, before the update, and just before the bind.
    const send = before(service, isList, 3, () => interruption.abort());
    const wanted = grafana('{ groups: [{ name: staff }] }');
    const { ending, stdout } = await run(apply, send, wanted, allowed, { signal: interruption.signal });
    expect(ending).toBe('interrupted');
    expect(stdout).toContain('application.grafana  not attempted');
    expect(service.list(`${bindings}?page_size=100`)).toEqual([]);
  });

  test('completes a started change after an interruption', async () => {
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    const interruption = new AbortController();
    const send = before(service, isBind, 1, () => interruption.abort('SIGINT'));
    const wanted = grafana('{ groups: [{ name: contractors }] }');
    const { ending, stdout } = await run(apply, send, wanted, allowed, { signal: interruption.signal });
    expect(ending).toBe('interrupted');
    expect(stdout).toContain('~ application.grafana  changed');
    expect(service.list(`${bindings}?page_size=100`).map(({ group }) => group)).toEqual([
      otherClient(service.sandbox).pk('group', 'contractors'),
    ]);
  });
});

test('with contract_only, the client adds no binding; without the capability update, it deletes no binding', async () => {
  const { send, requests } = scriptedTransport(answered(200, {}));
  const { children } = application.access ?? expect.fail('there is no group to bind');
  const contract = new Client(documentedOnly(send), { capabilities: ['update'] });
  await expect(contract.bind(children, { pk: '1' }, { group: 'x', order: 0 })).rejects.toThrow(
    'contract_only',
  );
  await expect(contract.finish(application, 'a', '1', {})).rejects.toThrow('contract_only');
  await expect(new Client(send).unbind(children, '1', 'update')).rejects.toThrow('capability update');
  expect(requests).toEqual([]);
});

test('names in `access` are trimmed, and if fields are hidden, no line of `access` is quoted', async () => {
  const { send } = sandboxTransport({});
  await done(run(plan, send, grafana('{ groups: [{ name: " staff " }] }')));
  const files = { 'rollcall.yaml': 'version: 1\nhide: [user.email]\n' };
  const odd = await run(plan, send, grafana('{ users: [carol], secrets: [s3cret] }'), {}, { files });
  expect(odd.stderr).toContain('m.yaml:5:');
  expect(odd.stderr).not.toContain('s3cret');
});

describe('an application that differs from its declaration, but not in access', () => {
  const text = grafana('{ groups: [{ name: staff }] }', '    meta_publisher: Ops\n');

  test('is updated, and reported as changed', async () => {
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    const { stdout } = await done(run(apply, service.send, text, allowed));
    expect(stdout).toContain('~ application.grafana  changed\n');
    const json = await run(apply, service.send, text, { ...allowed, output: 'json' });
    expect(json.stdout).toContain('"outcome": "unchanged"');
    expect(sent(service, 'PATCH')).toHaveLength(1);
  });

  test('is reported as rejected if the service refuses the update', async () => {
    const service = serviceWith([{ application: 'grafana', group: 'staff' }]);
    const refusing =
      (words: string): Transport =>
      async (request, signal) =>
        request.method === 'PATCH'
          ? answered(400, { meta_publisher: [words] })
          : service.send(request, signal);
    const { ending, stdout } = await run(apply, refusing('No.'), text, allowed);
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('x application.grafana  rejected');
    expect(stdout).toContain('the service refused `meta_publisher`: No.');
    const long = await run(apply, refusing('x'.repeat(2000)), text, { ...allowed, output: 'json' });
    expect(long.stdout).toContain(`the service refused \`meta_publisher\`: ${'x'.repeat(1000)}…`);
  });
});

test('an application is not planned if the request for its bindings gets a 404', async () => {
  const { send } = serviceWith([{ application: 'grafana', group: 'staff' }]);
  const missing: Transport = async (request, signal) =>
    request.method === 'GET' && request.path.includes(bindings)
      ? answered(404, { detail: 'Not found.' })
      : send(request, signal);
  const { ending, stdout } = await run(plan, missing, grafana('{ groups: [{ name: staff }] }'), allowed);
  expect(ending).toBe('incomplete');
  expect(stdout).toContain('application.grafana is not planned');
  const written = await run(apply, missing, grafana('{ groups: [{ name: contractors }] }'), allowed);
  expect(written.ending).not.toBe('done');
  expect(written.stdout).not.toContain('1 changed');
});

describe('a change that others depend on, if the service denies it,', () => {
  const consent = '{ slug: default-provider-authorization-implicit-consent }';
  const ownFlow =
    'flows: [{ slug: f, name: F, title: F, designation: authorization, policies: [{ policy: { name: P }, order: 0 }] }]';
  const policy = (code: string): string => `policies: [{ type: expression, name: P, expression: '${code}' }]`;
  const proxyOn = (flow: string): string =>
    `providers: [{ type: proxy, name: Px, mode: forward_single, external_host: 'https://w.example.com', authorization_flow: ${flow}, invalidation_flow: { slug: default-provider-invalidation-flow } }]`;
  const provider = proxyOn(consent);
  const wiki = (fields: string): string => `applications: [{ slug: wiki, name: Wiki, ${fields} }]`;
  const outpost =
    "outposts: [{ name: O, type: proxy, providers: [{ name: Px }], config: { authentik_host: 'https://id.example.com' } }]";
  const nested = (parents: string): string =>
    `groups: [{ name: mid, parents: [${parents}] }, { name: ops, parents: [{ name: mid }] }, { name: low, parents: [{ name: ops }] }]`;
  const around = (parents: string): string =>
    `groups: [{ name: mid, parents: [${parents}] }, { name: known, parents: [{ name: mid }] }]`;
  const rac = (policies: string): string =>
    `providers: [{ type: rac, name: R, authorization_flow: ${consent} }]
rac_endpoints: [{ name: db, provider: { name: R }, protocol: ssh, host: db, auth_mode: static, policies: ${policies} }]`;
  const knownId = '0a0a0a0a-0000-4000-8000-00000000000b';
  const rows: {
    readonly name: string;
    readonly before: readonly string[];
    readonly after: readonly string[];
    readonly denied: string;
    readonly waiting: string;
  }[] = [
    {
      name: 'keeps a user out of a group that would lose rights',
      before: ['groups: [{ name: ops, parents: [{ name: admins }] }]'],
      after: [
        'groups: [{ name: ops, parents: [] }]',
        'users: [{ username: new, name: N, groups: [{ name: ops }] }]',
      ],
      denied: '/core/groups/',
      waiting: 'user.new',
    },
    {
      name: 'keeps a user out of a group inside a group that would lose rights',
      before: [nested('{ name: admins }')],
      after: [nested(''), 'users: [{ username: new, name: N, groups: [{ name: low }] }]'],
      denied: '/core/groups/',
      waiting: 'user.new',
    },
    {
      name: 'keeps a user out of a group that would lose rights and is declared by its id',
      before: ['groups: [{ name: known, parents: [{ name: admins }] }]'],
      after: [
        'groups: [{ name: known, parents: [] }]',
        `users: [{ username: new, name: N, groups: [${knownId.toUpperCase()}] }]`,
      ],
      denied: '/core/groups/',
      waiting: 'user.new',
    },
    {
      name: 'keeps a user out of a group inside a group that would lose rights and is declared by its id',
      before: [around('{ name: admins }')],
      after: [around(''), `users: [{ username: new, name: N, groups: [${knownId}] }]`],
      denied: '/core/groups/',
      waiting: 'user.new',
    },
    {
      name: 'keeps the last binding while the flag would close the application',
      before: [wiki('policies: [{ group: { name: staff }, order: 0 }]')],
      after: [wiki('policies: []'), 'settings: [{ flags: { core_default_app_access: false } }]'],
      denied: '/admin/settings/',
      waiting: 'application.wiki',
    },
    {
      name: 'keeps the flag off while the application would get its first binding',
      before: [wiki('policies: []'), 'settings: [{ flags: { core_default_app_access: false } }]'],
      after: [
        wiki('policies: [{ group: { name: staff }, order: 0 }]'),
        'settings: [{ flags: { core_default_app_access: true } }]',
      ],
      denied: bindings,
      waiting: 'settings.service',
    },
    {
      name: 'keeps a policy while everybody would have to pass another binding too',
      before: [
        policy('return request.user.pk == 1'),
        wiki('policies: [{ policy: { name: P }, order: 0 }, { group: { name: staff }, order: 1 }]'),
      ],
      after: [
        policy('return request.user.pk > 1'),
        wiki('policy_engine_mode: all, access: { groups: [{ name: staff }] }'),
      ],
      denied: '/core/applications/',
      waiting: 'policy.P',
    },
    {
      name: 'keeps a new application from relying on a policy that would become stricter',
      before: [policy('return True')],
      after: [policy('return False'), wiki('policies: [{ policy: { name: P }, order: 0 }]')],
      denied: '/policies/expression/',
      waiting: 'application.wiki',
    },
    {
      name: 'keeps a group out of an application whose policy would become stricter',
      before: [policy('return True'), wiki('policies: [{ policy: { name: P }, order: 0 }]')],
      after: [
        policy('return False'),
        wiki('policies: [{ policy: { name: P }, order: 0 }, { group: { name: staff }, order: 1 }]'),
      ],
      denied: '/policies/expression/',
      waiting: 'application.wiki',
    },
    {
      name: 'keeps an application from a provider whose endpoint would be restricted',
      before: [rac('[]')],
      after: [rac('[{ group: { name: staff }, order: 0 }]'), wiki('provider: { name: R }, access: everyone')],
      denied: bindings,
      waiting: 'application.wiki',
    },
    {
      name: 'keeps a new provider from a flow whose policy would become stricter',
      before: [policy('return True'), ownFlow],
      after: [policy('return False'), ownFlow, proxyOn('{ slug: f }')],
      denied: '/policies/expression/',
      waiting: 'provider.Px',
    },
    {
      name: 'keeps a new user out of a group that an application would no longer admit',
      before: [wiki('access: { groups: [{ name: staff }] }')],
      after: [
        wiki('access: { groups: [{ name: known }] }'),
        'users: [{ username: new, name: N, groups: [{ name: staff }] }]',
      ],
      denied: bindings,
      waiting: 'user.new',
    },
    {
      name: 'keeps a group out of an application while a user would leave the group',
      before: [
        wiki('access: { groups: [{ name: known }] }'),
        'users: [{ username: u, name: U, groups: [{ name: staff }] }]',
      ],
      after: [wiki('access: { groups: [{ name: staff }] }'), 'users: [{ username: u, name: U, groups: [] }]'],
      denied: '/core/users/',
      waiting: 'application.wiki',
    },
    {
      name: 'keeps a group out of an application while a subgroup would leave the group',
      before: [
        'groups: [{ name: ops, parents: [{ name: staff }] }]',
        wiki('access: { groups: [{ name: known }] }'),
      ],
      after: [
        'groups: [{ name: ops, parents: [] }]',
        wiki('access: { groups: [{ name: known }, { name: staff }] }'),
      ],
      denied: '/core/groups/',
      waiting: 'application.wiki',
    },
    {
      name: 'keeps an outpost from serving an application that would be restricted',
      before: [provider, wiki('provider: { name: Px }, access: everyone')],
      after: [provider, wiki('access: { groups: [{ name: staff }] }'), outpost],
      denied: bindings,
      waiting: 'outpost.O',
    },
  ];

  /** Applies some text, and then other text while the service denies the writes to some path. */
  async function deniedAfter(first: readonly string[], after: readonly string[], denied: string) {
    const groups = [
      { name: 'staff' },
      { name: 'admins', is_superuser: true },
      { pk: knownId, name: 'known' },
    ];
    const seed = { is_fresh: true, is_licensed: true, groups, tokens: [{ token: 'chief', superuser: true }] };
    const service = sandboxTransport(seed, 'chief', '2026.8');
    const all = {
      files: { 'rollcall.yaml': 'version: 1\ncapabilities: [update, delete]\n' },
    };
    const options = { ...allowed, allow: ['update', 'delete'] };
    const textOfAll = (parts: readonly string[]): string => ['version: 1', ...parts, ''].join('\n');
    await done(run(apply, service.send, textOfAll(first), options, all));
    let writes: string[] = [];
    const sending =
      (isDenied: boolean): Transport =>
      async (request, signal) => {
        if (request.method === 'GET' || request.method === 'OPTIONS') return service.send(request, signal);
        writes.push(request.path);
        return isDenied && request.path.includes(denied)
          ? answered(403, { detail: 'denied' })
          : service.send(request, signal);
      };
    const failed = await run(apply, sending(true), textOfAll(after), options, all);
    const others = writes.filter((path) => !path.includes(denied));
    writes = [];
    await done(run(apply, sending(false), textOfAll(after), options, all));
    return { failed, others, writes };
  }

  test.each(rows)('$name', async ({ before: first, after, denied, waiting }) => {
    const { failed, others, writes } = await deniedAfter(first, after, denied);
    expect(failed.stdout).toContain(`. ${waiting}  not attempted: the change that it depends on failed\n`);
    expect(failed.stdout).toContain(', so that access changes as little as possible in between');
    expect(others).toEqual([]);
    expect(writes[0]).toContain(denied);
    expect(writes.length).toBeGreaterThan(1);
  });

  test.each<[string, before: readonly string[], after: readonly string[], denied: string, other: string]>([
    [
      'a group that loses rights, although a member of it leaves another group',
      [
        'groups: [{ name: ops, parents: [{ name: admins }] }]',
        'users: [{ username: u, name: U, groups: [{ name: ops }, { name: admins }] }, { username: v, name: V, groups: [{ name: admins }] }]',
      ],
      ['groups: [{ name: ops, parents: [] }]', 'users: [{ username: u, name: U, groups: [{ name: ops }] }]'],
      '/core/users/',
      '/core/groups/',
    ],
    [
      'an application with bindings, although the flag closes others',
      [wiki('policies: [{ group: { name: staff }, order: 0 }]')],
      [
        wiki('policies: [{ group: { name: staff }, order: 0 }], group: Docs'),
        'settings: [{ flags: { core_default_app_access: false } }]',
      ],
      '/admin/settings/',
      '/core/applications/',
    ],
    [
      'another setting, although an application gets its first binding',
      [wiki('policies: []'), 'settings: [{ gdpr_compliance: true }]'],
      [wiki('policies: [{ group: { name: staff }, order: 0 }]'), 'settings: [{ gdpr_compliance: false }]'],
      bindings,
      '/admin/settings/',
    ],
    [
      'a user who is in a group that loses rights already',
      [
        'groups: [{ name: ops, parents: [{ name: admins }] }]',
        'users: [{ username: u, name: U, groups: [{ name: ops }] }, { username: v, name: V, groups: [{ name: admins }] }]',
      ],
      [
        'groups: [{ name: ops, parents: [] }]',
        'users: [{ username: u, name: V, groups: [{ name: ops }] }, { username: v, name: V, groups: [{ name: admins }] }]',
      ],
      '/core/groups/',
      '/core/users/',
    ],
    [
      'an outpost, although its application gets another group in the menu',
      [provider, wiki('provider: { name: Px }, access: everyone')],
      [provider, wiki('provider: { name: Px }, group: Docs'), outpost],
      '/core/applications/',
      '/outposts/instances/',
    ],
    [
      'an outpost, although the application that gets its provider is restricted',
      [provider, wiki('access: everyone')],
      [provider, wiki('provider: { name: Px }, access: { groups: [{ name: staff }] }'), outpost],
      bindings,
      '/outposts/instances/',
    ],
  ])('does not keep back %s', async (_, first, after, denied, other) => {
    const { others } = await deniedAfter(first, after, denied);
    expect(others).toEqual([expect.stringContaining(other)]);
  });

  test('keeps no record that already depends on it from its own change', async () => {
    const groups = [{ name: 'admins', is_superuser: true }];
    const service = sandboxTransport({ is_fresh: true, groups }, undefined, '2026.8');
    const text = (admins: string, more: string): string => `version: 1
groups:
  - { name: a, parents: [${admins}] }
  - { name: b, parents: [${admins} { name: a }] }
  - { name: c, parents: [${admins} { name: b }] }
${more}`;
    await done(run(apply, service.send, text('{ name: admins },', ''), allowed));
    const after = text('', 'users: [{ username: new, name: N, groups: [{ name: c }] }]\n');
    const { stdout } = await done(run(plan, service.send, after, allowed));
    const [changes = '', user = ''] = stdout.split('+ user.new ');
    expect(changes).not.toContain('after');
    const [, waits = ''] = /after {2}(.*), so that access changes as little/.exec(user) ?? [];
    expect(waits.split(', ').toSorted()).toEqual(['group.a', 'group.b', 'group.c']);
  });

  test.each(['name', 'id'])(
    'does not stay unnoticed if the run may not update a policy on which a new application would rely, given by its %s',
    async (key) => {
      const service = sandboxTransport(
        { is_fresh: true, tokens: [{ token: 'chief', superuser: true }] },
        'chief',
      );
      const text = (code: string, more: string): string => `version: 1\n${policy(code)}\n${more}\n`;
      await done(run(apply, service.send, text('return True', '')));
      const reference =
        key === 'name' ? '{ name: P }' : textOf(service.list('/policies/expression/')[0]?.['pk'] ?? '');
      const wanted = wiki(`policies: [{ policy: ${reference}, order: 0 }]`);
      const after = text('return False', wanted);
      const planned = await run(plan, service.send, after);
      expect([planned.ending, planned.stdout]).toEqual([
        'incomplete',
        expect.stringContaining('! policy.P is unfinished: it differs, so no new record may rely on it'),
      ]);
      const { ending, stdout } = await run(apply, service.send, after);
      expect([ending, stdout]).toEqual([
        'incomplete',
        expect.stringContaining('. application.wiki  not attempted'),
      ]);
      expect(service.list('/core/applications/')).toEqual([]);
      const logging = policy('return True').replace(' }', ', execution_logging: true }');
      const harmless = await run(apply, service.send, `version: 1\n${logging}\n${wanted}\n`);
      expect(harmless.stdout).toContain('1 created, 1 differing (left unchanged).');
      await done(run(apply, service.send, after, allowed));
    },
  );
});

describe('changes that wait for each other', () => {
  const policies = (was: string): string =>
    `policies:\n${['P', 'Q'].map((name) => `  - { type: expression, name: ${name}, expression: 'return "${name}${was}" == ""' }\n`).join('')}`;
  const wiki = (slug: string, more: string): string =>
    `  - { slug: ${slug}, name: A, policies: [${more}] }\n`;
  const by = (name: string): string => `{ policy: { name: ${name} }, order: 0 }`;
  const flow = (more: string): string =>
    `flows: [{ slug: f, name: F, title: F, designation: authorization, policies: [${more}] }]\n`;

  test.each([
    [
      'admit others in between, with a note',
      `applications:\n${wiki('one', by('P'))}${wiki('two', by('Q'))}`,
      `applications:\n${wiki('one', by('Q'))}${wiki('two', by('P'))}`,
      [
        /policy\.P [^+~]*is made before application\.one, so more people may have access in between/,
        /policy\.Q [^+~]*is made before application\.two, so more people may have access in between/,
      ],
    ],
    [
      'give up a wait that only an existing flow needs',
      `${flow('')}applications:\n${wiki('a', `${by('P')}, { group: { name: staff }, order: 1 }`)}`,
      `${flow(by('P'))}applications:
  - { slug: a, name: A, provider: { name: New }, policies: [${by('P')}] }
providers: [{ type: proxy, name: New, mode: forward_single, external_host: 'https://w.example.com', authorization_flow: { slug: f }, invalidation_flow: { slug: default-provider-invalidation-flow } }]
`,
      [/~ policy\.P [^+~]*after {2}application\.a, /, /~ flow\.f [^+~]*after {2}policy\.P, /],
    ],
  ])('%s', async (_, first, second, expected) => {
    const service = sandboxTransport({ is_fresh: true, groups: [{ name: 'staff' }] }, undefined, '2026.8');
    const files = { 'rollcall.yaml': 'version: 1\ncapabilities: [update, delete]\n' };
    const options = { ...allowed, allow: ['update', 'delete'] };
    await done(run(apply, service.send, `version: 1\n${policies('')}${first}`, options, { files }));
    const after = `version: 1\n${policies('2')}${second}`;
    const { stdout } = await done(run(plan, service.send, after, options, { files }));
    for (const pattern of expected) expect(stdout).toMatch(pattern);
    await done(run(apply, service.send, after, options, { files }));
  });
});

test('a plan lists only some of many changes that another change waits for', async () => {
  const slugs = Array.from({ length: 9 }, (_, index) => `app${index}`);
  const service = sandboxTransport({ is_fresh: true, groups: [{ name: 'staff' }] }, undefined, '2026.8');
  const text = (code: string, mode: string): string => `version: 1
policies: [{ type: expression, name: P, expression: '${code}' }]
applications:
${slugs.map((slug) => `  - { slug: ${slug}, name: A, policy_engine_mode: ${mode}, policies: [{ policy: { name: P }, order: 0 }, { group: { name: staff }, order: 1 }] }`).join('\n')}
`;
  await done(run(apply, service.send, text('return False', 'any'), allowed));
  const after = text('return True', 'all');
  const full = await done(run(plan, service.send, after, allowed));
  expect(full.stdout.match(/ after {2}.*/g)).toHaveLength(1);
  expect(full.stdout).toContain('application.app4, and 4 more, so that');
  const { stdout } = await done(run(plan, service.send, after, { ...allowed, compact: true }));
  expect(stdout).toContain('application.app4, and 4 more');
});

test('an endpoint that is used before its bindings exist has a note, and a new application waits for it', async () => {
  const service = sandboxTransport(
    {
      is_fresh: true,
      is_licensed: true,
      groups: [{ name: 'staff' }],
      tokens: [{ token: 'sandbox-token', superuser: true }],
    },
    undefined,
    '2025.12',
  );
  const text = `version: 1
providers: [{ type: rac, name: R, authorization_flow: { slug: default-provider-authorization-implicit-consent } }]
rac_endpoints: [{ name: db, provider: { name: R }, protocol: ssh, host: db, auth_mode: static, policies: [{ group: { name: staff }, order: 0 }] }]
applications: [{ slug: rac, name: RAC, provider: { name: R }, access: { groups: [{ name: staff }] } }]
`;
  const users = 'veryone who may open an application of its provider can use it until its bindings exist';
  const planned = await run(plan, service.send, text);
  expect(planned.stdout, planned.stderr).toContain(`note  e${users}`);
  const refusing: Transport = async (request, signal) =>
    request.method === 'POST' && request.path.includes(bindings)
      ? answered(400, { order: ['wrong'] })
      : service.send(request, signal);
  const { stdout, stderr } = await run(apply, refusing, text);
  expect(stdout + stderr).toContain(`E${users}.`);
  expect(stdout).toContain('. application.rac  not attempted: the change that it depends on failed');
  await done(run(apply, service.send, text, allowed));
});

test.each([
  ['provider', 'provider: 1', 'provider: 2', null],
  [
    'meta_launch_url',
    "meta_launch_url: 'https://a.example.com/'",
    "meta_launch_url: 'https://b.example.com/'",
    '',
  ],
  ['backchannel_providers', 'backchannel_providers: [3, 4]', 'backchannel_providers: [4, 5]', [4]],
])(
  'people who gain access never get the former %s of an application, even if the last step is denied',
  async (field, former, declared, closed) => {
    const service = serviceWith([]);
    const text = (value: string, group: string): string =>
      grafana(`{ groups: [{ name: ${group} }] }`, `    ${value}\n`);
    await done(run(apply, service.send, text(former, 'staff'), allowed));
    const held = (): unknown => service.ask('GET', '/core/applications/grafana/')[field];
    const atFirst = held();
    let patches = 0;
    const seen: unknown[] = [];
    const refusing: Transport = async (request, signal) => {
      if (request.method === 'POST') seen.push(held());
      if (request.method === 'PATCH' && (patches += 1) > 1) return answered(403, { detail: 'denied' });
      return service.send(request, signal);
    };
    const { stdout } = await run(apply, refusing, text(declared, 'contractors'), allowed);
    expect(stdout).toContain(`x application.grafana  unfinished, not yet as declared: ${field}`);
    expect([...seen, held()]).toEqual([closed, closed]);
    await done(run(apply, service.send, text(declared, 'contractors'), allowed));
    expect(held()).not.toEqual(atFirst);
    const again = await run(plan, service.send, text(declared, 'contractors'), allowed);
    expect(again.stdout).toContain('No changes.');
  },
);

test('people who gain access by the removal of a binding never get the former provider', async () => {
  const service = serviceWith([]);
  const text = (provider: number, groups: string): string =>
    grafana(`{ groups: [${groups}] }`, `    provider: ${provider}\n    policy_engine_mode: all\n`);
  await done(run(apply, service.send, text(1, '{ name: staff }, { name: contractors }'), allowed));
  const held = (): unknown => service.ask('GET', '/core/applications/grafana/')['provider'];
  const atDeletes: unknown[] = [];
  const watching: Transport = async (request, signal) => {
    if (request.method === 'DELETE') atDeletes.push(held());
    return service.send(request, signal);
  };
  await done(run(apply, watching, text(2, '{ name: staff }'), allowed));
  expect([atDeletes, held()]).toEqual([[null], 2]);
});

test.each<[string, before: readonly [string, string], after: readonly [string, string], methods: string[]]>([
  [
    'twice if a set value changes',
    ['staff', 'provider: 1'],
    ['contractors', 'provider: 2'],
    ['PATCH', 'POST', 'DELETE', 'PATCH'],
  ],
  ['once if no binding changes', ['staff', 'provider: 1'], ['staff', 'provider: 2'], ['PATCH']],
  [
    'once if the former value was unset',
    ['staff', 'provider: null'],
    ['contractors', 'provider: 2'],
    ['POST', 'DELETE', 'PATCH'],
  ],
  [
    'first if it becomes unset',
    ['staff', 'provider: 1'],
    ['contractors', 'provider: null'],
    ['PATCH', 'POST', 'DELETE'],
  ],
  [
    'first if a list becomes empty',
    ['staff', 'backchannel_providers: [3]'],
    ['contractors', 'backchannel_providers: []'],
    ['PATCH', 'POST', 'DELETE'],
  ],
  [
    'once if a list only gets longer',
    ['staff', 'backchannel_providers: [3]'],
    ['contractors', 'backchannel_providers: [3, 4]'],
    ['POST', 'DELETE', 'PATCH'],
  ],
])('a field that makes an application usable is changed %s', async (_, former, after, methods) => {
  const service = serviceWith([]);
  const text = ([group, value]: readonly [string, string]): string =>
    grafana(`{ groups: [{ name: ${group} }] }`, `    ${value}\n`);
  await done(run(apply, service.send, text(former), allowed));
  const from = service.requests.length;
  await done(run(apply, service.send, text(after), allowed));
  const writes = service.requests.slice(from).filter(({ method }) => method !== 'GET');
  expect(writes.map(({ method }) => method)).toEqual(methods);
});
