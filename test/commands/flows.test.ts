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
  // These flows only show in which order rollcall writes.
  const given = {
    ...options,
    allow: [...(command === 'validate' ? [] : allow), 'open-login', 'lockout', 'way-in'],
  };
  return runOn(commands[command], send, text, given, { files: config });
}

type Service = ReturnType<typeof sandboxTransport>;

/** A service that has a policy, and the stages of these flows. */
function serviceWith(stages: readonly string[] = [], release?: SandboxRelease): Service {
  const service = sandboxTransport({}, undefined, release);
  const post = (path: string, body: JsonObject): void => void service.ask('POST', path, body);
  post('/policies/dummy/', { name: 'never', result: false });
  post('/stages/identification/', { name: 'who', user_fields: ['username'] });
  post('/stages/password/', { name: 'proof', backends: ['authentik.core.auth.InbuiltBackend'] });
  post('/stages/authenticator/validate/', { name: 'second', not_configured_action: 'skip' });
  post('/stages/user_login/', { name: 'enter' });
  post('/stages/user_login/', { name: 'stay' });
  if (stages.length === 0) return service;
  const { pk: target = null } = service.ask('POST', '/flows/instances/', door);
  for (const one of stages) {
    const [order = '', name = ''] = one.split(' ');
    const stage = service.list(`/stages/all/?name=${name}`)[0]?.['pk'] ?? null;
    post('/flows/bindings/', { target, stage, order: Number(order) });
  }
  return service;
}

const door = { slug: 'door', name: 'Door', title: 'Door', designation: 'authentication' };

/** The stages of the flow in order, each with the number of its policies, such as `20 proof (1)`. */
function stagesIn(service: Service): readonly string[] {
  const { pk } = service.ask('GET', '/flows/instances/door/');
  if (pk === undefined) return [];
  const bound = service.list(`/flows/bindings/?target=${textOf(pk)}&ordering=order`);
  return bound.map(({ order, stage_obj: stage = null, policybindingmodel_ptr_id: id = null }) => {
    const policies = service.list(`/policies/bindings/?target=${textOf(id)}`).length;
    const name = isJsonObject(stage) ? textOf(stage['name']) : '';
    return `${textOf(order)} ${name}${policies > 0 ? ` (${policies})` : ''}`;
  });
}

function flow(stages: string, more: string = ''): string {
  return `version: 1\nflows:\n  - { slug: door, name: Door, title: Door, designation: authentication, stages: [${stages}]${more} }\n`;
}

const stage = (name: string, order: number, more: string = ''): string =>
  `{ stage: { name: ${name} }, order: ${order}${more} }`;

const guarded = ', policies: [{ policy: { name: never }, order: 0 }]';

const writes = ({ requests }: Service, from: number = 0): string[] =>
  requests
    .slice(from)
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, body = '' }) => {
      const sent = parseJson(body) ?? null;
      const { target: _, ...fields } = isJsonObject(sent) ? sent : {};
      const [, , , area, list] = path.split('/');
      return [method, area, list, ...Object.keys(fields)].join(' ');
    });

describe.each(someReleases(sandboxReleases))('on release %s', (release) => {
  test('a new flow gets its policies first, and the stage that logs people in last', async () => {
    const service = serviceWith([], release);
    const text = flow(
      [stage('enter', 5), stage('who', 10), stage('proof', 20, guarded)].join(', '),
      ', policies: [{ policy: { name: never }, order: 1, negate: true }]',
    );
    await done(run('apply', service.send, text));
    expect(writes(service)).toEqual([
      'POST flows instances slug name title designation',
      'POST policies bindings policy order negate enabled',
      'POST flows bindings stage order',
      'POST policies bindings policy order negate enabled',
      'POST flows bindings stage order',
      'POST flows bindings stage order',
    ]);
    expect(stagesIn(service)).toEqual(['5 enter', '10 who', '20 proof (1)']);
    expect((await run('plan', service.send, text)).stdout).toContain('No changes.');
  });
});

