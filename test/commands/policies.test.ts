import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import type { Transport } from '../../src/service/transport.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { answered } from '../support/scripted-transport.ts';
import { someMoments, someReleases } from '../support/effort.ts';
import { faultNames, faulty } from '../support/faulty.ts';
import { otherClient } from '../support/other-client.ts';

const bindings = '/policies/bindings/';
const config = { 'rollcall.yaml': 'version: 1\ncapabilities: [update, delete]\n' };
const commands = { plan, apply, validate };
const all = ['update', 'delete'];

function run(
  command: keyof typeof commands,
  send: Transport,
  text: string,
  allow: readonly string[] = [],
): Promise<Ran> {
  const options = { config: 'rollcall.yaml', concurrency: '1' };
  const given = command === 'validate' ? options : { ...options, allow };
  return runOn(commands[command], send, text, given, { files: config, env: { A: 'canary-a' } });
}

type Service = ReturnType<typeof sandboxTransport>;

/** The bindings of Grafana in order, such as `5 staff` and `6 not carol`. */
function boundIn({ sandbox, list }: Service): readonly string[] {
  const target = textOf(otherClient(sandbox).pk('application', 'grafana'));
  return list(`${bindings}?target=${target}&page_size=100&ordering=order`).map((one) => {
    const { order, negate, enabled, group_obj: group, user_obj: user, policy } = one;
    const of = group ?? user ?? null;
    const name = isJsonObject(of) ? (of['name'] ?? null) : (policy ?? null);
    return `${textOf(order)} ${negate ? 'not ' : ''}${textOf(name)}${enabled ? '' : ' (off)'}`;
  });
}

function bind({ sandbox, ask }: Service, name: string, order: number, more: JsonObject = {}): void {
  const target = otherClient(sandbox).pk('application', 'grafana') ?? null;
  ask('POST', bindings, { target, group: otherClient(sandbox).pk('group', name) ?? null, order, ...more });
}

function serviceWith(release?: SandboxRelease, bound: readonly (readonly [string, number])[] = []): Service {
  const service = sandboxTransport(
    {
      applications: [{ slug: 'grafana', name: 'Grafana', provider: 1 }],
      groups: ['staff', 'contractors', 'ops'].map((name) => ({ name })),
      users: [{ username: 'carol', name: 'Carol' }],
    },
    undefined,
    release,
  );
  for (const [group, order] of bound) bind(service, group, order);
  return service;
}

const grafana = (policies: string, more: string = ''): string =>
  `version: 1\napplications:\n  - { slug: grafana, name: Grafana, provider: 1, policies: [${policies}]${more} }\n`;

const writes = ({ requests }: Service): string[] =>
  requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, body = '' }) => {
      const sent = parseJson(body) ?? null;
      const { target: _, ...fields } = isJsonObject(sent) ? sent : {};
      return [method, path.split('/')[4], ...Object.keys(fields)].join(' ');
    });

describe.each(someReleases(sandboxReleases))('with policies on release %s,', (release) => {
  test('an application is created without its provider, and gets it after all bindings', async () => {
    const service = sandboxTransport({ users: [{ username: 'carol', name: 'Carol' }] }, undefined, release);
    const text = grafana(
      '{ group: { name: staff }, order: 5 }, { user: { name: carol }, order: 6, negate: true, enabled: false }',
    );
    await done(run('apply', service.send, text));
    expect(writes(service)).toEqual([
      'POST applications slug name',
      'POST bindings group order negate enabled',
      'POST bindings user order negate enabled',
      'PATCH applications provider',
    ]);
    expect(boundIn(service)).toEqual(['5 staff', '6 not Carol (off)']);
    const again = await run('plan', service.send, text);
    expect(again.stdout).toContain('No changes.');
  });

  test('an update first adds, then changes, then deletes bindings, and changes a binding by one PATCH', async () => {
    const service = serviceWith(release, [
      ['staff', 5],
      ['ops', 6],
    ]);
    const text = grafana('{ group: { name: staff }, order: 7 }, { group: { name: contractors }, order: 8 }');
    await done(run('apply', service.send, text, all));
    expect(writes(service)).toEqual([
      'POST bindings group order negate enabled',
      'PATCH bindings group order',
      'DELETE bindings',
    ]);
    expect(boundIn(service)).toEqual(['7 staff', '8 contractors']);
  });
});

