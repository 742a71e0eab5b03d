import { expect, test } from 'vitest';
import { runCommand } from '../../src/terminal/run-command.ts';

test.each([
  ['SIGHUP', 129],
  ['SIGTERM', 143],
] as const)('%s is passed on to the command, which ends with the code %i', async (signal, code) => {
  // The signal arrives while the program still starts, so the program cannot end first.
  const ended = runCommand([process.execPath, '-e', ''], {});
  process.emit(signal, signal);
  expect(await ended).toBe(code);
});
