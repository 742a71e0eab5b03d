import { expect, test } from 'vitest';
import { nodeContext } from '../../src/terminal/node-context.ts';
import { descriptorNamed } from '../../src/terminal/write-file.ts';

const stdout = { isTerminal: true, write: () => {}, isLost: async () => false };

test('the first and the second signal interrupt a run, except a SIGHUP after another signal', () => {
  const { signal, urgent } = nodeContext('1.0.0', undefined, stdout).interruptible();
  expect([signal.aborted, urgent.aborted]).toEqual([false, false]);
  process.emit('SIGINT', 'SIGINT');
  process.emit('SIGHUP', 'SIGHUP');
  expect([signal.reason, urgent.aborted]).toEqual(['SIGINT', false]);
  process.emit('SIGTERM', 'SIGTERM');
  expect(urgent.reason).toBe('SIGTERM');
});

test.each([
  ['-', 1],
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
  ['/dev/fd/3', 3],
  ['/proc/self/fd/12', 12],
  ['/dev/fd/x', undefined],
  ['a/dev/fd/3', undefined],
])('the name %s means the descriptor %s', (name, expected) => {
  expect(descriptorNamed(name)).toBe(expected);
});

test.each([
  [0, 80],
  [undefined, 80],
  [120, 120],
])('a terminal that reports a width of %s counts as %i characters wide', (columns, expected) => {
  const known = Object.getOwnPropertyDescriptor(process.stdout, 'columns');
  Object.defineProperty(process.stdout, 'columns', { value: columns, configurable: true });
  try {
    expect(nodeContext('1.0.0', undefined, stdout).stdout.columns).toBe(expected);
    expect(nodeContext('1.0.0', undefined, { ...stdout, isTerminal: false }).stdout.columns).toBeUndefined();
  } finally {
    if (known) Object.defineProperty(process.stdout, 'columns', known);
    else Reflect.deleteProperty(process.stdout, 'columns');
  }
});
