import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { isJsonList, isJsonObject, parseJson, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { World, type Tamper } from '../support/update-world.ts';
import { someOf } from '../support/effort.ts';

/** A flow, and a stage that refers to it; in addition, a flow and a brand that refer to this circle. */
const circle = `version: 1
stages:
  - { name: pw, type: password, backends: [authentik.core.auth.InbuiltBackend], configure_flow: { slug: change } }
flows:
  - { slug: change, name: Change, title: Change, designation: stage_configuration, stages: [{ stage: { name: pw }, order: 0 }] }
  - { slug: again, name: Again, title: Again, designation: stage_configuration, stages: [{ stage: { name: pw }, order: 0 }] }
`;

const one = { output: 'text', yes: true, concurrency: 1 } as const;
const many = { output: 'text', yes: true } as const;

function writesOf(world: World): string[] {
  return world.requests
    .filter(({ method }) => method === 'POST' || method === 'PATCH')
    .map(({ method, path }) =>
      `${method} ${path.split('/').slice(3, 6).join('/')}`.replace(/[0-9a-f-]{36}.*/, '…'),
    );
}

describe('a new stage that refers to the flow that contains it', () => {
  test.each([
    ['one request at a time', one],
    ['several at a time', many],
  ])(
    'is created without the reference, and the reference is set once the flow is complete, with %s',
    async (_, options) => {
      for (const release of someOf(['2023.10', '2026.8'] as const, 1)) {
        const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] }, release);
        const { context, stdout, stderr } = world.run(circle, { ROLLCALL_CAPABILITIES: '' });
        expect(await apply(['m.yaml'], options, context), stderr() + stdout()).toBe('done');
        expect(writesOf(world).slice(0, 4)).toEqual([
          'POST stages/password/',
          'POST flows/instances/',
          'POST flows/bindings/',
          'PATCH stages/password/…',
        ]);
        const again = world.run(circle);
        expect(await plan(['m.yaml'], { output: 'text', detailedExitcode: true }, again.context)).toBe(
          'done',
        );
      }
    },
  );

  test('is marked in the plan, and the plan can be saved and applied', async () => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    const { context, stdout, written } = world.run(circle);
    await plan(['m.yaml'], { output: 'text', out: 'p.json' }, context);
    expect(stdout()).toContain('`configure_flow` is set after flow.change is created');
    expect(stdout()).toMatch(/configure_flow +"change"\n/);
    const saved = written.get('p.json') ?? '';
    expect(schemaErrors('plan', parseJson(saved))).toEqual([]);
    const files = { 'm.yaml': circle, 'p.json': saved };
    const applied = world.run('', {}, { files });
    expect(await apply(['m.yaml'], { ...many, plan: 'p.json' }, applied.context), applied.stderr()).toBe(
      'done',
    );
    expect(writesOf(world)).toContain('PATCH stages/password/…');
  });

  test('is created with its policies bound; only the reference to the flow is set later', async () => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    const { context, stdout } = world.run(`version: 1
stages:
  - { name: id, type: identification, user_fields: [username], password_stage: { name: pw } }
  - { name: pw, type: password, backends: [authentik.core.auth.InbuiltBackend], configure_flow: { slug: in } }
flows:
  - { slug: in, name: In, title: In, designation: authentication, stages: [{ stage: { name: id }, order: 0 }] }
`);
    await plan(['m.yaml'], { output: 'text' }, context);
    expect(stdout()).toContain('`configure_flow` is set after flow.in is created');
    expect(stdout()).not.toContain('`password_stage` is set');
  });

  test('is created with the reference if the flow exists', async () => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    const flow = 'flows: [{ slug: change, name: Change, title: Change, designation: stage_configuration }]';
    await apply(['m.yaml'], many, world.run(`version: 1\n${flow}\n`).context);
    const { context, stdout } = world.run(circle);
    expect(await apply(['m.yaml'], { ...many, allow: ['update'] }, context), stdout()).toBe('done');
    expect(writesOf(world)).not.toContain('PATCH stages/password/…');
  });

  test('stays unfinished if its reference cannot be set, and no resource outside of the circle is created with a reference to it', async () => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    world.tamper = ({ method }, answer) =>
      method === 'PATCH' ? answered(403, { detail: 'denied' }) : answer();
    const { context, stdout } = world.run(circle);
    expect(await apply(['m.yaml'], many, context)).toBe('denied');
    expect(stdout()).toMatch(/stage\.pw +unfinished, not yet as declared: configure_flow/);
    expect(stdout()).toMatch(/flow\.change +created/);
    expect(stdout()).toMatch(/flow\.again +not attempted: a resource that it depends on is missing/);
  });

  test('is completed even if the run is interrupted right after the create of the flow', async () => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    const interruption = new AbortController();
    world.tamper = ({ method, path }, answer) => {
      const exchange = answer();
      if (method === 'POST' && path.includes('/flows/instances/')) interruption.abort('SIGINT');
      return exchange;
    };
    const { context, stdout } = world.run(circle, {}, { signal: interruption.signal });
    expect(await apply(['m.yaml'], { ...many, concurrency: '1' }, context)).toBe('interrupted');
    expect(stdout()).toMatch(/stage\.pw +created/);
    expect(writesOf(world)).toContain('PATCH stages/password/…');
  });

  test('stays unfinished if the flow is not created', async () => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    world.tamper = ({ method, path }, answer) =>
      method === 'POST' && path.includes('/flows/instances/') ? answered(400, { title: ['no'] }) : answer();
    const { context, stdout } = world.run(circle);
    await apply(['m.yaml'], many, context);
    expect(stdout()).toMatch(/stage\.pw +unfinished, not yet as declared: configure_flow/);
    expect(stdout()).not.toContain('the answer is not from the API');
    expect(writesOf(world)).not.toContain('PATCH stages/password/…');
  });

  test('stays unfinished if an unexpected error occurs before the flow is created', async () => {
    const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
    world.tamper = ({ method, body = '' }, answer) => {
      if (method === 'POST' && body.includes('"pw2"')) throw new Error('nobody foresaw this');
      return answer();
    };
    const { context, stdout } = world.run(`version: 1
stages:
  - { name: pw, type: password, backends: [authentik.core.auth.InbuiltBackend], configure_flow: { slug: change } }
  - { name: pw2, type: password, backends: [authentik.core.auth.InbuiltBackend], configure_flow: { slug: change } }
flows:
  - { slug: change, name: Change, title: Change, designation: stage_configuration, stages: [{ stage: { name: pw }, order: 0 }, { stage: { name: pw2 }, order: 1 }] }
`);
    await apply(['m.yaml'], { ...many, concurrency: '1' }, context);
    expect(stdout()).toMatch(/stage\.pw +unfinished, not yet as declared: configure_flow/);
    expect(stdout()).toMatch(/stage\.pw2 +unknown/);
    expect(stdout()).toMatch(/flow\.change +not attempted/);
  });
});

