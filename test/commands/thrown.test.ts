/* oxlint-disable typescript/unbound-method -- what is broken here uses no `this` */
import { haltDiagnostics } from '../../src/report/words/halts.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { apply, type ApplyOptions } from '../../src/commands/apply.ts';
import { requestFromFlags } from '../../src/commands/flags.ts';
import { plan } from '../../src/commands/plan.ts';
import { runProgram } from '../../src/commands/run-program.ts';
import { formats } from '../../src/report/formats/all.ts';
import { apply as applyRun } from '../../src/run/apply.ts';
import type { RunEvent } from '../../src/run/events.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import type { Context } from '../../src/terminal/context.ts';
import { fakeService } from '../support/fake-service.ts';
import { capture, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { done } from '../support/manifest-run.ts';

const files = {
  'a.yaml':
    'version: 1\napplications: [{ slug: a, name: A }, { slug: b, name: B }]\nusers: [{ username: u, name: U }, { username: v, name: V }]\n',
};
let thrown: Error;
beforeEach(() => (thrown = new Error(`nobody foresaw \u001b[31m this of ${sandboxToken}`)));
const fails = (): never => {
  throw thrown;
};

afterEach(() => vi.restoreAllMocks());

/** Wraps a function so that it throws once a number of creates were sent. */
type From = <Values extends unknown[], Result>(
  work: (...values: Values) => Result,
) => (...values: Values) => Result;

interface Applied {
  readonly ending: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly written: ReadonlyMap<string, string>;
  readonly creates: readonly string[];
  readonly outcomes: Readonly<Record<string, string>>;
}

/** Applies the manifest, one resource at a time. One part breaks after the second create. */
async function applied(
  broken: (context: Context, from: From) => Partial<Context>,
  options: Partial<ApplyOptions> = {},
  setup: Setup = {},
): Promise<Applied> {
  const service = fakeService();
  const from: From =
    (work) =>
    (...values) =>
      service.creates().length >= 2 ? fails() : work(...values);
  const captured = capture({
    files,
    url: 'https://id.example.com',
    transport: service.send,
    clock: virtualClock(),
    ...setup,
  });
  const report = ['json=r.json', 'html=r.html'];
  const flags = { output: 'json', yes: true, concurrency: '1', report, ...options } as const;
  const { context } = captured;
  const ending = await apply(['a.yaml'], flags, { ...context, ...broken(context, from) });
  const document = captured.written.get('r.json') ?? '{}';
  expect(schemaErrors('apply', JSON.parse(document))).toEqual([]);
  const { outcomes } = JSON.parse(document) as { outcomes: { address: string; outcome: string }[] };
  return {
    ending,
    stdout: captured.stdout(),
    stderr: captured.stderr(),
    written: captured.written,
    creates: service.creates(),
    outcomes: Object.fromEntries(outcomes.map(({ address, outcome }) => [address, outcome])),
  };
}

const said =
  /^error: rollcall met an unexpected error: nobody foresaw \\u\{1b\}\[31m this of \(sensitive\)\n {4}This is a bug in rollcall\. .*\n$/m;

describe('an exception during an apply', () => {
  test.each<[string, (context: Context, from: From) => Partial<Context>, Setup?]>([
    ['of a clock', ({ clock }, from) => ({ clock: { ...clock, now: from(clock.now) } })],
    [
      'of a transport',
      ({ connect }) => ({
        connect: async (settings) => {
          const { send, close } = await connect(settings);
          return {
            close,
            send: async (request) => (request.body?.includes('"b"') ? fails() : send(request)),
          };
        },
      }),
    ],
    [
      'in the wait for a turn',
      ({ clock }) => ({ clock: { ...clock, sleep: fails } }),
      {
        transport: async ({ method, body = '' }) =>
          method === 'GET'
            ? answered(404, { detail: 'no' })
            : body.includes('"b"')
              ? lost
              : answered(201, { pk: 1, ...(JSON.parse(body) as object) }),
      },
    ],
  ])('%s is reported in all documents with the finished outcomes', async (_, broken, setup) => {
    const { ending, outcomes, stdout, stderr, written } = await applied(broken, {}, setup);
    expect(ending).toBe('incomplete');
    expect(outcomes).toEqual({
      'application.a': 'created',
      'application.b': 'unknown',
      'user.u': 'not_attempted',
      'user.v': 'not_attempted',
    });
    expect(stderr).toMatch(said);
    expect(stderr).not.toMatch(/\n +at /);
    expect(stdout).toBe(written.get('r.json'));
    expect(written.get('r.html')).toContain('unexpected error');
    expect(JSON.parse(stdout)).toMatchObject({ diagnostics: [{ code: 'unexpected-error' }] });
  });

  test('from closing the connection does not change the result', async () => {
    const { outcomes } = await done(
      applied(({ connect }) => ({
        connect: async (settings) => ({ ...(await connect(settings)), close: async () => fails() }),
      })),
    );
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['created']));
  });

  test('in one report format does not prevent other reports', async () => {
    // The token is unknown where results are written, and no result contains it.
    thrown = new Error('nobody foresaw this');
    vi.spyOn(formats, 'html').mockResolvedValue(fails);
    const report = ['html=r.html', 'json=r.json', 'text=r.txt'];
    const { ending, stderr, written, stdout } = await applied(() => ({}), { report });
    expect(ending).toBe('failed');
    expect(stderr).toContain('error: the report cannot be written to r.html\n    nobody foresaw');
    expect([...written.keys()]).toEqual(['r.json', 'r.txt']);
    expect(stdout).toBe(written.get('r.json'));
  });

  test('from standard output does not prevent reports with all outcomes', async () => {
    // The token is unknown where results are written, and no result contains it.
    thrown = new Error('nobody foresaw this');
    const { ending, stderr, outcomes } = await applied(
      ({ stdout }, from) => ({ stdout: { ...stdout, write: from(stdout.write) } }),
      {},
      { files: { 'a.yaml': files['a.yaml'].replace('username: v', String.raw`username: "v\u202e"`) } },
    );
    expect(ending).toBe('failed');
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['created']));
    expect(stderr).toContain('application.a: created\n');
    expect(stderr).toContain('user.v\\u{202e}: created\n');
  });

  test('has a stack trace on request', async () => {
    const broken = ({ clock }: Context, from: From): Partial<Context> => ({
      clock: { ...clock, now: from(clock.now) },
    });
    expect((await applied(broken, { verbose: true })).stderr).toMatch(/\n +at .*thrown\.test\.ts/);
    const debugged = await applied(broken, {}, { env: { ROLLCALL_LOG: 'debug' } });
    expect(debugged.stderr).toMatch(/\n +at .*thrown\.test\.ts/);
  });
});

