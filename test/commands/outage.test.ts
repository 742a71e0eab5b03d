import { describe, expect, test } from 'vitest';
import { apply, type ApplyOptions } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { parseJson } from '../../src/base/json.ts';
import { fakeService } from '../support/fake-service.ts';
import { done, runOn } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { answered, lost, refused } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';

const applications = Array.from({ length: 30 }, (_, index) => `  - { slug: a${index}, name: A }`);
const users = Array.from({ length: 30 }, (_, index) => `  - { username: u${index}, name: U }`);
const manifest = ['version: 1', 'applications:', ...applications, 'users:', ...users, ''].join('\n');
const usersOnly = ['version: 1', 'users:', ...users, ''].join('\n');

interface Restart {
  /** The number of requests after which the service goes away: during the creates, after the plan's reads. */
  readonly after: number;
  readonly takesMs: number;
  /** The answer to all requests while the service is away. */
  readonly says: Exchange;
}

interface Ran {
  readonly ending: Ending;
  readonly summary: Record<string, number>;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  readonly questions: number;
}

interface Setup {
  readonly text?: string;
  readonly signal?: AbortSignal;
  readonly whileAway?: (seconds: number) => void;
  readonly onRequest?: (request: HttpRequest, signal: AbortSignal | undefined) => void;
  /** Replaces an answer of the service after it went away. `seconds` is the time since then. */
  readonly instead?: (request: HttpRequest, seconds: number) => Exchange | undefined;
}

const restart: Restart = { after: 40, takesMs: 20_000, says: refused };

/** Runs `apply` in virtual time on a service that goes away for a while. */
async function applying(
  { after, takesMs, says }: Restart,
  options: Partial<ApplyOptions> = {},
  { text = manifest, signal, whileAway, onRequest, instead }: Setup = {},
): Promise<Ran> {
  const clock = virtualClock();
  const startedAt = clock.now();
  const service = fakeService();
  let awayAt: number | undefined;
  let requests = 0;
  let questions = 0;
  const transport = async (request: HttpRequest, own?: AbortSignal): Promise<Exchange> => {
    onRequest?.(request, own);
    requests += 1;
    if (request.path.includes('/rollcall-doctor-')) questions += 1;
    if (requests === after) {
      awayAt = clock.now();
      await service.send(request);
      return lost; // the request took effect, and its answer was lost
    }
    if (awayAt !== undefined && clock.now() < awayAt + takesMs) {
      whileAway?.((clock.now() - awayAt) / 1000);
      return says;
    }
    const sooner = awayAt === undefined ? undefined : instead?.(request, (clock.now() - awayAt) / 1000);
    return sooner ?? service.send(request);
  };
  const { context, stdout, stderr } = capture({
    contractOnly: true,
    url: 'https://id.example.com',
    files: { 'm.yaml': text },
    transport,
    clock,
    ...(signal && { signal }),
  });
  const ending = await apply(
    ['m.yaml'],
    { output: 'json', yes: true, concurrency: '4', ...options },
    context,
  );
  const document = parseJson(stdout()) as { summary?: Record<string, number> } | undefined; // apply prints this form
  return {
    ending,
    summary: Object.fromEntries(Object.entries(document?.summary ?? {}).filter(([, count]) => count > 0)),
    stdout: stdout(),
    stderr: stderr(),
    seconds: (clock.now() - startedAt) / 1000,
    questions,
  };
}

function withoutProgress(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('Applying: '));
}

