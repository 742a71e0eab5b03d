import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { failureReason, UsageError } from '../base/errors.ts';

/** Runs a command with additional environment variables, and returns its exit code. */
export type RunCommand = (
  command: readonly string[],
  env: Readonly<Record<string, string>>,
) => Promise<number>;

/** Runs a command on this terminal. If a signal ends the command, the exit code is 128 plus the signal's number, as in a shell. */
export const runCommand: RunCommand = ([program = '', ...args], env) => {
  if (program === '') throw new UsageError('no command is named', 'Write a command after --.');
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    // The terminal sends Ctrl-C to the child too, but other signals may reach only this process, so they are forwarded.
    const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
    const forwarded = ['SIGTERM', 'SIGHUP'] as const;
    for (const signal of forwarded) process.once(signal, forward);
    const stop = (): void => {
      for (const signal of forwarded) process.off(signal, forward);
    };
    child.once('error', (error) => {
      stop();
      reject(new UsageError(`the command cannot be run: ${program}`, failureReason(error), { cause: error }));
    });
    child.once('exit', (code, signal) => {
      stop();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
};
