import { expect, test } from 'vitest';
import { coloursByEnvironment } from '../../src/terminal/node-context.ts';

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { TERM: 'dumb' }, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [false, { FORCE_COLOR: '1' }, true],
  [false, { FORCE_COLOR: '' }, false],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { FORCE_COLOR: '1', TERM: 'dumb' }, true],
  [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
])('with a terminal (%s) and the variables %j, output has colours: %s', (isTerminal, env, expected) => {
  expect(coloursByEnvironment(isTerminal, env)).toBe(expected);
});
