import type { ChildProcess } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { rollcall, type Ended } from '../support/cli.ts';
import { someOf, times } from '../support/effort.ts';

const applications = Array.from({ length: 24 }, (_, index) => `app-${index}`);
const users = Array.from({ length: 12 }, (_, index) => `user-${index}`);
const manifest = [
  'version: 1',
  'applications:',
  ...applications.map((slug) => `  - { slug: ${slug}, name: An application }`),
  'users:',
  ...users.map((username) => `  - { username: ${username}, name: A user }`),
].join('\n');

/** Moments that are the same in every run (Park and Miller's generator). */
function moments(count: number, below: number): { request: number; afterMs: number }[] {
  let state = 20_260_101;
  const next = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit;
  return Array.from({ length: count }, () => ({ request: 1 + next(below), afterMs: next(8) }));
}

interface Summary {
  readonly interrupted: boolean;
  readonly summary: Readonly<Record<string, number>>;
}

function summaryOf({ stdout }: Ended): Summary {
  return JSON.parse(stdout) as Summary; // its schema requires this form
}

function apply(
  url: string,
  flags: readonly string[],
  started?: (child: ChildProcess) => void,
): Promise<Ended> {
  return rollcall(['apply', '--yes', '-o', 'json', '-', ...flags], {
    input: manifest,
    env: { ROLLCALL_URL: url, ROLLCALL_TOKEN: sandboxToken },
    ...(started && { started }),
  });
}

describe('an apply', () => {
  // A run sends one look-up for each application and one create for each resource.
  test.each(moments(times({ short: 1, full: 12 }), 2 * applications.length + users.length))(
    'is completed by the next apply if it is killed $afterMs ms after request $request',
    async ({ request: moment, afterMs }) => {
      const { sandbox } = seedSandbox({});
      const created: string[] = [];
      let requests = 0;
      let child: ChildProcess | undefined;
      const server = await serveSandbox(
        {
          handle: (request) => {
            if ((requests += 1) === moment) setTimeout(() => child?.kill('SIGKILL'), afterMs);
            const answer = sandbox.handle(request);
            if (answer.status === 201)
              created.push(/"(?:slug|username)":"([^"]+)"/.exec(answer.body)?.[1] ?? '');
            return answer;
          },
        },
        { port: 0, latencyMs: 4 },
      );
      const killed = await apply(server.url, [], (started) => (child = started));
      expect(killed.code).not.toBe(0);
      child = undefined;
      const again = await apply(server.url, []);
      await server.close();
      expect(again.code).toBe(0);
      expect(created.toSorted()).toEqual([...applications, ...users].toSorted());
    },
  );
});

describe('the first interruption of a hanging request', () => {
  test.each(
    someOf(
      [
        ['http', 'SIGINT', 130],
        ['http', 'SIGTERM', 143],
        ['http', 'SIGHUP', 129],
        ['https', 'SIGINT', 130],
      ] as const,
      2,
    ),
  )('ends the look-ups of an %s:// service at once, by %s', async (scheme, signal, expected) => {
    let child: ChildProcess | undefined;
    let connections = 0;
    const silent = createServer((socket) => {
      socket.on('error', () => {}).resume();
      if ((connections += 1) === 1) setTimeout(() => child?.kill(signal), 50);
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo; // a TCP server's address is an object
    const url = `${scheme}://127.0.0.1:${port}`;
    // Without the kill, it would wait for an hour.
    const { code, stdout } = await apply(url, ['--timeout', '3600'], (started) => (child = started));
    silent.close();
    expect(code).toBe(expected);
    expect(stdout).not.toBe('');
  });

  test.each(
    someOf(
      [
        ['SIGINT', 130],
        ['SIGTERM', 143],
      ] as const,
      1,
    ),
  )(
    'leaves creates running until their time limit, and every resource is reported: %s',
    async (signal, expected) => {
      let child: ChildProcess | undefined;
      let interrupted = false;
      const hanging = createHttpServer((request, response) => {
        if (request.method === 'GET') {
          response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not found."}');
        } else if (!interrupted) {
          interrupted = true;
          child?.kill(signal); // the create is never answered
        }
      });
      await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
      const { port } = hanging.address() as AddressInfo; // a TCP server's address is an object
      const url = `http://127.0.0.1:${port}`;
      const ended = await apply(url, ['--timeout', '1'], (started) => (child = started));
      hanging.closeAllConnections();
      hanging.close();
      expect(ended.code).toBe(expected);
      const { summary, ...document } = summaryOf(ended);
      expect(document.interrupted).toBe(true);
      const total = Object.values(summary).reduce((sum, count) => sum + count, 0);
      expect(total).toBe(applications.length + users.length);
      expect(summary).toMatchObject({ created: 0 });
      expect(ended.stdout).toContain('the time limit has passed');
    },
  );
});
