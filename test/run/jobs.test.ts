import { getEventListeners } from 'node:events';
import { haltDiagnostics } from '../../src/report/words/halts.ts';
import { describe, expect, test } from 'vitest';
import { settingsFromFlags } from '../../src/commands/flags.ts';
import { diagnosticFor } from '../../src/base/diagnostic.ts';
import type { FailedRead } from '../../src/observe/read-children.ts';
import { apply, type ApplyOptions } from '../../src/run/apply.ts';
import type { RunEvent } from '../../src/run/events.ts';
import { plan } from '../../src/run/plan.ts';
import { haltEnding, type ApplyRun, type FinishedJob, type Halt } from '../../src/run/result.ts';
import type { Job } from '../../src/run/world.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import { readSettings, type Settings } from '../../src/settings/settings.ts';
import { capture } from '../support/run.ts';
import { answered, refused } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const files = {
  'm.yaml': [
    'version: 1',
    'applications: [{ slug: here, name: Here }, { slug: new, name: New }]',
    'users: [{ username: alice, name: Alice }]',
  ].join('\n'),
};

const selection = { target: [], exclude: [] };

function service({ method, path, body = '{}' }: HttpRequest): Exchange {
  if (method === 'POST') return answered(201, { pk: 'p', ...(JSON.parse(body) as object) });
  return path.includes('/here/')
    ? answered(200, { pk: 'p', slug: 'here', name: 'Here' })
    : answered(404, { detail: 'Not found.' });
}

/** A halt after which all names were looked up, and some were not found. */
const unresolved = {
  kind: 'unresolved',
  service: '',
  names: [],
  diagnostics: [],
  notRead: 0,
  interrupted: false,
  isStale: false,
} as const;

interface Started {
  readonly job: Job;
  readonly settings: Settings;
  readonly events: RunEvent[];
  readonly printed: () => string;
}

async function started(answer = service, signal = new AbortController().signal): Promise<Started> {
  const events: RunEvent[] = [];
  const { context, stdout, stderr } = capture({
    contractOnly: true,
    files,
    url: 'https://id.example.com',
    clock: virtualClock(),
    transport: async (request) => answer(request),
    signal,
  });
  const job = {
    ...context,
    emit: (event: RunEvent) => void events.push(event),
    emitsRequests: true,
    haltWords: haltDiagnostics,
  };
  const values = await settingsFromFlags({ concurrency: '1' }, context.env);
  const settings = await readSettings(values, context, 'service', ['m.yaml']);
  return { job, settings, events, printed: () => stdout() + stderr() };
}

function told(event: RunEvent): string {
  switch (event.kind) {
    case 'progress':
      return `${event.stage} ${event.done}/${event.total}`;
    case 'request':
      return `${event.request.method} ${event.request.name ?? ''}`.trim();
    case 'halted':
      return `halted: ${event.halt.kind}`;
    default:
      return event.kind;
  }
}

