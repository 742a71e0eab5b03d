// A service on the loopback interface, in a process of its own: nothing exists, and everything can be created.
// `--holds FILE MS`: what a manifest declares exists, and every request takes so long, that for a page of a list as well.
// `--servers N`: works on so many requests at a time, each for 10 to 20 ms. `--slows`: takes longer the more are under way.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';

const [, , mode, servers, latency] = process.argv;
let underWay = 0;
/** @type {(() => void)[]} */
const waiting = [];
let seed = 1;

/** The same numbers from 0 to 1 in every run. */
function random() {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}

// A tenth of what a real service took.
const measured = [
  { count: 1, milliseconds: 3 },
  { count: 4, milliseconds: 13.8 },
  { count: 8, milliseconds: 37.9 },
  { count: 16, milliseconds: 101.4 },
  { count: 64, milliseconds: 800 },
];

/** @param {number} count */
function slowed(count) {
  const above = measured.findIndex((point) => point.count >= count);
  const to = measured[above] ?? { count: 64, milliseconds: 800 };
  const from = measured[above - 1] ?? to;
  const way = to.count === from.count ? 1 : (count - from.count) / (to.count - from.count);
  return from.milliseconds + (to.milliseconds - from.milliseconds) * way;
}

async function work() {
  underWay += 1;
  if (mode === '--holds') await delay(Number(latency));
  if (mode === '--slows') await delay(slowed(underWay) * (0.5 + random()));
  if (mode === '--servers') {
    if (underWay > Number(servers)) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    await delay(10 + 10 * random());
    waiting.shift()?.();
  }
  underWay -= 1;
}

/** @typedef {Record<string, unknown>} Entry */

/** @type {{ applications: Entry[], users: Entry[] } | undefined} */
const held = mode === '--holds' ? parse(readFileSync(servers ?? '', 'utf8')) : undefined;

/**
 * What the service says of what it holds, to a superuser.
 *
 * @param {{ applications: Entry[], users: Entry[] }} held
 * @param {string} target
 */
function heldAnswer({ applications, users }, target) {
  const { pathname, searchParams: query } = new URL(target, 'http://localhost');
  const [list, name] = pathname.slice('/api/v3/core/'.length).split('/');
  if (name === 'me') return { user: { username: 'bench', is_superuser: true } };
  const username = query.get('username');
  if (list === 'users') {
    return page(username === null ? users : [users[Number(username.slice('user-'.length))] ?? {}], query);
  }
  if (name === '') return page(applications, query);
  return { pk: name, ...applications[Number(name?.slice('app-'.length))] };
}

/**
 * @param {Entry[]} all
 * @param {URLSearchParams} query
 */
function page(all, query) {
  const current = Number(query.get('page') ?? 1);
  const size = Math.min(100, Number(query.get('page_size') ?? 20));
  const total = Math.ceil(all.length / size);
  const start = (current - 1) * size;
  return {
    pagination: {
      next: current < total ? current + 1 : 0,
      previous: current - 1,
      count: all.length,
      current,
      total_pages: total,
      start_index: start + 1,
      end_index: Math.min(start + size, all.length),
    },
    results: all.slice(start, start + size).map((entry, index) => ({ pk: start + index + 1, ...entry })),
  };
}

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (/** @type {string} */ chunk) => (text += chunk));
  request.on('end', () => {
    if (mode === undefined) answer();
    else void work().then(answer);
  });
  function answer() {
    if (held) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(heldAnswer(held, request.url ?? '')));
      return;
    }
    const isRead = request.method === 'GET';
    response.writeHead(isRead ? 404 : 201, { 'content-type': 'application/json' });
    if (isRead) response.end('{"detail":"Not found."}');
    else {
      // Whole, as the service answers it: what does not come back counts as not created as declared.
      const sent = JSON.parse(text);
      response.end(JSON.stringify({ pk: `pk-of-${sent.slug}`, ...sent }));
    }
  }
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => server.close(() => {}).closeAllConnections());