const faults: Readonly<Record<string, Tamper>> = {
  'is lost before the service': () => lost,
  'takes effect and its answer is lost': (_, answer) => (answer(), lost),
  'is denied': () => answered(403, { detail: 'denied' }),
  'gets a 502 from a proxy without effect': () => answered(502, ''),
  'takes effect and gets a 502 from a proxy': (_, answer) => (answer(), answered(502, '')),
};

/** The existing records of the declared circle, and the flow to which the stage refers. */
function heldIn(world: World): JsonObject {
  const all = (path: string): readonly JsonValue[] => {
    const answer = world.handle({ method: 'GET', path: `/api/v3${path}` });
    const body = answer.kind === 'answered' ? parseJson(answer.body) : undefined;
    const { results = [] } = isJsonObject(body) ? body : {};
    return isJsonList(results) ? results : [];
  };
  const [stage = {}, ...others] = all('/stages/password/?name=pw').filter((found) => isJsonObject(found));
  return {
    stages: others.length + (Object.hasOwn(stage, 'pk') ? 1 : 0),
    flows: all('/flows/instances/?slug=change').length + all('/flows/instances/?slug=again').length,
    bindings: all('/flows/bindings/').length,
    isWhole: (stage['configure_flow'] ?? null) !== null,
  };
}