describe('an update of several bindings', () => {
  test('enables bindings before it disables others', async () => {
    const service = serviceWith(undefined, [['staff', 5]]);
    bind(service, 'ops', 6, { enabled: false });
    const text = grafana(
      '{ group: { name: staff }, order: 5, enabled: false }, { group: { name: ops }, order: 6, enabled: true }',
    );
    const moments: string[] = [];
    const send: Transport = async (request, signal) => {
      const answer = await service.send(request, signal);
      if (request.method !== 'GET') moments.push(boundIn(service).join(', '));
      return answer;
    };
    await done(run('apply', send, text, all));
    expect(moments).toEqual(['5 staff, 6 ops', '5 staff (off), 6 ops']);
  });

  test('negates bindings that are and stay disabled', async () => {
    const service = serviceWith();
    for (const [name, order] of [
      ['staff', 5],
      ['ops', 6],
    ] as const)
      bind(service, name, order, { enabled: false });
    const text = grafana(
      '{ group: { name: staff }, order: 5, negate: true, enabled: false }, { group: { name: ops }, order: 6, negate: true, enabled: false }',
      ', policy_engine_mode: all',
    );
    expect((await run('plan', service.send, text, all)).stdout).toContain('~ application.grafana');
  });

  test.each([
    ['any', ', policy_engine_mode: all', 'negate: true'],
    ['all', ', policy_engine_mode: any', 'negate: true'],
    ['all', '', 'negate: true'],
    ['all', '', 'failure_result: true'],
  ])(
    'does not change whom two bindings admit that people must all pass: in mode %s, declared%s, with %s',
    async (mode, declared, change) => {
      const service = serviceWith(undefined, [['staff', 5]]);
      service.ask('PATCH', '/core/applications/grafana/', { policy_engine_mode: mode });
      bind(service, 'ops', 6, { negate: true });
      const both = `{ group: { name: staff }, order: 5, ${change} }, { group: { name: ops }, order: 6, negate: false }`;
      const { ending, stdout } = await run('apply', service.send, grafana(both, declared), all);
      expect([ending, writes(service)]).toEqual(['incomplete', []]);
      expect(stdout).toContain('in several bindings would admit others in between');
      service.ask('PATCH', '/core/applications/grafana/', { policy_engine_mode: 'any' });
      await done(run('apply', service.send, grafana(both), all));
      expect(boundIn(service)).toEqual([change === 'negate: true' ? '5 not staff' : '5 staff', '6 ops']);
    },
  );

  test.each([{ group: ['no'] }, { target: ['no'], group: ['no'] }])(
    'ends as rejected if the service refuses the first one: %j',
    async (refusal) => {
      const service = serviceWith(undefined, [['staff', 5]]);
      const send: Transport = async (request, signal) =>
        request.method === 'POST' ? answered(400, refusal) : service.send(request, signal);
      const text = grafana('{ group: { name: staff }, order: 5 }, { group: { name: ops }, order: 6 }');
      const { ending, stdout } = await run('apply', send, text, all);
      expect([ending, stdout]).toEqual([
        'incomplete',
        expect.stringContaining('application.grafana  rejected'),
      ]);
    },
  );

  test('comes after a change that takes the provider away', async () => {
    const service = serviceWith(undefined, [['staff', 5]]);
    const text = grafana('').replace('provider: 1', 'provider: null');
    await done(run('apply', service.send, text, all));
    expect(writes(service)).toEqual(['PATCH applications provider', 'DELETE bindings']);
  });
});

