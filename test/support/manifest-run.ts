import { expect } from 'vitest';
import type { Transport } from '../../src/service/transport.ts';
import type { Context } from '../../src/terminal/context.ts';
import { capture, type Captured, type Setup } from './run.ts';
import { virtualClock } from './virtual-clock.ts';

export interface Ran {
  readonly ending: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly questions: readonly string[];
  /** The written files, by name. */
  readonly written: ReadonlyMap<string, string>;
}

type Command = (paths: readonly string[], options: never, context: Context) => Promise<string>;

/** Runs a command in this context, and returns its ending and its output. */
export async function endOf(
  { context, stdout, stderr, questions, written }: Captured,
  command: (context: Context) => Promise<string>,
): Promise<Ran> {
  const ending = await command(context);
  return { ending, stdout: stdout(), stderr: stderr(), questions, written };
}

/** Runs a command on a manifest with this text. */
export function runOn(
  command: Command,
  send: Transport,
  text: string,
  options: object = {},
  setup: Setup = {},
): Promise<Ran> {
  const captured = capture({
    url: 'https://id.example.com',
    clock: virtualClock(),
    transport: send,
    ...setup,
    files: { 'm.yaml': text, ...setup.files },
  });
  return runIn(command, captured, options);
}

/** Runs a command on the manifest m.yaml of a context. */
export function runIn(command: Command, captured: Captured, options: object = {}): Promise<Ran> {
  const given = { output: 'text', yes: true, ...options } as never; // each test passes options that the command accepts
  return endOf(captured, (context) => command(['m.yaml'], given, context));
}

/** Waits for a run, and expects that its ending is `done`. */
export async function done<Run extends { readonly ending: string }>(running: Promise<Run>): Promise<Run> {
  const ran = await running;
  const printed = Object.values(ran).filter((value) => typeof value === 'string');
  expect(ran.ending, printed.join('\n')).toBe('done');
  return ran;
}