/** The stages before the login stage; undefined if there is no login stage. */
function wayIn(stages: readonly string[]): readonly string[] | undefined {
  const names = stages.map((one) => one.replace(/^\d+ /, '').replace(/ \(.*/, ''));
  const end = names.indexOf('enter');
  return end === -1 ? undefined : names.slice(0, end);
}

function holds(stages: readonly string[], others: readonly string[]): boolean {
  const way = wayIn(others);
  return way?.every((name) => stages.includes(name)) === true;
}

const changes: readonly { what: string; before: readonly string[]; now: string; after: readonly string[] }[] =
  [
    {
      what: 'a second factor is added and the login stage moves later',
      before: ['10 who', '20 proof', '30 enter'],
      now: [stage('who', 10), stage('proof', 20), stage('second', 30), stage('enter', 40)].join(', '),
      after: ['10 who', '20 proof', '30 second', '40 enter'],
    },
    {
      what: 'the password stage and the login stage move later',
      before: ['10 who', '20 proof', '30 enter'],
      now: [stage('who', 10), stage('proof', 40), stage('enter', 50)].join(', '),
      after: ['10 who', '40 proof', '50 enter'],
    },
    {
      what: 'the password stage and the login stage move earlier',
      before: ['10 who', '40 proof', '50 enter'],
      now: [stage('who', 10), stage('proof', 20), stage('enter', 30)].join(', '),
      after: ['10 who', '20 proof', '30 enter'],
    },
    {
      what: 'the new login stage is placed before the password stage',
      before: ['10 who', '50 proof'],
      now: [stage('who', 10), stage('proof', 20), stage('enter', 30)].join(', '),
      after: ['10 who', '20 proof', '30 enter'],
    },
    {
      what: 'another stage with a policy replaces the password stage',
      before: ['10 who', '20 proof', '30 enter'],
      now: [stage('who', 10), stage('second', 20, guarded), stage('enter', 30)].join(', '),
      after: ['10 who', '20 second (1)', '30 enter'],
    },
    {
      what: 'another login stage replaces the login stage',
      before: ['10 who', '20 proof', '30 enter'],
      now: [stage('who', 10), stage('proof', 20), stage('stay', 30)].join(', '),
      after: ['10 who', '20 proof', '30 stay'],
    },
    {
      what: 'two stages swap their orders',
      before: ['10 proof', '20 who', '30 enter'],
      now: [stage('who', 10), stage('proof', 20), stage('enter', 30)].join(', '),
      after: ['10 who', '20 proof', '30 enter'],
    },
  ];

describe.each(changes)('an apply in which $what', ({ what, before, now, after }) => {
  test('always keeps either all the former or all the new stages in front of the login stage', async () => {
    const service = serviceWith(before);
    const states: (readonly string[])[] = [];
    const send: Transport = async (request, signal) => {
      const answer = await service.send(request, signal);
      if (request.method !== 'GET') states.push(stagesIn(service));
      return answer;
    };
    await done(run('apply', send, flow(now), all));
    expect(stagesIn(service)).toEqual(after);
    for (const state of states) {
      const way = wayIn(state);
      expect(way === undefined || holds(way, before) || holds(way, after), state.join(', ')).toBe(true);
      expect(state.length).toBeGreaterThanOrEqual(Math.min(before.length, after.length));
    }
    expect((await run('plan', service.send, flow(now))).stdout).toContain('No changes.');
  });

  test.each(faultNames)('reaches the declared state in the next run after %s', async (how) => {
    const whole = serviceWith(before);
    await run('apply', whole.send, flow(now), all);
    const first = whole.requests.findIndex(({ method }) => method !== 'GET');
    for (const at of someMoments(first, whole.requests.length + 1, what.length + how.length)) {
      const service = serviceWith(before);
      let isRight = true;
      const check = (): void => {
        const way = wayIn(stagesIn(service));
        isRight &&= way === undefined || holds(way, before) || holds(way, after);
      };
      await run('apply', faulty(service.send, at, how, check), flow(now), all);
      const { ending, stdout } = await run('apply', service.send, flow(now), all);
      const ended = { at, ending, isRight, stages: stagesIn(service) };
      expect(ended, stdout).toEqual({ at, ending: 'done', isRight: true, stages: after });
    }
  });
});

test('a stage of an existing flow is removed with permission to delete', async () => {
  const text = flow([stage('who', 10), stage('proof', 20)].join(', '));
  const service = serviceWith(['10 who', '20 proof', '30 enter']);
  const without = await run('plan', service.send, text);
  expect(without.stdout).toMatch(
    /! flow\.door differs[^]*removing bindings from `stages` needs --allow delete too/,
  );
  const { ending, stdout } = await run('apply', service.send, text, ['update']);
  expect(ending).toBe('incomplete');
  expect(stdout).toContain('stages["stage enter"]');
  expect(stdout).toContain('removing bindings from `stages` needs --allow delete');
  const inPart = text.replace('] }\n', '], at_least: [stages] }\n');
  expect((await run('plan', service.send, inPart)).stdout).toContain('No changes.');
  await done(run('apply', service.send, text, all));
  expect(stagesIn(service)).toEqual(['10 who', '20 proof']);
});

test('one update changes the title of a flow and removes its only stage, but no stage of another flow', async () => {
  const service = serviceWith(['10 who']);
  const other = `{ slug: other, name: Other, title: Other, designation: recovery, stages: [{ stage: { name: proof }, order: 10, policies: [{ policy: { name: never }, order: 0 }] }] }`;
  const made = await run('apply', service.send, `version: 1\nflows: [${other}]\n`, all);
  expect(made.ending, made.stderr).toBe('done');
  const text = `version: 1\nflows:\n  - ${other}\n  - { slug: door, title: Gate, stages: [] }\n`;
  await done(run('apply', service.send, text, all));
  expect(service.list('/flows/bindings/')).toHaveLength(1);
});

test('the entry of a flow binds, changes and unbinds a policy of a stage', async () => {
  const service = serviceWith(['10 who', '20 proof', '30 enter']);
  const text = (policies: string): string =>
    flow([stage('who', 10), stage('proof', 20, `, policies: [${policies}]`), stage('enter', 30)].join(', '));
  const bound = text('{ policy: { name: never }, order: 0, negate: true }');
  const { stdout } = await run('plan', service.send, bound, all);
  expect(stdout).toContain('stages["stage proof"].policies["policy never"]');
  await done(run('apply', service.send, bound, ['update']));
  expect(stagesIn(service)).toEqual(['10 who', '20 proof (1)', '30 enter']);
  const from = service.requests.length;
  await done(run('apply', service.send, bound.replace('order: 0', 'order: 3'), ['update']));
  expect(writes(service, from)).toEqual(['PATCH policies bindings policy order']);
  expect((await run('apply', service.send, text(''), ['update'])).ending).toBe('incomplete');
  await done(run('apply', service.send, text(''), all));
  expect(stagesIn(service)).toEqual(['10 who', '20 proof', '30 enter']);
});

test.each([
  ['could be bound', 1, 'unfinished, could not be read back'],
  ['could not be bound', 2, 'unfinished, not yet as declared: stages'],
])(
  'a flow is reported as it is after a change of two policies of a stage, of which the last %s',
  async (_, failing, words) => {
    const service = serviceWith(['10 who', '20 proof']);
    service.ask('POST', '/policies/dummy/', { name: 'other', result: true });
    const two = ', policies: [{ policy: { name: never }, order: 0 }, { policy: { name: other }, order: 1 }]';
    let bound = 0;
    const send: Transport = async (request, signal) => {
      if (failing === 1 && bound === 2) return answered(403, { detail: 'no' });
      if (request.method === 'POST') bound += 1;
      return request.method === 'POST' && bound === 2 && failing === 2
        ? answered(403, { detail: 'no' })
        : service.send(request, signal);
    };
    const text = flow([stage('who', 10), stage('proof', 20, two)].join(', '));
    const { stdout, ending } = await run('apply', send, text, ['update']);
    expect([ending, stdout]).toEqual(['denied', expect.stringContaining(words)]);
    expect((await run('plan', service.send, text)).stdout.includes('No changes.')).toBe(failing === 1);
  },
);

test('an update reports that a new stage is used without its policies until they are bound', async () => {
  const text = flow([stage('who', 10), stage('second', 25, guarded)].join(', '), ', at_least: [stages]');
  const { stdout } = await run('plan', serviceWith(['10 who', '30 enter']).send, text, ['update']);
  expect(stdout).toContain('the stage "second" (');
  expect(stdout).toContain('is used without its `policies` until they are bound');
});

test('a resource that refers to a flow is created after all stages of the flow', async () => {
  const text = `${flow([stage('who', 10), stage('proof', 20)].join(', '))}providers:
  - { name: P, type: oauth2, authorization_flow: { slug: door }, invalidation_flow: { slug: door }, redirect_uris: [] }
`;
  const service = serviceWith();
  const refusing: Transport = async (request, signal) => {
    const isSecond = request.method === 'POST' && (request.body ?? '').includes('"order":20');
    return isSecond ? answered(400, { stage: ['no'] }) : service.send(request, signal);
  };
  const { ending, stdout } = await run('apply', refusing, text, all);
  expect(ending).toBe('incomplete');
  expect(stdout).toContain('x flow.door  unfinished');
  expect(stdout).toContain('Resources that refer to it were not created or changed.');
  expect(writes(service).some((line) => line.startsWith('POST providers'))).toBe(false);
  await done(run('apply', service.send, text, all));
  expect(stagesIn(service)).toEqual(['10 who', '20 proof']);
});

test('a flow without any of its stages stays unfinished until a run may update, and records that refer to it wait', async () => {
  const text = `${flow([stage('who', 10), stage('proof', 20)].join(', '))}providers:
  - { name: P, type: oauth2, authorization_flow: { slug: door }, invalidation_flow: { slug: door }, redirect_uris: [] }
`;
  const service = serviceWith();
  const refusing: Transport = async (request, signal) =>
    request.method === 'POST' && request.path.includes('/flows/bindings/')
      ? answered(502, '<html>')
      : service.send(request, signal);
  await run('apply', refusing, text);
  const planned = await run('plan', service.send, text);
  expect([planned.ending, planned.stdout]).toEqual([
    'incomplete',
    expect.stringContaining('! flow.door is unfinished: declared parts of it are missing'),
  ]);
  const { ending, stdout } = await run('apply', service.send, text);
  expect(ending).toBe('incomplete');
  const warning =
    'The apply will be incomplete: 1 resource is unfinished, which needs --allow update: flow.door.';
  expect(stdout.split('x flow.door  unfinished')[0]).toContain(`\n${warning}\n`);
  expect(stdout).toContain('x flow.door  unfinished, not yet as declared: stages');
  expect(stdout).toContain('To finish the unfinished resources, apply again with the capability `update`');
  expect(stdout).not.toMatch(/Run the same apply again|To change these differences/);
  expect(stdout).toMatch(/provider\.P +not attempted: a resource that it depends on is missing, or not as/);
  expect(writes(service).some((line) => line.startsWith('POST providers'))).toBe(false);
  await done(run('apply', service.send, text, all));
  expect(stagesIn(service)).toEqual(['10 who', '20 proof']);
});

test('records that refer to a flow without stages wait too if only a right to delete is missing', async () => {
  const service = serviceWith();
  const { policybindingmodel_ptr_id: target = null } = service.ask('POST', '/flows/instances/', door);
  const policy = service.list('/policies/all/?name=never')[0]?.['pk'] ?? null;
  service.ask('POST', '/policies/bindings/', { target, policy, order: 0 });
  const alone = flow(stage('who', 10), ', policies: []');
  expect((await run('plan', service.send, alone, ['update'])).stdout).toContain('! flow.door is unfinished');
  const text = `${alone}providers:
  - { name: P, type: oauth2, authorization_flow: { slug: door }, invalidation_flow: { slug: door }, redirect_uris: [] }
`;
  const planned = await run('plan', service.send, text, ['update']);
  expect([planned.ending, planned.stdout, planned.stderr]).toEqual([
    'incomplete',
    expect.stringContaining(
      '! flow.door is unfinished: declared parts of it are missing, and it is left unchanged; removing bindings from `policies` needs --allow delete',
    ),
    expect.stringMatching(/^(?![^]*needs --allow update)[^]*1 resource is left unchanged: flow\.door/),
  ]);
  const { ending, stdout } = await run('apply', service.send, text, ['update']);
  expect(ending).toBe('incomplete');
  expect(stdout).toMatch(/provider\.P +not attempted: a resource that it depends on/);
  expect(writes(service).some((line) => line.startsWith('POST providers'))).toBe(false);
  await done(run('apply', service.send, text, all));
  expect(stagesIn(service)).toEqual(['10 who']);
});

test.each([
  ['a policy', flow('').replace('stages: []', 'policies: [{ policy: { name: never }, order: 0 }]'), []],
  ['one of its stages', flow([stage('who', 10), stage('proof', 20)].join(', ')), ['10 who']],
])('a flow without %s differs, and is unfinished if a new record refers to it', async (_, text, stages) => {
  const service = serviceWith(stages);
  if (stages.length === 0) service.ask('POST', '/flows/instances/', door);
  expect((await run('plan', service.send, text)).ending).toBe('done');
  const withNew = `${text}providers:
  - { name: P, type: oauth2, authorization_flow: { slug: door }, invalidation_flow: { slug: door }, redirect_uris: [] }
`;
  const planned = await run('plan', service.send, withNew);
  expect([planned.ending, planned.stdout]).toEqual([
    'incomplete',
    expect.stringContaining('! flow.door is unfinished: declared parts of it are missing'),
  ]);
  expect((await run('apply', service.send, withNew)).ending).toBe('incomplete');
  expect(writes(service).some((line) => line.startsWith('POST providers'))).toBe(false);
  await done(run('apply', service.send, withNew, all));
});

test('an update demands more of people before it removes stages', async () => {
  const service = serviceWith(['10 who', '20 proof']);
  const text = flow(stage('who', 10), ', authentication: require_superuser').replace(
    'designation: authentication',
    'designation: enrollment',
  );
  const before = service.requests.length;
  await done(run('apply', service.send, text, all));
  expect(writes(service, before).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'PATCH flows',
    'DELETE flows',
    'PATCH flows',
  ]);
});

