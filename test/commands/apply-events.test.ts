import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import type { HttpRequest, Exchange } from '../../src/service/transport.ts';
import { capture } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const files = {
  'm.yaml': [
    'version: 1',
    'applications:',
    '  - { slug: here, name: Here }',
    '  - { slug: new, name: New }',
    '  - { slug: refused, name: Refused }',
    'users:',
    '  - { username: alice, name: Alice }',
  ].join('\n'),
};

function service({ method, path, body = '{}' }: HttpRequest): Exchange {
  if (method === 'GET')
    return path.includes('/here/')
      ? answered(200, { pk: 'p', slug: 'here', name: 'Here' })
      : answered(404, { detail: 'Not found.' });
  const fields = JSON.parse(body) as { slug?: string; username?: string }; // a create request
  if (fields.slug === 'refused') return answered(400, { name: ['no \u001b[2J ##[error]x'] });
  return fields.username === 'alice'
    ? answered(400, { username: ['taken'] })
    : answered(201, { pk: 'p1', ...fields });
}

interface Event {
  readonly type: string;
  readonly '@level': string;
  readonly hook?: { readonly resource: { readonly addr: string }; readonly outcome?: string };
  readonly change?: { readonly resource: { readonly addr: string } };
  readonly changes?: object;
  readonly diagnostic?: { readonly code: string };
}

async function events(
  transport: (request: HttpRequest) => Exchange,
  options: Partial<Parameters<typeof apply>[1]> = {},
  manifest: Readonly<Record<string, string>> = files,
  paths: readonly string[] = ['m.yaml'],
): Promise<{ ending: Ending; events: Event[]; text: string }> {
  const { context, stdout } = capture({
    files: manifest,
    url: 'http://127.0.0.1:9',
    clock: virtualClock(),
    transport: async (request) => transport(request),
  });
  const ending = await apply(paths, { output: 'ndjson', yes: true, concurrency: '1', ...options }, context);
  const lines = stdout().split('\n').slice(0, -1);
  const parsed = lines.map((line) => JSON.parse(line) as Event); // held against the schema below
  for (const event of parsed) expect(schemaErrors('apply-event', event)).toEqual([]);
  return { ending, events: parsed, text: stdout() };
}

function told({ type, hook, change, changes, diagnostic }: Event): string {
  const about =
    hook?.resource.addr ?? change?.resource.addr ?? diagnostic?.code ?? JSON.stringify(changes ?? '');
  return `${type} ${about}${hook?.outcome === undefined ? '' : ` ${hook.outcome}`}`.replace(' ""', '');
}