/** Whether an event can occur after the apply has started. */
const kinds: Record<RunEvent['kind'], boolean> = {
  checked: false,
  warned: false,
  later_release: false,
  later_fields: false,
  progress: false,
  listed: false,
  inventoried: false,
  planned: false,
  finished: true,
  retry: true,
  outage: true,
  pause: true,
  request: true,
  interrupted: true,
  halted: false,
};

describe('an exception of a listener', () => {
  test.each(Object.keys(kinds).filter((kind) => kinds[kind as RunEvent['kind']]))(
    'for the event %s ends the run, and loses no outcome',
    async (kind) => {
      const stop = new AbortController();
      let posts = 0;
      const settled: string[] = [];
      const { context } = capture({
        files,
        url: 'https://id.example.com',
        clock: virtualClock(),
        signal: stop.signal,
        transport: async ({ method, body = '', path }) => {
          if (method === 'GET' && !path.includes('doctor')) return answered(404, { detail: 'Not found.' });
          posts += 1;
          if (posts === 2) {
            if (kind === 'interrupted') stop.abort('SIGINT');
            if (kind === 'pause') return answered(429, {}, { 'retry-after': '1' });
            if (kind === 'retry') return lost;
            if (kind === 'outage') return answered(503, {});
          }
          if (method === 'GET' && posts < 5) return answered(503, {});
          const { slug, username = slug } = JSON.parse(body) as Record<string, string>;
          settled.push(String(username));
          return answered(201, { pk: 1, ...(JSON.parse(body) as object) });
        },
      });
      const flags = { output: 'json', concurrency: '1', wait: '60' };
      let times = 0;
      const { result, ending } = await applyRun(await requestFromFlags(['a.yaml'], flags, context), {
        ...context,
        emitsRequests: true,
        haltWords: haltDiagnostics,
        emit: (event) => {
          if (event.kind === kind && posts >= 1) {
            times += 1;
            fails();
          }
        },
      });
      expect(times).toBeGreaterThan(0);
      expect(result?.error).toBe(thrown);
      expect(ending).toBe(kind === 'interrupted' ? 'interrupted' : 'incomplete');
      const outcomes = result?.outcomes ?? [];
      expect(outcomes).toHaveLength(4);
      const created = outcomes.filter(({ outcome }) => outcome === 'created');
      expect(created.map(({ change }) => change.resource.name)).toEqual(settled);
      if (kind !== 'finished') expect(outcomes.at(-1)?.outcome).toBe('not_attempted');
    },
  );

  test.each(Object.keys(kinds))(
    'for the first event %s ends the run with an error, or with its outcomes',
    async (kind) => {
      const service = fakeService();
      const { context } = capture({ files, url: 'https://id.example.com', transport: service.send });
      const running = applyRun(await requestFromFlags(['a.yaml'], { concurrency: '1' }, context), {
        ...context,
        emitsRequests: true,
        haltWords: haltDiagnostics,
        emit: (event) => void (event.kind === kind && fails()),
      });
      const ended = await running.then(
        ({ result }) => result?.outcomes.filter(({ outcome }) => outcome === 'created').length,
        (error: unknown) => (error === thrown ? 0 : Number.NaN),
      );
      expect(ended).toBe(service.creates().length);
    },
  );
});