test('a flow that ships without stages differs if a manifest adds one, and is not unfinished', async () => {
  const slug = 'default-provider-authorization-implicit-consent';
  const service = serviceWith();
  service.ask('POST', '/flows/instances/', { ...door, slug });
  const planned = await run(
    'plan',
    service.send,
    flow(stage('who', 20)).replace('slug: door', `slug: ${slug}`),
  );
  expect([planned.ending, planned.stdout]).toEqual([
    'done',
    expect.stringContaining(`! flow.${slug} differs and is left unchanged`),
  ]);
});

test('a flow that has another stage instead of the declared one differs, and is not unfinished', async () => {
  const planned = await run('plan', serviceWith(['10 who']).send, flow(stage('proof', 20)));
  expect([planned.ending, planned.stdout]).toEqual([
    'done',
    expect.stringContaining('! flow.door differs and is left unchanged'),
  ]);
});

test.each([
  [
    '{ stage: { name: who }, order: 1 }, { stage: { name: who }, order: 1 }',
    'bound twice with the same order',
  ],
  ['{ order: 1 }', 'a binding has exactly one of `stage`'],
  ['{ stage: { name: who }, order: 1, policies: [{ order: 1 }] }', 'a binding has exactly one of `policy`'],
  ['{ stage: { name: who }, order: 1, invalid_response_action: again }', 'invalid_response_action'],
])('a flow with these stages is refused: %s', async (stages, words) => {
  const { ending, stdout } = await run('validate', serviceWith().send, flow(stages));
  expect(ending).toBe('invalid');
  expect(stdout).toContain(words);
  expect(stdout).toContain('m.yaml:3:');
});

