import { inTurn, median, withService } from './processes.js';

/** @type {typeof import('../src/kinds/application.ts')} */
const { application } = await import(built('kinds/application.js'));
/** @type {typeof import('../src/service/client.ts')} */
const { createClient } = await import(built('service/client.js'));
/** @type {typeof import('../src/service/pacing.ts')} */
const { createPacing } = await import(built('service/pacing.js'));
/** @type {typeof import('../src/service/undici-transport.ts')} */
const { undiciTransport } = await import(built('service/undici-transport.js'));

/** @param {string} path */
function built(path) {
  return new URL(`../dist/${path}`, import.meta.url).href;
}

/**
 * Asks a service for so many applications through the client of rollcall: as its pacing sees fit, and with a fixed number
 * at a time. Gives the median times in milliseconds.
 *
 * @param {readonly string[]} service the arguments of service.js
 * @param {{ requests: number, fixed: readonly number[], rounds: number }} options
 */
export function comparePacing(service, { requests, fixed, rounds }) {
  return withService(service, async (baseUrl) => {
    const slugs = Array.from({ length: requests }, (_, index) => `app-${index}`);
    const times = await inTurn(rounds, [
      () => timed(baseUrl, (ask) => adaptive(slugs, ask)),
      ...fixed.map((count) => () => timed(baseUrl, (ask) => pool(slugs, count, ask))),
    ]);
    const [own = [], ...others] = times;
    return {
      own,
      fixed: fixed.map((count, index) => ({ count, milliseconds: median(others[index] ?? []) })),
    };
  });
}

/** @typedef {(slug: string) => Promise<import('../src/service/client.ts').Reading>} Ask */

/**
 * @param {string} baseUrl
 * @param {(ask: Ask) => Promise<unknown>} use
 */
async function timed(baseUrl, use) {
  const { send, close } = undiciTransport({ baseUrl, authorization: 'Bearer t', timeoutMs: 60_000 });
  const client = createClient(send);
  const before = performance.now();
  await use(async (slug) => {
    const reading = await client.read(application, slug);
    if (reading.proof !== 'absent') throw new Error(`${slug}: ${reading.proof}`);
    return reading;
  });
  const milliseconds = performance.now() - before;
  await close();
  return milliseconds;
}

/**
 * @param {readonly string[]} slugs
 * @param {Ask} ask
 */
function adaptive(slugs, ask) {
  const clock = { now: () => Date.now(), sleep: () => Promise.resolve() };
  const pacing = createPacing({ clock, random: () => Math.random(), concurrency: 64 });
  return pacing.forEach(slugs, async (slug) => pacing.note((await ask(slug)).answer, 1));
}

/**
 * @param {readonly string[]} slugs
 * @param {number} count
 * @param {Ask} ask
 */
function pool(slugs, count, ask) {
  const left = slugs.values();
  return Promise.all(
    Array.from({ length: count }, async () => {
      for (const slug of left) await ask(slug);
    }),
  );
}