describe('a job of the library', () => {
  test('reports each stage in its order, and prints nothing itself', async () => {
    const { job, settings, events, printed } = await started();
    const ran = await apply({ settings, selection }, job);
    expect(ran).toMatchObject({ ending: 'done', filenames: ['m.yaml'], service: 'https://id.example.com' });
    expect(events.map((event) => told(event))).toEqual([
      'checked',
      'looking_up 0/3',
      'GET',
      'looking_up 1/3',
      'GET',
      'looking_up 2/3',
      'looking_up 3/3',
      'planned',
      'creating 0/2',
      'POST new',
      'creating 1/2',
      'POST alice',
      'creating 2/2',
      'finished',
    ]);
    expect(printed()).toBe('');
  });

  async function halted(
    options: ApplyOptions,
    answer = service,
    signal = new AbortController().signal,
  ): Promise<{ readonly ran: FinishedJob<ApplyRun>; readonly last: string; readonly creates: number }> {
    const { job, settings, events } = await started(answer, signal);
    const ran = await apply({ settings, selection, ...options }, job);
    const creates = events.filter((event) => told(event).startsWith('POST')).length;
    return { ran, last: told(events.at(-1) ?? expect.fail('nothing was told')), creates };
  }

  test.each<[string, ApplyOptions, Partial<FinishedJob<ApplyRun>>]>([
    [
      'a plan is too large',
      { maxCreates: 1, confirm: () => Promise.reject(new Error('nobody is to be asked')) },
      {
        halt: {
          kind: 'too_many',
          diagnostics: [
            diagnosticFor(undefined, {
              code: 'too-many-creates',
              summary: 'the plan would create 2 resources, and --max-creates allows 1',
              detail:
                'The count includes all declared users, because users are not looked up. Raise the limit, or narrow the plan with --target and --exclude.',
            }),
          ],
        },
        ending: 'failed',
      },
    ],
    [
      'a plan is not confirmed',
      { confirm: async () => false },
      { halt: { kind: 'not_confirmed' }, ending: 'failed' },
    ],
  ])('ends without a create if %s', async (_, options, expected) => {
    const { ran, last, creates } = await halted(options);
    expect({ last, creates }).toEqual({ last: `halted: ${ran.halt?.kind}`, creates: 0 });
    expect(ran).toMatchObject(expected);
    expect(ran.result).toBeUndefined();
  });

  test('calls `confirm` with the plan, and continues if the plan is confirmed', async () => {
    const asked: string[] = [];
    const confirm: ApplyOptions['confirm'] = async ({ changes }) => {
      for (const { resource, action } of changes) asked.push(`${resource.address} ${action}`);
      return true;
    };
    expect(await halted({ confirm })).toMatchObject({
      ran: { ending: 'done' },
      last: 'finished',
      creates: 2,
    });
    expect(asked).toEqual(['application.here no-op', 'application.new create', 'user.alice create']);
  });

  test('does not call `confirm` if the plan has no changes', async () => {
    const { job, settings } = await started();
    const asked: string[] = [];
    const confirm: ApplyOptions['confirm'] = async () => asked.push('asked') > 1;
    const inSync = { ...selection, target: ['application.here'] };
    expect(await apply({ settings, selection: inSync, confirm }, job)).toMatchObject({ ending: 'done' });
    expect(asked).toEqual([]);
  });

  test('ends as denied if its reads were denied, and as interrupted after an interruption', async () => {
    const denied = await halted({}, () => answered(403, { detail: 'no' }));
    expect(denied).toMatchObject({ ran: { ending: 'denied', halt: { kind: 'unread' } }, creates: 0 });
    const interrupted = await halted({}, service, AbortSignal.abort('SIGTERM'));
    expect(interrupted).toMatchObject({
      ran: { ending: 'terminated', halt: { kind: 'unread', interrupted: true } },
    });
  });

  test('reports that a request is retried, but not after an interruption', async () => {
    const tries = async (signal: AbortSignal, onCreate: () => void): Promise<number> => {
      const failing = (request: HttpRequest): Exchange => {
        if (request.method === 'POST') onCreate();
        return request.method === 'POST' ? refused : service(request);
      };
      const { job, settings, events } = await started(failing, signal);
      await apply({ settings, selection }, job);
      return events.filter(({ kind }) => kind === 'retry').length;
    };
    const stop = new AbortController();
    expect(await tries(new AbortController().signal, () => {})).toBeGreaterThan(0);
    expect(await tries(stop.signal, () => stop.abort('SIGINT'))).toBe(0);
  });

  test('ends as denied if one of several failed look-ups was denied', async () => {
    const { job, settings } = await started();
    const ran = await plan({ settings, selection }, job);
    const [resource] = ran.result?.changes.map((change) => change.resource) ?? [];
    if (resource === undefined) expect.fail('nothing is planned');
    const failures: FailedRead[] = [
      { resource, proof: 'nothing', answer: { kind: 'crash', status: 500 } },
      { resource, proof: 'denied', answer: { kind: 'denied', status: 403 } },
    ];
    const halt = { kind: 'unread', service: '', notRead: 0, interrupted: false } as const;
    expect(haltEnding({ ...halt, failures })).toBe('denied');
    expect(haltEnding({ ...halt, failures: failures.slice(0, 1) })).toBe('failed');
  });

  test.each<[ending: string, halt: Halt, signal?: AbortSignal]>([
    ['failed', { kind: 'not_confirmed' }],
    ['terminated', { kind: 'not_confirmed' }, AbortSignal.abort('SIGTERM')],
    ['invalid', { kind: 'refused', isStale: false, diagnostics: [] }],
    ['stale', { kind: 'refused', isStale: true, diagnostics: [] }],
    ['stale', { kind: 'stale', diagnostics: [] }],
    ['failed', { kind: 'too_many', diagnostics: [] }],
    ['invalid', unresolved],
    ['stale', { ...unresolved, isStale: true }],
    ['failed', { ...unresolved, notRead: 1, isStale: true }],
    ['hung_up', { ...unresolved, interrupted: true }, AbortSignal.abort('SIGHUP')],
  ])('ends as %s after the halt %j', (ending, halt, signal) => {
    expect(haltEnding(halt, signal)).toBe(ending);
  });

  test.each<[string, ApplyOptions]>([
    ['it is done', {}],
    ['it ends early', { maxCreates: 1 }],
    ['the confirmation throws', { confirm: () => Promise.reject(new Error('no answer')) }],
  ])('closes its connection once if %s', async (_, options) => {
    const { job, settings } = await started();
    let closed = 0;
    const connect: Job['connect'] = async (to) => {
      const { send } = await job.connect(to);
      return { send, close: async () => void (closed += 1) };
    };
    await apply({ settings, selection, ...options }, { ...job, connect }).catch(() => {});
    expect(closed).toBe(1);
  });

  test('returns its plan even if the plan exceeds a limit', async () => {
    const { job, settings } = await started();
    const ran = await plan({ settings, selection, maxCreates: 1 }, job);
    expect(ran).toMatchObject({
      ending: 'failed',
      halt: { kind: 'too_many', diagnostics: [{ code: 'too-many-creates' }] },
    });
    expect(ran.result?.changes).toHaveLength(3);
  });
});

test('no listener remains on the signal after a run', async () => {
  const { job, settings } = await started();
  const signals: AbortSignal[] = [];
  const confirm: ApplyOptions['confirm'] = async (_, signal) => signals.push(signal) > 0;
  await apply({ settings, selection, confirm }, job);
  expect(signals.map((signal) => getEventListeners(signal, 'abort'))).toEqual([[]]);
});
