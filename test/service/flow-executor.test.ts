import { expect, test } from 'vitest';
import { askFlowStart } from '../../src/service/flow-executor.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { answered, scriptedTransport } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const begins = answered(200, { component: 'ak-stage-identification' });

test.each([
  ['a pause that the service asks for', answered(500, 'busy', { 'retry-after': '3' }), [3000]],
  ['no pause', answered(500, 'busy'), []],
  ['an error that names a stage', answered(500, { component: 'ak-stage-access-denied' }), []],
])('the check of a login flow is repeated after %s', async (_, first, sleeps) => {
  const transport = scriptedTransport(first, begins);
  const clock = virtualClock();
  const pacing = createPacing({ clock, concurrency: 1, random: () => 0 });
  expect(await askFlowStart('login', transport.send, pacing)).toEqual({ kind: 'begins' });
  expect(clock.sleeps).toEqual(sleeps);
});
