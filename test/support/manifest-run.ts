import type { Transport } from '../../src/service/transport.ts';
import type { Context } from '../../src/terminal/context.ts';
import { capture, type Setup } from './run.ts';
import { virtualClock } from './virtual-clock.ts';

export interface Ran {
  readonly ending: string;
  readonly stdout: string;
  readonly stderr: string;
  /** The written files, by name. */
  readonly written: ReadonlyMap<string, string>;
}

type Command = (paths: readonly string[], options: never, context: Context) => Promise<string>;

/** Runs a command on one manifest. */
export async function runOn(
  command: Command,
  send: Transport,
  text: string,
  options: object = {},
  setup: Setup = {},
): Promise<Ran> {
  const { context, stdout, stderr, written } = capture({
    url: 'https://id.example.com',
    clock: virtualClock(),
    transport: send,
    ...setup,
    files: { 'm.yaml': text, ...setup.files },
  });
  const given = { output: 'text', yes: true, ...options } as never; // each test passes options that the command accepts
  const ending = await command(['m.yaml'], given, context);
  return { ending, stdout: stdout(), stderr: stderr(), written };
}
