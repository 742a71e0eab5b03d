import { maxConsecutiveFailures } from '../../src/service/retries.ts';
import { expect, test } from 'vitest';
import { RunStops } from '../../src/apply/stops.ts';
import type { Change } from '../../src/plan/plan.ts';
import { planOf } from '../support/plan-of.ts';

async function begun(endedOutages = 0): Promise<{ readonly stops: RunStops; readonly change: Change }> {
  const [change] = (await planOf('version: 1\nusers: [{ username: a, name: A }]\n')).changes;
  if (!change) throw new Error('nothing is planned');
  const outage = { isOver: true, endedOutages, waitedMs: undefined };
  return {
    stops: new RunStops({ pacing: { outage, isTokenRefused: false }, fault: new AbortController().signal }),
    change,
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
  ['stop the run', 0, 'doubts'],
  ['count once if one outage caused them', 1, undefined],
])('unknown results in a row %s', async (_, endedOutages, reason) => {
  const { stops, change } = await begun(endedOutages);
  for (let nth = 0; nth < maxConsecutiveFailures.writes; nth += 1) stops.count(change, 'unknown', 0);
  expect(stops.why(change)).toBe(reason);
});