test('an export has stages and policies inside of flows, and its plan has no changes', async () => {
  const service = serviceWith([]);
  await run(
    'apply',
    service.send,
    flow([stage('who', 10), stage('proof', 20, guarded), stage('enter', 30)].join(', ')),
  );
  const { context, stdout } = capture({ url: 'https://x.example', transport: service.send });
  await exportManifests({ output: 'yaml', target: ['flow.door'] }, context);
  expect(stdout()).toContain(`    stages:
      - stage: { name: who }
        order: 10
      - stage: { name: proof }
        order: 20
        policies:
          - { policy: { name: never }, order: 0 }
      - stage: { name: enter }
        order: 30
`);
  expect((await run('plan', service.send, stdout())).stdout).toContain('No changes.');
});

test('a saved plan of a flow is applied if the bindings of the flow have not changed', async () => {
  const service = serviceWith(['10 who', '20 proof', '30 enter']);
  const text = flow([stage('who', 10), stage('proof', 20, guarded), stage('enter', 40)].join(', '));
  const options = { config: 'rollcall.yaml', concurrency: '1', allow: [...all, 'open-login'] };
  const saved = await runOn(plan, service.send, text, { ...options, out: 'plan.json' }, { files: config });
  expect(saved.ending, saved.stderr).toBe('done');
  const files = { ...config, 'plan.json': saved.written.get('plan.json') ?? '' };
  const applied = (): Promise<Ran> =>
    runOn(apply, service.send, text, { ...options, plan: 'plan.json' }, { files });
  const [first] = service.list('/flows/bindings/?ordering=order');
  const path = `/flows/bindings/${textOf(first?.['pk'] ?? null)}/`;
  service.ask('PATCH', path, { order: 11 });
  const stale = await applied();
  expect(stale.ending, stale.stdout).toBe('stale');
  service.ask('PATCH', path, { order: 10 });
  await done(applied());
  expect(stagesIn(service)).toEqual(['10 who', '20 proof (1)', '40 enter']);
});

