import { maxConsecutiveFailures } from '../../src/service/retries.ts';
import { expect, test } from 'vitest';
import { RunStops } from '../../src/apply/stops.ts';
import type { Change } from '../../src/plan/plan.ts';
import { planOf } from '../support/plan-of.ts';

interface Begun {
  readonly stops: RunStops;
  readonly change: Change;
  /** The create of an application with declared access. */
  readonly bound: Change;
}

async function begun(
  endedOutages = 0,
  { isTokenRefused = false, waitedMs }: { isTokenRefused?: boolean; waitedMs?: number } = {},
): Promise<Begun> {
  const [bound, change] = (
    await planOf(`version: 1
applications: [{ slug: a, name: A, access: { groups: ["11111111-1111-4111-8111-111111111111"] } }]
users: [{ username: a, name: A }]
`)
  ).changes;
  if (!change || !bound) throw new Error('nothing is planned');
  const outage = { isOver: true, endedOutages, waitedMs };
  return {
    stops: new RunStops({ pacing: { outage, isTokenRefused }, fault: new AbortController().signal }),
    change,
    bound,
  };
}

test('a run reports the first reason that stopped it', async () => {
  const { stops, change } = await begun();
  expect(stops.why(change)).toBeUndefined();
  stops.controlOf(change, () => {}).stop('pause');
  stops.controlOf(change, () => {}).stop('run');
  stops.stopRun('fail_fast');
  expect(stops.why(change)).toBe('pause');
});

test('a read-only service stops the updates of a kind whose creates were already denied', async () => {
  const { stops, change } = await begun();
  const update = { ...change, action: 'update' } as const;
  stops.controlOf(change, () => {}).stop('type', 'denied');
  expect(stops.why(update)).toBeUndefined();
  stops.controlOf(change, () => {}).stop('type', 'read_only');
  expect(stops.why(update)).toBe('read_only');
  stops.controlOf(change, () => {}).stop('type', 'denied');
  expect(stops.why(update)).toBe('read_only');
});

test.each([
  ['unknown', 'stop the run', 0, 'doubts'],
  ['unfinished', 'stop the run', 0, 'doubts'],
  ['unknown', 'count once if one outage caused them', 1, undefined],
] as const)('%s results in a row %s', async (outcome, _, endedOutages, reason) => {
  const { stops, change } = await begun(endedOutages);
  for (let nth = 0; nth < maxConsecutiveFailures.writes; nth += 1) stops.count(change, outcome, 0);
  expect(stops.why(change)).toBe(reason);
});

test('a refused token stops the run only after a change has ended, and an outage without an end at once', async () => {
  const { stops, change } = await begun(0, { isTokenRefused: true });
  expect(stops.why(change)).toBeUndefined();
  stops.count(change, 'denied', 0);
  expect(stops.why(change)).toBe('token_refused');
  const away = await begun(0, { waitedMs: 60_000 });
  expect(away.stops.why(away.change)).toBe('away');
});

test('denied bindings stop only creates of resources with bindings', async () => {
  const { stops, change, bound } = await begun();
  stops.controlOf(bound, () => {}).stop('bindings', 'denied');
  expect(stops.why(bound)).toBe('access_denied');
  expect(stops.why({ ...bound, action: 'update' })).toBeUndefined();
  expect(stops.why({ ...bound, resource: change.resource })).toBeUndefined();
});

test.each([['updated'], ['deleted'], [undefined]] as const)(
  'denied updates in a row stop updates of the kind, but no creates: after four, one is %s',
  async (between) => {
    const { stops, change } = await begun();
    const update = { ...change, action: 'update' } as Change;
    for (let nth = 1; nth < maxConsecutiveFailures.writes; nth += 1) stops.count(update, 'denied', 0);
    if (between) stops.count(update, between, 0);
    stops.count(update, 'denied', 0);
    expect(stops.why(update)).toBe(between ? undefined : 'denials');
    expect(stops.why(change)).toBeUndefined();
  },
);

test.each([
  ['pause', 'pause'],
  ['run', 'no_way'],
] as const)('a change that stops the %s is the reason %s', async (scope, reason) => {
  const { stops, change } = await begun();
  stops.controlOf(change, () => {}).stop(scope);
  expect(stops.why(change)).toBe(reason);
});

test.each([
  ['created', undefined],
  ['denied', undefined],
  ['not_attempted', 'doubts'],
] as const)('a result %s among unclear results ends their row: %s', async (between, reason) => {
  const { stops, change } = await begun();
  for (let nth = 1; nth < maxConsecutiveFailures.writes; nth += 1) stops.count(change, 'unknown', 0);
  stops.count(change, between, 0);
  if (reason === undefined) stops.count(change, 'unknown', 0);
  expect(stops.why(change)).toBe(reason);
});

test('changes that ended because their kind was stopped are no further failures', async () => {
  const { stops, change, bound } = await begun();
  stops.controlOf(change, () => {}).stop('type', 'denied');
  for (let nth = 0; nth < maxConsecutiveFailures.writes; nth += 1) stops.count(change, 'not_attempted', 0);
  expect(stops.why(bound)).toBeUndefined();
  for (let nth = 0; nth < maxConsecutiveFailures.writes; nth += 1) stops.count(bound, 'not_attempted', 0);
  expect(stops.why(bound)).toBe('doubts');
});
