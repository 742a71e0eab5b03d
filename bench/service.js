// A service on the loopback interface, in a process of its own: nothing exists, and everything can be created.
// `--servers N`: works on so many requests at a time, each for 10 to 20 ms. `--slows`: takes longer the more are under way.
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const [, , mode, servers] = process.argv;
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
  if (mode === '--slows') await delay(slowed(underWay) * (0.5 + random()));
  if (mode === '--servers') {
    if (underWay > Number(servers)) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    await delay(10 + 10 * random());
    waiting.shift()?.();
  }
  underWay -= 1;
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
