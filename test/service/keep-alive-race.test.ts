import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { creationOf } from '../support/creation.ts';
import { create } from '../../src/apply/create.ts';
import type { Settled } from '../../src/apply/settle.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { createClient } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import { inFull } from '../support/effort.ts';
import { seededRandom } from '../support/seeded-random.ts';

const workers = 25;
const total = 3000;
const each = total / workers;
/** Up to so many turns of the loop pass before a connection is closed, and before it is used again. */
const mostTurns = 20;

/**
 * A service that closes every other connection some turns of its loop after an answer, if it is still unused, and does not
 * say so. A process of its own, so that it really closes while requests are on their way. When its input ends, it says what it
 * created and how often.
 */
const script = `
  import { createServer } from 'node:http';
  import { seedSandbox } from ${JSON.stringify(new URL('../../dist/sandbox/seed.js', import.meta.url).href)};
  const { sandbox } = seedSandbox({});
  const created = {};
  const seededRandom = ${seededRandom.toString()};
  const random = seededRandom(1);
  const uses = new WeakMap();
  async function closeIfIdle(socket, use) {
    for (let left = random() * ${mostTurns}; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
    if (uses.get(socket) === use) socket.destroy();
  }
  const server = createServer((request, response) => {
    const use = (uses.get(request.socket) ?? 0) + 1;
    uses.set(request.socket, use);
    if (random() < 1 / 2) response.on('finish', () => closeIfIdle(request.socket, use));
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { authorization, 'content-type': type } = request.headers;
      const headers = { authorization, 'content-type': type };
      const answer = sandbox.handle({ method: request.method, path: request.url, headers, body });
      if (answer.status === 201) created[body] = (created[body] ?? 0) + 1;
      // A Connection header of one's own keeps Node from adding the Keep-Alive that would warn the client.
      response.writeHead(answer.status, { ...answer.headers, connection: 'keep-alive' });
      response.end(answer.body);
    });
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  process.stdin.resume().on('end', () => {
    console.log(JSON.stringify(Object.values(created)));
    process.exit();
  });
`;

/** To end it gives how often each thing was created. */
async function impatientService(): Promise<{ readonly url: string; end(): Promise<readonly number[]> }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const port = (await lines.next()).value;
  return {
    url: `http://127.0.0.1:${port}`,
    end: async () => {
      child.stdin.end();
      const { value } = await lines.next();
      return JSON.parse(value ?? '') as number[]; // what the script above prints
    },
  };
}

test.runIf(inFull)(
  `${total} creates end as created, each once, though the service closes connections just as they are used again`,
  async () => {
    const service = await impatientService();
    const transport = undiciTransport({
      baseUrl: service.url,
      authorization: `Bearer ${sandboxToken}`,
      timeoutMs: 60_000,
    });
    const clock = {
      now: () => Date.now(),
      sleep: (milliseconds: number) => delay(Math.min(milliseconds, 20)),
    };
    const random = seededRandom(2);
    const pacing = createPacing({ concurrency: workers, clock, random: Math.random });
    const settled: (Settled & { readonly lost: number })[] = [];
    const worker = async (name: string): Promise<void> => {
      for (let index = 0; index < each; index += 1) {
        for (let left = random() * mostTurns; left > 0; left -= 1)
          await new Promise((resolve) => setImmediate(resolve));
        const creation = creationOf(index % 2 === 0 ? 'user' : 'application', `${name}-${index}`, name);
        let lost = 0;
        const client = createClient(async (request, signal) => {
          const exchange = await transport.send(request, signal);
          if (exchange.kind !== 'answered') lost += 1;
          return exchange;
        });
        const course = { stop: () => {}, mayBegin: () => true, mayRetry: () => true };
        settled.push({ ...(await create(creation, client, pacing, course)), lost });
      }
    };
    await Promise.all(Array.from({ length: workers }, (_, id) => worker(`r-${id}`)));
    await transport.close();
    const created = await service.end();

    expect(settled.filter(({ lost }) => lost > 0).length).toBeGreaterThan(0); // or nothing was raced
    expect(settled.filter(({ attempts, lost }) => attempts > 1 && lost === 0)).toEqual([]);
    // Nothing is tried more than three times; that all three are lost happens once in tens of thousands of creates.
    const givenUp = settled.filter(({ outcome, lost }) => outcome === 'unknown' && lost >= 3);
    expect(givenUp.length).toBeLessThan(total / 100);
    expect(settled.filter((one) => one.outcome !== 'created' && !givenUp.includes(one))).toEqual([]);
    expect(created.length).toBe(total - givenUp.length);
    expect(created.filter((often) => often !== 1)).toEqual([]);
  },
);
