import { expect, test } from 'vitest';
import { coloursByEnvironment, nodeContext } from '../../src/terminal/node-context.ts';

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

test.each([
  [0, 80],
  [undefined, 80],
  [120, 120],
])('a terminal that reports a width of %s counts as %i characters wide', (columns, expected) => {
  const known = Object.getOwnPropertyDescriptor(process.stdout, 'columns');
  Object.defineProperty(process.stdout, 'columns', { value: columns, configurable: true });
  try {
    const stdout = { isTerminal: true, write: () => {}, isLost: async () => false };
    expect(nodeContext('1.0.0', undefined, stdout).stdout.columns).toBe(expected);
    expect(nodeContext('1.0.0', undefined, { ...stdout, isTerminal: false }).stdout.columns).toBeUndefined();
  } finally {
    if (known) Object.defineProperty(process.stdout, 'columns', known);
    else Reflect.deleteProperty(process.stdout, 'columns');
  }
});
