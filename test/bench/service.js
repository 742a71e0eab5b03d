// A service on the loopback interface, in its own process. It has no records and accepts every create. `--holds FILE MS`: the
// records that a manifest declares exist, and every request takes MS milliseconds, even for a page of a list. `--charges FILE`:
// these records exist too, but the service works on two requests at a time. Each request and each record of an answer then takes
// as long as on an idle release 2023.10.7. Created records exist from then on.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';

const [, , mode, argument, latency] = process.argv;
let underWay = 0;
/** @type {(() => void)[]} */
const waiting = [];

// Measured on an idle release 2023.10.7: a look-up took 28 ms, a page of 100 took 280 ms, and a create of one application took 34
// ms.
const charges = { request: 25.5, record: 2.55, create: 34 };

/** @param {number} records how many the answer has; of a create, none */
async function work(records) {
  underWay += 1;
  if (mode === '--holds') await delay(Number(latency));
  if (mode === '--charges')
    await served(2, records === 0 ? charges.create : charges.request + records * charges.record);
  underWay -= 1;
}

/**
 * Waits until one of the servers is free, and then works for a number of milliseconds.
 *
 * @param {number} servers
 * @param {number} milliseconds
 */
async function served(servers, milliseconds) {
  if (underWay > servers) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
  await delay(milliseconds);
  waiting.shift()?.();
}

/** @typedef {Record<string, unknown>} Entry */

/** @type {{ applications?: Entry[], users?: Entry[] } | undefined} */
const file =
  mode === '--holds' || mode === '--charges' ? parse(readFileSync(argument ?? '', 'utf8')) : undefined;
/** The records by name. */
const held = file && {
  applications: new Map(file.applications?.map((entry) => [String(entry['slug']), entry])),
  users: new Map(file.users?.map((entry) => [String(entry['username']), entry])),
};

/**
 * The service's answer about its records to a superuser; undefined if it does not have the record.
 *
 * @param {{ applications: Map<string, Entry>, users: Map<string, Entry> }} held
 * @param {string} target
 */
function heldAnswer({ applications, users }, target) {
  const { pathname, searchParams: query } = new URL(target, 'http://localhost');
  const [list, name] = pathname.slice('/api/v3/core/'.length).split('/');
  if (name === 'me') return { user: { username: 'bench', is_superuser: true } };
  const username = query.get('username');
  if (list === 'users') {
    const user = users.get(username ?? '');
    return page(username === null ? [...users.values()] : user ? [user] : [], query);
  }
  if (name === '') return page([...applications.values()], query);
  const application = applications.get(name ?? '');
  return application && { pk: name, ...application };
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
      start_index: Math.min(start + 1, all.length),
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
    const isRead = request.method === 'GET';
    const found = held && isRead ? heldAnswer(held, request.url ?? '') : undefined;
    const records = isRead ? (found && 'results' in found ? found.results.length : 1) : 0;
    if (mode === undefined) answer(isRead, found);
    else void work(records).then(() => answer(isRead, found));
  });
  /**
   * @param {boolean} isRead
   * @param {object | undefined} found
   */
  function answer(isRead, found) {
    response.writeHead(found ? 200 : isRead ? 404 : 201, { 'content-type': 'application/json' });
    if (found) response.end(JSON.stringify(found));
    else if (isRead) response.end('{"detail":"Not found."}');
    else {
      // All sent fields are returned, as by the real service, because a missing field would count as different.
      const sent = JSON.parse(text);
      held?.applications.set(sent.slug, sent);
      response.end(JSON.stringify({ pk: `pk-of-${sent.slug}`, ...sent }));
    }
  }
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.once('disconnect', () => server.close(() => {}).closeAllConnections());