describe('undeclared bindings', () => {
  const text = grafana('{ group: { name: staff }, order: 5 }');
  const bound = [
    ['staff', 5],
    ['ops', 6],
  ] as const;

  test('are shown, and kept without permission to delete', async () => {
    const service = serviceWith(undefined, bound);
    const { ending, stdout } = await run('apply', service.send, text, ['update']);
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('policies["group ops"]');
    expect(stdout).toContain('removing bindings from `policies` needs --allow delete');
    expect(writes(service)).toEqual([]);
  });

  test('are kept if the entry has `at_least`', async () => {
    const service = serviceWith(undefined, bound);
    const { stdout } = await run('plan', service.send, text.replace('] }', '], at_least: [policies] }'));
    expect(stdout).toContain('No changes.');
  });

  test('are reported as opening the record to everyone if deleting them leaves no binding', async () => {
    const { stdout } = await run('plan', serviceWith(undefined, bound).send, grafana(''), all);
    expect(stdout).toContain('Opens application.grafana to everyone.');
  });
});

describe('a plan of bindings', () => {
  test.each<[string, string, readonly (readonly [string, number])[]]>([
    [
      'the group "staff"',
      '{ group: { name: staff }, order: 1 }, { group: { name: ops }, order: 6 }',
      [['ops', 6]],
    ],
    ['whoever is not in the group "ops"', '{ group: { name: ops }, order: 6, negate: true }', [['ops', 6]]],
  ])('reports access gained by %s', async (words, declared, bound) => {
    const { stdout } = await run('plan', serviceWith(undefined, bound).send, grafana(declared), all);
    expect(stdout).toContain(`Opens application.grafana to ${words}`);
  });

  test('reports no access gained for a disabled binding', async () => {
    const text = grafana(
      '{ group: { name: staff }, order: 1, enabled: false }, { group: { name: ops }, order: 6 }',
    );
    expect((await run('plan', serviceWith(undefined, [['ops', 6]]).send, text, all)).stdout).not.toContain(
      'Opens',
    );
  });

  test('distinguishes bindings of the same group by their order', async () => {
    const service = serviceWith(undefined, [
      ['staff', 5],
      ['staff', 9],
    ]);
    const text = grafana('{ group: { name: staff }, order: 9 }, { group: { name: staff }, order: 6 }');
    const { stdout } = await run('plan', service.send, text, all);
    expect(stdout).toContain('policies["group staff at 5"].order');
    await done(run('apply', service.send, text, all));
    expect(writes(service)).toEqual(['PATCH bindings group order']);
    expect(boundIn(service)).toEqual(['6 staff', '9 staff']);
  });

  test('shows each deleted binding of a group that is bound several times with the same order', async () => {
    const service = serviceWith(undefined, [
      ['staff', 5],
      ['staff', 5],
      ['staff', 5],
    ]);
    const text = grafana('{ group: { name: staff }, order: 5 }');
    const { stdout } = await run('plan', service.send, text, all);
    expect(stdout.match(/policies\["group staff at 5 \(\d\)"\]/g)).toHaveLength(2);
    await done(run('apply', service.send, text, all));
    expect(boundIn(service)).toEqual(['5 staff']);
  });

  test('leaves ambiguous bindings unchanged', async () => {
    const service = serviceWith(undefined, [['staff', 5]]);
    bind(service, 'staff', 5, { negate: true });
    const text = grafana('{ group: { name: staff }, order: 5, timeout: 7 }', ', at_least: [policies]');
    const { stdout } = await run('plan', service.send, text, all);
    expect(stdout).toContain('rollcall cannot distinguish them');
  });
});

