import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../src/base/clock.ts';
import { connectOverNetwork } from '../../src/terminal/connect-over-network.ts';
import type { Context } from '../../src/terminal/context.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import type { Transport } from '../../src/service/transport.ts';
import { watch } from './canary.ts';
import { memoryFiles } from './memory-files.ts';

export interface Setup {
  readonly files?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether only the documented operations are sent. */
  readonly contractOnly?: boolean;
  /** One answer to all questions, or the answers in the order of the questions. */
  readonly answerToPrompt?: string | readonly string[];
  /** A transport to use instead of the network. */
  readonly transport?: Transport;
  readonly clock?: Clock;
  /** The files in the folder `.before`, the baseline. */
  readonly past?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** The signal of a second interruption. */
  readonly urgent?: AbortSignal;
  readonly terminal?: boolean;
  /** The width of the terminal. If undefined, all output goes to pipes. */
  readonly columns?: number;
  readonly colours?: boolean;
}

export interface Captured {
  readonly context: Context;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly questions: readonly string[];
  /** The written files, by name. */
  readonly written: ReadonlyMap<string, string>;
}

function before(past: Setup['past']): Readonly<Record<string, string>> {
  if (past === undefined) return {};
  return Object.fromEntries([
    ['.before/README.md', ''],
    ...Object.entries(past).map(([name, text]) => [`.before/${name}`, text]),
  ]);
}

/** A Context that captures the output. The network is real unless a transport is given. */
export function capture(setup: Setup): Captured {
  let out = '';
  let err = '';
  const written = new Map<string, string>();
  const questions: string[] = [];
  watch('stdout', () => out);
  watch('stderr', () => err);
  const write = (filename: string, text: string): void => {
    watch(filename, () => text);
    written.set(filename, text);
  };
  const { transport, answerToPrompt, columns, colours = false, terminal = columns !== undefined } = setup;
  const width = columns !== undefined && { columns };
  const context: Context = {
    env: {
      ...(setup.url && { ROLLCALL_URL: setup.url, ROLLCALL_TOKEN: sandboxToken }),
      ...(setup.contractOnly && { ROLLCALL_CONTRACT_ONLY: 'true' }),
      ...setup.env,
    },
    files: memoryFiles({ ...setup.files, ...before(setup.past) }),
    clock: setup.clock ?? {
      now: () => Date.now(),
      sleep: (milliseconds) => delay(Math.min(milliseconds, 1)),
    },
    writeReport: async (filename, text) => write(filename, text),
    writePrivateFile: async (filename, text) => write(filename, text),
    createFile: async (filename, text) => {
      if (written.has(filename) || filename in (setup.files ?? {})) return false;
      write(filename, text);
      return true;
    },
    createPrivateFiles: async (texts) => {
      const taken = [...texts.keys()].filter((name) => written.has(name) || name in (setup.files ?? {}));
      if (taken.length === 0) for (const [filename, text] of texts) write(filename, text);
      return taken;
    },
    appendFile: async (filename, text) => write(filename, (written.get(filename) ?? '') + text),
    random: () => 0,
    stdout: {
      write: (text) => void (out += text),
      isTerminal: columns !== undefined,
      colours,
      ...width,
      isLost: async () => false,
    },
    stderr: { write: (text) => void (err += text), isTerminal: terminal, colours, ...width },
    connect: async (settings) =>
      transport ? { send: transport, close: async () => {} } : connectOverNetwork(settings),
    ...(answerToPrompt !== undefined && {
      ask: async (question) => {
        const at = questions.push(question) - 1;
        return typeof answerToPrompt === 'string' ? answerToPrompt : (answerToPrompt[at] ?? '');
      },
    }),
    interruptible: () => ({
      signal: setup.signal ?? new AbortController().signal,
      urgent: setup.urgent ?? new AbortController().signal,
    }),
    toolVersion: '1.2.3',
  };
  return { context, stdout: () => out, stderr: () => err, questions, written };
}
