import { expect, test } from 'vitest';
import { Stops } from '../../src/apply/stops.ts';
import { planOf } from '../support/plan-of.ts';

test('the first reason to stop a run is the one that is reported', async () => {
  const [change] = (await planOf('version: 1\nusers: [{ username: a, name: A }]\n')).changes;
  if (!change) throw new Error('nothing is planned');
  const outage = { isOver: true, outlasted: 0, waitedMs: undefined };
  const stops = new Stops({ pacing: { outage }, fault: new AbortController().signal });
  expect(stops.why(change)).toBeUndefined();
  stops.courseOf(change).stop('pause');
  stops.courseOf(change).stop('run');
  stops.stopRun('fail_fast');
  expect(stops.why(change)).toBe('pause');
});