test.each([
  [
    'access: everyone, policies: [{ group: { name: staff }, order: 1 }]',
    'cannot declare both `access` and `policies`',
  ],
  ['policies: [{ order: 1 }]', 'a binding has exactly one of `policy`, `group`, `user`'],
  ['policies: [{ group: { name: a }, user: { name: b }, order: 1 }]', 'a binding has exactly one of'],
  [
    'policies: [{ group: { name: a }, order: 1 }, { group: { name: a }, order: 1 }]',
    'bound twice with the same order',
  ],
  [
    'policies: [{ group: { name: "${env:A}" }, order: 1 }]',
    'the name of this group comes from an environment',
  ],
  ['policies: [{ group: { name: a } }]', 'order'],
  ['policies: [{ grup: { name: a }, order: 1 }]', 'unknown field `grup`'],
])('an entry is refused with %s', async (fields, words) => {
  const text = `version: 1\napplications:\n  - { slug: a, name: A, ${fields} }\n`;
  const { ending, stdout } = await run('validate', sandboxTransport({}).send, text);
  expect(ending).toBe('invalid');
  expect(stdout).toContain(words);
  expect(stdout).toContain('m.yaml:3:');
});

test('an entry that declares access or policies does not get the other field from defaults', async () => {
  const text = grafana('{ group: { name: staff }, order: 1 }').replace(
    'version: 1\n',
    'version: 1\ndefaults: { application: { access: { groups: [{ name: staff }] } } }\n',
  );
  const { stdout } = await run('plan', serviceWith().send, text);
  expect(stdout).toContain('policies["group staff"]');
  expect(stdout).not.toContain('access');
});

test('an export declares policies in full, and groups and users as access', async () => {
  const service = serviceWith(undefined, [['staff', 5]]);
  otherClient(service.sandbox).create('application', { slug: 'wiki', name: 'Wiki' });
  const exported = async (): Promise<string> => {
    const { context, stdout } = capture({ url: 'https://x.example', transport: service.send });
    await exportManifests({ output: 'yaml' }, context);
    return stdout();
  };
  expect(await exported()).toContain('    access:\n      groups:\n        - { name: staff }\n');
  bind(service, 'ops', 7, { negate: true });
  const text = await exported();
  expect(text).toContain(
    '    policies:\n      - { group: { name: staff }, order: 5 }\n      - { group: { name: ops }, order: 7, negate: true }\n',
  );
  expect((await run('plan', service.send, text)).stdout).toContain('No changes.');
});

test.each(faultNames)(
  'an application gets its provider by the end of the next run, and always after its bindings, despite %s during the create',
  async (how) => {
    const declared = '{ group: { name: staff }, order: 1 }, { group: { name: contractors }, order: 2 }';
    const whole = sandboxTransport({});
    await run('apply', whole.send, grafana(declared), all);
    for (const at of someMoments(1, whole.requests.length + 1, how.length)) {
      const service = sandboxTransport({});
      let isRight = true;
      const check = (): void => {
        const { provider = null } = otherClient(service.sandbox).record('application', 'grafana') ?? {};
        isRight &&= provider === null || boundIn(service).length === 2;
        isRight &&= boundIn(service).length <= 2;
      };
      await run('apply', faulty(service.send, at, how, check), grafana(declared), all);
      const { ending, stdout } = await run('apply', service.send, grafana(declared), all);
      check();
      expect({ at, ending, isRight, bound: boundIn(service) }, stdout).toEqual({
        at,
        ending: 'done',
        isRight: true,
        bound: ['1 staff', '2 contractors'],
      });
      expect(otherClient(service.sandbox).record('application', 'grafana')).toMatchObject({ provider: 1 });
    }
  },
);

test('a binding changed by somebody else since the plan is left unchanged', async () => {
  const service = serviceWith(undefined, [['staff', 5]]);
  let lists = 0;
  const send: Transport = async (request, signal) => {
    if (request.method === 'GET' && request.path.includes(bindings)) {
      lists += 1;
      const [{ pk, ...fields } = {}] = service.list(bindings);
      if (lists === 2) service.ask('PATCH', `${bindings}${textOf(pk)}/`, { ...fields, order: 40 });
    }
    return service.send(request, signal);
  };
  const { ending, stdout } = await run('apply', send, grafana('{ group: { name: staff }, order: 7 }'), all);
  expect(ending).toBe('incomplete');
  expect(stdout).toContain('somebody else has changed `policies` since the plan');
  expect(boundIn(service)).toEqual(['40 staff']);
});