describe('an apply during a restart of the service', () => {
  test.each([
    ['that refuses connections', refused],
    ['whose proxy answers 502', answered(502, 'Bad Gateway')],
    ['whose proxy answers 503', answered(503, { detail: 'starting' }, { 'retry-after': '5' })],
    ['whose proxy drops connections', lost],
  ])('%s ends with every resource done', async (_, says) => {
    // If several requests are under way, one more may be retried before its answer shows that the service is away.
    const { summary, stderr } = await applying({ ...restart, says }, { concurrency: '1' });
    expect((summary['created'] ?? 0) + (summary['exists'] ?? 0)).toBe(60);
    expect(stderr).toMatch(/; waiting up to 60 s for it\.\n/);
    expect(stderr).toMatch(/The service answers now, after 2\d s\.\n/);
    expect(stderr).not.toContain('Trying again');
  });

  test('reports the wait in the same words, however often a 503 asks clients to wait', async () => {
    const says = answered(503, { detail: 'starting' }, { 'retry-after': '5' });
    const { stderr } = await applying({ ...restart, says });
    expect([...new Set(withoutProgress(stderr))]).toEqual([
      'The service asks clients to wait 5 s (503).',
      'The service is starting or unavailable (503); waiting up to 60 s for it.',
      'The service answers now, after 20 s.',
    ]);
  });

  test('sends only a few requests to find out whether the service is back, and reports nothing with --quiet', async () => {
    const { questions, stderr } = await applying(restart, { quiet: true });
    expect(questions).toBeGreaterThan(5);
    expect(questions).toBeLessThan(30);
    expect(stderr).toBe('');
  });

  test('sets a short time limit for each request that checks for the service, and an interruption cancels the request', async () => {
    const asked: { timeoutMs: number | undefined; signal: AbortSignal | undefined }[] = [];
    await applying(
      restart,
      {},
      {
        onRequest: ({ path, timeoutMs }, signal) => {
          if (path.includes('/rollcall-doctor-')) asked.push({ timeoutMs, signal });
        },
      },
    );
    expect(asked.length).toBeGreaterThan(5);
    for (const { timeoutMs, signal } of asked) {
      expect(timeoutMs).toBe(10_000);
      expect(signal).toBeInstanceOf(AbortSignal);
    }
  });

  test('ends and reports the time waited if the restart takes longer than --wait, and attempts nothing more', async () => {
    const { ending, summary, stderr, stdout } = await applying(
      { ...restart, takesMs: 40_000 },
      { wait: '30' },
    );
    expect(ending).toBe('incomplete');
    expect(summary['not_attempted']).toBeGreaterThan(20);
    expect(withoutProgress(stderr)).toEqual([
      'The service does not answer (connect ECONNREFUSED); waiting up to 30 s for it.',
      'The service did not answer within 30 s.',
    ]);
    expect(stdout).toContain('rollcall waited 30 s for the service (--wait).');
    expect(stdout).toContain('not begun: the service did not become available within the waiting time');
  });

  test('does not wait with --wait 0', async () => {
    const { summary, stderr, seconds, questions } = await applying(restart, { wait: '0' });
    expect(summary['not_attempted']).toBeGreaterThan(10);
    expect(stderr).not.toContain('waiting');
    expect(questions).toBe(0);
    expect(seconds).toBeLessThan(10);
  });

  test('ends at once with its summary if interrupted during the wait', async () => {
    const interruption = new AbortController();
    const { ending, summary, seconds } = await applying(
      restart,
      {},
      {
        signal: interruption.signal,
        whileAway: (since) => {
          if (since > 5) interruption.abort('SIGINT');
        },
      },
    );
    expect(ending).toBe('interrupted');
    expect(summary['not_attempted']).toBeGreaterThan(20);
    expect(seconds).toBeLessThan(8);
  });
});

test("after an outage, a proxy's 404 does not count as absent if the service has its own form of 404", async () => {
  const answers = [answered(502, 'Bad Gateway'), answered(404, { detail: 'Not found.' })];
  const send = async ({ isAnonymous }: HttpRequest): Promise<Exchange> =>
    isAnonymous
      ? answered(403, { detail: 'no' })
      : (answers.shift() ?? answered(404, '<html>', { 'content-type': 'text/html' }));
  const one = 'version: 1\napplications: [{ slug: wiki, name: Wiki }]\n';
  const { ending, stdout } = await runOn(plan, send, one, {}, { contractOnly: true });
  expect(ending).toBe('failed');
  expect(stdout).not.toContain('application.wiki');
});

describe('a service that has not answered yet', () => {
  const never: Restart = { after: 0, takesMs: 20_000, says: refused };

  /** Runs `plan` on a service that is away from the first request on. */
  async function planning(options: { wait?: string } = {}): Promise<Omit<Ran, 'summary' | 'questions'>> {
    const clock = virtualClock();
    const startedAt = clock.now();
    const service = fakeService();
    const { context, stdout, stderr } = capture({
      contractOnly: true,
      url: 'https://id.example.com',
      files: { 'm.yaml': manifest },
      transport: async (request) =>
        clock.now() < startedAt + never.takesMs ? never.says : service.send(request),
      clock,
    });
    const ending = await plan(['m.yaml'], { output: 'text', ...options }, context);
    return {
      ending,
      stdout: stdout(),
      stderr: stderr(),
      seconds: (clock.now() - startedAt) / 1000,
    };
  }

  test('ends a plan within seconds, with the advice to use --wait', async () => {
    const { ending, stderr, seconds } = await planning();
    expect(ending).toBe('failed');
    expect(seconds).toBeLessThan(5);
    expect(stderr).toContain('If the service is starting, --wait 60 waits up to 60 s for it.');
    expect(stderr).not.toContain('; waiting');
  });

  test('does not end a plan with --wait if it answers in time', async () => {
    const { stderr } = await done(planning({ wait: '30' }));
    expect(stderr).toContain('; waiting up to 30 s for it.\nThe service answers now, after 2');
  });

  test('ends an apply of users within seconds', async () => {
    const { ending, stdout, seconds } = await applying(
      { after: 1, takesMs: 3_600_000, says: refused },
      {},
      { text: usersOnly },
    );
    expect(ending).toBe('incomplete');
    expect(seconds).toBeLessThan(5);
    expect(stdout).toContain('--wait 60 waits up to 60 s for it.');
  });
});
