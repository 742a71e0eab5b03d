import { expect, test } from 'vitest';
import { createProgress } from '../../src/terminal/progress.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const pace = { limit: 16, ceiling: 16, requests: 9, retries: 0, requests_per_second: 123.4 };

test.each([
  [20, false],
  [59, false],
  [60, true],
  [200, true],
])('on %i columns, the progress fits in one line', async (columns, hasBar) => {
  let drawn = '';
  const stderr = { write: (text: string) => void (drawn += text), isTerminal: true, colours: false, columns };
  const clock = virtualClock();
  const progress = createProgress('Applying', { stderr, clock }, true);
  await clock.sleep(1000);
  progress.update(2300, 2300, pace);
  const [, line = ''] = drawn.replace('\u001b[K', '').split('\r');
  expect(line.length).toBeLessThan(columns);
  expect(line).toMatch(
    hasBar ? /^Applying \[#{7,24}\] 2300\/2300, 16 at a time, 2300 records\/s$/ : /^Applying 2300\/2300/,
  );
});

test.each([
  [5, '0.5 records/s'],
  [55, '5.5 records/s'],
  [125, '13 records/s'],
])('the rate of %i records in 10 s has a decimal place if it is low', async (done, rate) => {
  let drawn = '';
  const stderr = { write: (text: string) => void (drawn += text), isTerminal: false, colours: false };
  const clock = virtualClock();
  const progress = createProgress('Applying', { stderr, clock }, true);
  await clock.sleep(10_000);
  progress.update(done, 9000, pace);
  expect(drawn).toBe(`Applying: ${done}/9000, 16 at a time, ${rate}\n`);
});

test('a log has no line for the last record, because the result follows', async () => {
  let drawn = '';
  const stderr = { write: (text: string) => void (drawn += text), isTerminal: false, colours: false };
  const clock = virtualClock();
  const progress = createProgress('Applying', { stderr, clock }, true);
  await clock.sleep(10_000);
  progress.update(9, 9, pace);
  expect(drawn).toBe('');
});

test.each([
  ['on a terminal', true, 'Looking up 400/9000, 16 at a time, 40 records/s'],
  ['in a log', false, 'Looking up: 400/9000, 16 at a time, 40 records/s\n'],
])('%s, progress counts records, not pages', async (_, isTerminal, line) => {
  let drawn = '';
  const stderr = { write: (text: string) => void (drawn += text), isTerminal, colours: false, columns: 50 };
  const clock = virtualClock();
  const progress = createProgress('Looking up', { stderr, clock }, true);
  await clock.sleep(10_000);
  progress.update(400, 9000, { ...pace, requests_per_second: 0.4 });
  expect(drawn).toContain(line);
});

test('a bar shows the last record at once, and a full bar if the total is unknown', () => {
  let drawn = '';
  const stderr = { write: (text: string) => void (drawn += text), isTerminal: true, colours: false };
  const progress = createProgress('Applying', { stderr, clock: virtualClock() }, true);
  progress.update(1, 3, pace);
  progress.update(2, 3, pace);
  progress.update(3, 3, pace);
  expect(drawn.match(/\d+\/3/g)).toEqual(['1/3', '3/3']);
  drawn = '';
  progress.update(3, 0, pace);
  expect(drawn).toContain(`[${'#'.repeat(24)}] 3/0`);
});

test('the end of a stage writes nothing if no progress was shown', () => {
  let drawn = '';
  const stderr = { write: (text: string) => void (drawn += text), isTerminal: true, colours: false };
  createProgress('Applying', { stderr, clock: virtualClock() }, true).end();
  expect(drawn).toBe('');
});
