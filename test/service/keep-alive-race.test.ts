import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { create, type Settled } from '../../src/apply/create.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { createClient } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';

const idleMs = 100;
const workers = 25;
const bursts = 40;
const burstSize = 5;

/**
 * A service that closes idle connections soon, and does not say so. A process of its own, so that it really closes while
 * requests are on their way. When its input ends, it says what it created and how often.
 */
const script = `
  import { createServer } from 'node:http';
  import { seedSandbox } from ${JSON.stringify(new URL('../../dist/sandbox/seed.js', import.meta.url).href)};
  const { sandbox } = seedSandbox({});
  const created = {};
  const idle = new Map();
  let connections = 0;
  const server = createServer((request, response) => {
    // Node itself waits a second longer than its keepAliveTimeout says.
    clearTimeout(idle.get(request.socket));
    response.on('finish', () => idle.set(request.socket, setTimeout(() => request.socket.destroy(), ${idleMs})));
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
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  process.stdin.resume().on('end', () => {
    console.log(JSON.stringify({ connections, times: Object.values(created) }));
    process.exit();
  });
`;

interface Tally {
  readonly connections: number;
  /** How often each thing was created. */
  readonly times: readonly number[];
}

async function impatientService(): Promise<{ readonly url: string; end(): Promise<Tally> }> {
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
      return JSON.parse(value ?? '') as Tally; // what the script above prints
    },
  };
}

test('5,000 creates end as created, each once, though the service closes connections just as they are used again', async () => {
  const service = await impatientService();
  const transport = undiciTransport({
    baseUrl: service.url,
    authorization: `Bearer ${sandboxToken}`,
    timeoutMs: 10_000,
  });
  const clock = { now: () => Date.now(), sleep: (milliseconds: number) => delay(Math.min(milliseconds, 20)) };
  let lost = 0;
  const client = createClient(async (request, signal) => {
    const exchange = await transport.send(request, signal);
    if (exchange.kind !== 'answered') lost += 1;
    return exchange;
  });
  const pacing = createPacing({ concurrency: workers, clock, random: Math.random });
  const settled: Settled[] = [];
  const worker = async (name: string): Promise<void> => {
    for (let index = 0; index < burstSize; index += 1) {
      const creation =
        index % 2 === 0
          ? ({ type: 'user', fields: { username: `${name}-${index}`, name } } as const)
          : ({ type: 'application', fields: { slug: `${name}-${index}`, name } } as const);
      settled.push(await create(creation, client, pacing, { stop: () => {}, mayRetry: () => true }));
    }
  };
  for (let burst = 0; burst < bursts; burst += 1) {
    await Promise.all(Array.from({ length: workers }, (_, id) => worker(`r-${burst}-${id}`)));
    // Around the moment at which the service gives its idle connections up.
    await delay(idleMs - 12 + (burst % 16));
  }
  await transport.close();
  const { connections, times } = await service.end();

  const total = workers * bursts * burstSize;
  const retried = settled.filter(({ attempts }) => attempts > 1).length;
  expect(total).toBe(5000);
  expect(connections).toBeGreaterThan(workers); // or nothing was raced
  expect(retried).toBeLessThanOrEqual(lost);
  expect(settled.filter(({ outcome }) => outcome !== 'created')).toEqual([]);
  expect(times.length).toBe(total);
  expect(times.filter((often) => often !== 1)).toEqual([]);
});
