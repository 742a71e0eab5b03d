import { appendFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { InterruptSignal } from '../base/exit-code.ts';
import type { Interruption } from '../run/world.ts';
import type { EnvironmentVariables } from '../settings/environment.ts';
import type { Context, Output, ResultStream } from './context.ts';
import { nodeFiles } from './node-files.ts';
import { isTerminalDescriptor, standardError } from './standard-output.ts';
import { createFile, createPrivateFiles, writePrivateFile, writeReport } from './write-file.ts';

export const nodeService: Pick<Context, 'files' | 'clock' | 'random' | 'connect'> = {
  files: nodeFiles,
  clock: { now: () => Date.now(), sleep },
  random: () => Math.random(),
  connect: async (settings) => {
    // This module takes as long to load as all other modules together, so only commands that talk to a service load it.
    const { connectOverNetwork } = await import('./connect-over-network.ts');
    return connectOverNetwork(settings);
  },
};

/** The Context of this process. `colours` is the flag for colours, if given. */
export function nodeContext(
  toolVersion: string,
  colours: boolean | undefined,
  stdout: ResultStream,
): Context {
  return {
    env: process.env,
    writeReport,
    writePrivateFile,
    createFile,
    createPrivateFiles,
    appendFile: (filename, text) => appendFile(filename, text),
    ...nodeService,
    stdout: {
      ...outputTo(stdout, stdout.isTerminal && process.stdout, colours),
      isLost: () => stdout.isLost(),
    },
    stderr: outputTo(
      { write: (text) => standardError().write(text) },
      isTerminalDescriptor(2) && process.stderr,
      colours,
    ),
    ...(isTerminalDescriptor(0) && isTerminalDescriptor(2) && { ask }),
    interruptible: listenForInterruption,
    toolVersion,
  };
}

async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, signal && { signal }).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}

function outputTo(
  stream: { write(text: string): unknown },
  terminal: { readonly columns?: number } | false,
  colours: boolean | undefined,
): Output {
  const isTerminal = terminal !== false;
  return {
    write: (text) => void stream.write(text),
    isTerminal,
    colours: colours ?? coloursByEnvironment(isTerminal, process.env),
    // A terminal that does not know its width reports 0 or undefined.
    ...(isTerminal && { columns: terminal.columns || defaultColumns }),
  };
}

const defaultColumns = 80;

/** NO_COLOR (no-color.org) and FORCE_COLOR decide if they are set. Otherwise, only a terminal gets colours. */
export function coloursByEnvironment(isTerminal: boolean, env: EnvironmentVariables): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0';
  return isTerminal && env['TERM'] !== 'dumb';
}

/** Reads a line from the terminal; empty if the input ends or the run is interrupted. */
function ask(question: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: standardError(), terminal: false });
    signal.addEventListener('abort', () => lines.close(), { once: true });
    let answered = '';
    lines.once('close', () => {
      if (answered === '') standardError().write('\n');
      resolve(answered.trim());
    });
    lines.question(question, (answer) => {
      answered = `${answer}\n`;
      lines.close();
    });
  });
}

const signals: readonly InterruptSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * After this call, the first two signals do not end the process; the third does. A SIGHUP counts only if it is the first signal,
 * because both the kernel and the shell send SIGHUP when a terminal is closed.
 */
function listenForInterruption(): Interruption {
  const [first, second] = [new AbortController(), new AbortController()];
  const listeners = signals.map((signal) => ({ signal, listen: () => onSignal(signal) }));
  function onSignal(signal: InterruptSignal): void {
    if (!first.signal.aborted) {
      first.abort(signal);
      return;
    }
    if (signal === 'SIGHUP') return;
    for (const { signal: listened, listen } of listeners) process.off(listened, listen);
    second.abort(signal);
  }
  for (const { signal, listen } of listeners) process.on(signal, listen);
  return { signal: first.signal, urgent: second.signal };
}