describe.each(['', 'hide: [flow.stages]\n'])('with %j in rollcall.yaml', (hide) => {
  test.each([
    ['a stage', [stage('who', 10), stage('enter', 30)], ['10 who', '30 enter']],
    [
      'a policy of a stage',
      [stage('who', 10), stage('proof', 20, ', policies: []'), stage('enter', 30)],
      ['10 who', '20 proof', '30 enter'],
    ],
  ])('a saved plan that removes %s is applied only with --allow delete', async (_, stages, result) => {
    const project = { 'rollcall.yaml': `${config['rollcall.yaml']}${hide}` };
    const service = serviceWith(['10 who', '20 proof', '30 enter']);
    const options = { config: 'rollcall.yaml', allow: [...all, 'open-login'] };
    const before = flow([stage('who', 10), stage('proof', 20, guarded), stage('enter', 30)].join(', '));
    await done(runOn(apply, service.send, before, options, { files: project }));
    const text = flow(stages.join(', '));
    const saved = await runOn(plan, service.send, text, { ...options, out: 'plan.json' }, { files: project });
    if (hide !== '') expect(saved.stdout).toMatch(/stages {2}\(hidden; .*\n +note {2}.*deletes bindings/s);
    const files = { ...project, 'plan.json': saved.written.get('plan.json') ?? '' };
    const applied = (allow: readonly string[]): Promise<Ran> =>
      runOn(apply, service.send, text, { ...options, allow: [...allow], plan: 'plan.json' }, { files });
    const refused = await applied(['update', 'open-login']);
    expect(refused.ending).toBe('invalid');
    expect(refused.stderr).toContain('the plan would delete bindings of it, which this run may not do');
    await done(applied(options.allow));
    expect(stagesIn(service)).toEqual(result);
  });
});
