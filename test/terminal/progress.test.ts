import { expect, test } from 'vitest';
import { createProgress } from '../../src/terminal/progress.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const pace = { limit: 16, highest: 16, ceiling: 16, requests: 9, retries: 0, requests_per_second: 123.4 };

test.each([
  [20, false],
  [60, true],
  [200, true],
])('on %i columns the bar stays in its line', (columns, hasBar) => {
  let drawn = '';
  const stderr = { write: (text: string) => void (drawn += text), isTerminal: true, colours: false, columns };
  const progress = createProgress('Creating', { stderr, clock: virtualClock() }, true);
  progress.update(2300, 2300, pace);
  const [, line = ''] = drawn.replace('\u001b[K', '').split('\r');
  expect(line.length).toBeLessThan(columns);
  expect(line).toMatch(
    hasBar ? /^Creating \[#{7,24}\] 2300\/2300, 16 at a time, 123\.4\/s$/ : /^Creating 2300\/2300/,
  );
});
