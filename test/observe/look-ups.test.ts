import { expect, test } from 'vitest';
import { LookUps } from '../../src/observe/look-ups.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { unusedSlug } from '../../src/service/probe.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { desired } from '../support/desired.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const absent = answered(404, { detail: 'Not found.' });
const page = answered(404, '<html>Not found</html>');
const failed = answered(418);
const denied = answered(403, { detail: 'denied' });
const here = (slug: string): Exchange => answered(200, { pk: 'p', slug, name: slug });
const nobodyOf = (username: string): boolean => username === unusedSlug;

interface Seen {
  readonly names: readonly string[];
  readonly lookUps: LookUps;
  readonly done: number;
}

/** Looks up a number of applications or users, one after the other. `answer` gets the name and the number of the try. */
async function lookedUp(
  list: 'applications' | 'users',
  count: number,
  answer: (name: string, nth: number) => Exchange,
  { signal, namesake }: { readonly signal?: AbortSignal; readonly namesake?: string } = {},
): Promise<Seen> {
  const key = list === 'users' ? 'username' : 'slug';
  const entries = Array.from({ length: count }, (_, index) => ({ [key]: `n${index}`, name: 'A' }));
  const resources = await desired(JSON.stringify({ version: 1, [list]: entries }));
  const names: string[] = [];
  const client = new Client(async ({ path }) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    const name = searchParams.get('username') ?? pathname.split('/').at(-2) ?? '';
    names.push(name);
    return answer(name, names.filter((one) => one === name).length);
  });
  let done = 0;
  const pacing = createPacing({ clock: virtualClock(), concurrency: 1, random: () => 0 });
  const namesakes = new Map(namesake === undefined ? [] : resources.map((one) => [one, namesake]));
  const lookUps = new LookUps({ client, pacing, signal, namesakes, onDone: () => (done += 1) });
  await lookUps.all(resources);
  return { names, lookUps, done };
}

const asked = ({ names }: Seen): string[] => names.filter((name) => /^n\d/.test(name));

test('look-ups end after five web pages with status 404 if it remains unknown whether such pages mean "absent"', async () => {
  const seen = await lookedUp('applications', 9, () => page);
  expect(asked(seen)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
  expect(seen.lookUps.failures.map(({ proof }) => proof)).toEqual(Array(5).fill('fault'));
  expect(seen.done).toBe(5);
});

test('if the service reports the absence of a record in JSON, a look-up that was answered with a web page is repeated', async () => {
  const seen = await lookedUp('applications', 1, (name, nth) => (nobodyOf(name) || nth > 1 ? absent : page));
  expect(asked(seen)).toEqual(['n0', 'n0']);
  expect(seen.lookUps.observed.get('application.n0')).toEqual({ presence: 'absent' });
});

test.each([1, 5, 6, 7, 8, 9, 99])(
  'if a gateway answers 404 to %i requests while the service is away, no record counts as absent',
  async (pages) => {
    let answers = 0;
    const seen = await lookedUp('applications', 9, (name) => {
      answers += 1;
      return answers > 4 && answers <= 4 + pages ? page : nobodyOf(name) ? absent : here(name);
    });
    const { observed, failures } = seen.lookUps;
    expect([...observed.values()].map(({ presence }) => presence)).not.toContain('absent');
    expect([observed.size, failures.length > 0]).toEqual(pages === 99 ? [4, true] : [9, false]);
  },
);

test.each([
  ['state: absent', 'n0', 'absent'],
  ['state: absent', '', 'unknown'],
  ['name: A, formerly: old', '', 'unknown'],
  ['name: A', '', 'absent'],
])(
  'if look-ups of absent records get web pages, { %s } is shown, if %j exists, as %s',
  async (fields, existing, presence) => {
    const entries = ['slug: n0, name: A', `slug: n1, ${fields}`].map((entry) => `{ ${entry} }`);
    const resources = await desired(`version: 1\napplications: [${entries.join(', ')}]`);
    const client = new Client(async ({ path, isAnonymous }) => {
      const name = path.split('/').at(-2) ?? '';
      return isAnonymous ? denied : name === existing ? here(name) : page;
    });
    const pacing = createPacing({ clock: virtualClock(), concurrency: 1, random: () => 0 });
    const lookUps = new LookUps({ client, pacing, namesakes: new Map(), onDone: () => {} });
    await lookUps.all(resources);
    expect(lookUps.observed.get('application.n1')).toMatchObject({ presence });
  },
);

test('after an interruption, no request checks whether a web page means "absent"', async () => {
  const interruption = new AbortController();
  const answer = (): Exchange => {
    interruption.abort();
    return page;
  };
  const seen = await lookedUp('applications', 3, answer, { signal: interruption.signal });
  expect(seen.names).toEqual(['n0']);
});

test.each([
  ['absent', absent],
  ['present', here('n4')],
])('a record that is %s interrupts a row of failures, so look-ups continue', async (_, between) => {
  const seen = await lookedUp('applications', 9, (name) => (name === 'n4' ? between : failed));
  expect(asked(seen)).toHaveLength(9);
  expect(seen.lookUps.failures).toHaveLength(8);
});

test('once five records of a readable kind could not be read, the rest of the kind counts as unread', async () => {
  const none = answered(200, {
    pagination: { next: 0, previous: 0, count: 0, current: 1, total_pages: 1, start_index: 0, end_index: 0 },
    results: [],
  });
  const self = answered(200, { user: { pk: 1, username: 'robot', is_superuser: false } });
  const answer = (name: string): Exchange => (name === 'me' ? self : name === 'n0' ? none : denied);
  const seen = await lookedUp('users', 9, answer);
  expect(asked(seen)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5']);
  expect(seen.done).toBe(9);
});

test('an absent record is reported with the name of a record that has the same title, if there is exactly one', async () => {
  const seen = await lookedUp('applications', 1, () => absent, { namesake: 'other' });
  expect(seen.lookUps.observed.get('application.n0')).toEqual({ presence: 'absent', namesake: 'other' });
});