describe('an exception before anything is sent', () => {
  test('is one error, in the reports too, and nothing is started', async () => {
    for (const command of [plan, apply]) {
      const { context, written } = capture({
        files,
        url: 'https://id.example.com',
        transport: async () => fails(),
      });
      const options = { output: 'text', yes: true, report: ['json=r.json'] } as const;
      await expect(command(['a.yaml'], options, context)).rejects.toBe(thrown);
      expect(JSON.parse(written.get('r.json') ?? '')).toMatchObject({
        valid: false,
        diagnostics: [
          { code: 'unexpected-error', summary: expect.stringContaining('nobody foresaw') as unknown },
        ],
      });
    }
  });

  test('in the confirmation prevents every create', async () => {
    const service = fakeService();
    const { context } = capture({ files, url: 'https://id.example.com', transport: service.send });
    const asking = { ...context, ask: async () => fails() };
    await expect(apply(['a.yaml'], { output: 'text' }, asking)).rejects.toBe(thrown);
    expect(service.creates()).toEqual([]);
  });

  test('is printed as one error, with a stack trace on request', async () => {
    const end = async (args: string[], env = {}): Promise<[string, string]> => {
      let stderr = '';
      const { context } = capture({ files, url: 'https://id.example.com', transport: async () => fails() });
      const ending = await runProgram(args, '1.2.3', {
        env,
        writeOut: () => {},
        writeErr: (text) => (stderr += text),
        contextFor: async () => context,
      });
      return [JSON.stringify(ending), stderr];
    };
    for (const args of [['plan', 'a.yaml'], ['doctor'], ['apply', 'a.yaml', '--yes']]) {
      const [ending, stderr] = await end(args);
      expect(ending).toBe('"failed"');
      expect(stderr).toMatch(said);
      expect(stderr).not.toMatch(/\n +at /);
    }
    expect((await end(['plan', 'a.yaml', '-v']))[1]).toMatch(/\n +at /);
    expect((await end(['plan', 'a.yaml'], { ROLLCALL_LOG: 'debug' }))[1]).toMatch(/\n +at /);
  });
});