describe('apply -o ndjson', () => {
  test('reports the plan, of each resource when it begins and when it ends, and of the end', async () => {
    const { ending, events: all } = await events(service);
    expect(ending).toBe('incomplete');
    expect(all.map((event) => told(event))).toEqual([
      'version',
      'planned_change application.new',
      'planned_change application.refused',
      'planned_change user.alice',
      'change_summary {"add":3,"change":0,"remove":0,"operation":"plan"}',
      'apply_start application.new',
      'apply_complete application.new created',
      'apply_start application.refused',
      'apply_errored application.refused rejected',
      'diagnostic service-refused-field',
      'apply_start user.alice',
      'apply_complete user.alice exists',
      'change_summary {"add":1,"change":0,"remove":0,"operation":"apply"}',
    ]);
  });

  test('reports the warnings of the manifests before the end', async () => {
    const warned = { 'm.yaml': 'version: 1\nusers: [{ username: bob }]\n' };
    const { ending, events: all } = await events(service, {}, warned);
    expect(ending).toBe('done');
    expect(all.map((event) => told(event)).slice(-3)).toEqual([
      'apply_complete user.bob created',
      'diagnostic likely-refused',
      'change_summary {"add":1,"change":0,"remove":0,"operation":"apply"}',
    ]);
    expect(all.at(-2)?.['@level']).toBe('warn');
  });

  test('reports in seconds how long each took', async () => {
    const clock = virtualClock();
    const { context, stdout } = capture({
      files: { 'm.yaml': 'version: 1\nusers: [{ username: bob, name: Bob }]\n' },
      url: 'http://127.0.0.1:9',
      clock,
      transport: async (request) => {
        await clock.sleep(1500);
        return service(request);
      },
    });
    await apply(['m.yaml'], { output: 'ndjson', yes: true }, context);
    expect(stdout()).toContain('"elapsed_seconds":1.5');
  });

  test('reports the plan before it is refused for its size, be it one of manifests or a saved one', async () => {
    const expected = [
      'version',
      'planned_change application.new',
      'planned_change application.refused',
      'planned_change user.alice',
      'change_summary {"add":3,"change":0,"remove":0,"operation":"plan"}',
      'diagnostic too-many-creates',
    ];
    const ofManifests = await events(service, { maxCreates: '2' });
    expect(ofManifests.events.map((event) => told(event))).toEqual(expected);

    const planning = capture({
      files,
      url: 'http://127.0.0.1:9',
      transport: async (request) => service(request),
    });
    await plan(['m.yaml'], { output: 'json', out: 'plan.json' }, planning.context);
    const saved = { 'plan.json': planning.written.get('plan.json') ?? '' };
    const { events: ofSaved, ending } = await events(
      service,
      { plan: 'plan.json', maxCreates: '2' },
      saved,
      [],
    );
    expect(ending).toBe('failed');
    expect(ofSaved.map((event) => told(event))).toEqual(expected);
  });

  test('has reported what has happened when the run stops dead', async () => {
    const { context, stdout } = capture({
      files,
      url: 'http://127.0.0.1:9',
      transport: async (request) =>
        request.method === 'POST' && request.path.includes('users')
          ? new Promise<Exchange>(() => {})
          : service(request),
    });
    void apply(['m.yaml'], { output: 'ndjson', yes: true, concurrency: '1' }, context);
    await expect.poll(stdout).toContain('"apply_start","hook":{"resource":{"addr":"user.alice"');
    expect(stdout()).toContain('"outcome":"created"');
    expect(stdout().endsWith('}\n')).toBe(true);
  });

  test('reports how each ended when the run is interrupted, of what was under way and of what was not begun', async () => {
    const interruption = new AbortController();
    const { context, stdout } = capture({
      files,
      url: 'http://127.0.0.1:9',
      clock: virtualClock(),
      signal: interruption.signal,
      transport: async (request) => {
        if (request.method === 'POST') interruption.abort('SIGINT'); // and it is answered all the same
        return service(request);
      },
    });
    const ending = await apply(['m.yaml'], { output: 'ndjson', yes: true, concurrency: '1' }, context);
    expect(ending).toBe('interrupted');
    const all = stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Event); // held against the schema elsewhere
    expect(all.map((event) => told(event)).slice(5)).toEqual([
      'apply_start application.new',
      'apply_complete application.new created',
      'apply_errored application.refused not_attempted',
      'apply_errored user.alice not_attempted',
      'change_summary {"add":1,"change":0,"remove":0,"operation":"apply"}',
    ]);
  });

  test('lets nothing of what the service says act on a terminal or a log', async () => {
    const { text } = await events(service);
    expect(text).toContain('no ');
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]|##\[/);
  });

  test.each([
    [
      'a manifest that is invalid',
      service,
      { 'm.yaml': 'version: 1\nusers: [{ nam: x }]\n' },
      'invalid',
      'missing-field',
    ],
    ['a read that fails', () => answered(403, { detail: 'no' }), files, 'denied', 'service-denied'],
  ] as const)('tells of %s', async (_, transport, manifest, expected, code) => {
    const { ending, events: all } = await events(transport, {}, manifest);
    expect(ending).toBe(expected);
    expect(all.map(({ type }) => type)).toEqual(['version', ...all.slice(1).map(() => 'diagnostic')]);
    expect(all.map(({ diagnostic }) => diagnostic?.code)).toContain(code);
  });
});

describe('apply --fail-fast', () => {
  test('begins nothing more after the first resource that fails', async () => {
    const { ending, events: all } = await events(service, { failFast: true });
    expect(ending).toBe('incomplete');
    const outcomes = all.flatMap((event) => (event.hook?.outcome === undefined ? [] : [told(event)]));
    expect(outcomes).toEqual([
      'apply_complete application.new created',
      'apply_errored application.refused rejected',
      'apply_errored user.alice not_attempted',
    ]);
    expect(all.map((event) => told(event))).not.toContain('apply_start user.alice');
  });
});