describe.each(someOf(Object.entries(faults), 1))(
  'if one of the writes for a circular reference %s',
  (_, fault) => {
    test('the report names the unfinished record, and another run completes it without duplicates', async () => {
      for (let nth = 1; ; nth += 1) {
        const world = new World({ tokens: [{ token: 'sandbox-token', superuser: true }] });
        const before = heldIn(world);
        let writes = 0;
        world.tamper = (request, answer) => {
          const isHit = request.method !== 'GET' && (writes += 1) === nth;
          return isHit ? fault(request, answer) : answer();
        };
        const first = world.run(circle, { ROLLCALL_CAPABILITIES: '' });
        const ending = await apply(['m.yaml'], { ...many, output: 'json' }, first.context);
        const { outcomes = [] } = parseJson(first.stdout()) as {
          outcomes?: { address: string; outcome: string }[];
        };
        const outcome = outcomes.find(({ address }) => address === 'stage.pw')?.outcome;
        if (outcome === 'created') expect(heldIn(world)['isWhole'], `write ${nth}`).toBe(true);
        world.tamper = (__, answer) => answer();
        const second = world.run(circle);
        const again = await apply(['m.yaml'], { ...many, allow: ['update'] }, second.context);
        expect(again, `write ${nth}: ${second.stdout()}`).toBe('done');
        const { stages, flows, bindings, isWhole } = heldIn(world);
        expect({ stages, flows, isWhole, bindings: Number(bindings) - Number(before['bindings']) }).toEqual({
          stages: 1,
          flows: 2,
          isWhole: true,
          bindings: 2,
        });
        if (writes < nth) {
          expect(ending).toBe('done');
          expect(nth).toBeGreaterThan(5);
          return;
        }
      }
    });
  },
);

test('new resources that need each other are an error at the line of each', async () => {
  const world = new World(
    { tokens: [{ token: 'sandbox-token', superuser: true }], is_licensed: true },
    '2026.8',
  );
  const { context, stderr, stdout } = world.run(`version: 1
stages: [{ name: on, type: redirect, mode: flow, target_flow: { slug: change } }]
flows:
  - { slug: change, name: Change, title: Change, designation: stage_configuration, stages: [{ stage: { name: on }, order: 0 }] }
`);
  await plan(['m.yaml'], { output: 'text' }, context);
  expect(stderr() + stdout()).toMatch(/m\.yaml:2:[^]*circular-reference[^]*m\.yaml:4:[^]*circular-reference/);
  expect(writesOf(world)).toEqual([]);
});

test('new providers that trust each other or themselves are created in one run, and their export needs no changes', async () => {
  const world = new World(
    { tokens: [{ token: 'sandbox-token', superuser: true }], is_fresh: true },
    '2025.12',
  );
  const flow = (name: string): string => `{ slug: default-provider-${name} }`;
  const provider = (name: string, trusted: readonly string[]): string =>
    `  - { type: oauth2, name: ${name}, client_type: public, redirect_uris: [], authorization_flow: ${flow('authorization-implicit-consent')}, invalidation_flow: ${flow('invalidation-flow')}, jwt_federation_providers: [${trusted.map((trustee) => `{ name: ${trustee} }`).join(', ')}] }\n`;
  const text = `version: 1\nproviders:\n${provider('api', ['web', 'api', 'plain'])}${provider('web', ['api'])}${provider('own', ['own', 'plain'])}${provider('plain', [])}`;
  const { context, stdout, stderr } = world.run(text);
  expect(await apply(['m.yaml'], many, context), stderr() + stdout()).toBe('done');
  expect(writesOf(world).filter((write) => write.startsWith('PATCH'))).toHaveLength(2);
  const exported = world.run('');
  await exportManifests({ output: 'yaml', type: ['provider'] }, exported.context);
  const again = world.run(exported.stdout());
  await plan(['m.yaml'], { output: 'text' }, again.context);
  expect(again.stdout(), again.stderr()).toMatch(/4 in sync.\s+No changes/);
  const without = `version: 1\nproviders: [{ type: oauth2, name: web, state: absent }, { type: oauth2, name: plain, state: absent }]`;
  const deleting = world.run(without, { ROLLCALL_CAPABILITIES: 'delete' });
  await plan(['m.yaml'], { output: 'text', allow: ['delete'] }, deleting.context);
  expect(deleting.stdout()).toMatch(
    /provider\.plain will be deleted.*\n +note.*"api" loses it\n +note.*"own" loses it/,
  );
  expect(deleting.stdout()).toMatch(/provider\.web will be deleted.*\n +note.*"api" loses it/);
});
