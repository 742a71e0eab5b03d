import type { Clock, Random } from '../../src/base/clock.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import type { Files } from '../../src/base/files.ts';
import { apply } from '../../src/commands/apply.ts';
import type { Transport } from '../../src/service/transport.ts';
import type { Context } from '../../src/terminal/context.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A run of `rollcall apply` with the production code from the command down. */
export interface Launch {
  /** The number of steps until the run is killed or interrupted, and until a second interruption. */
  readonly killAfter?: number | undefined;
  readonly interruptAfter?: number | undefined;
  readonly insistAfter?: number | undefined;
  readonly ignoresInterruption?: boolean | undefined;
  readonly env: Context['env'];
  readonly files: Files;
  readonly options: Parameters<typeof apply>[1];
  readonly time: VirtualTime;
  readonly random: Random;
  readonly clock?: ((clock: Clock) => Clock) | undefined;
  /** `step` is called after a request is sent and before an answer arrives. */
  readonly network: (isDead: () => boolean, step: () => void) => Transport;
  readonly ask?: ((isDead: () => boolean) => NonNullable<Context['ask']>) | undefined;
  readonly onStop: (how: 'interrupted' | 'insisted' | 'killed') => void;
  readonly onEnd: (ending: Ending, output: { readonly stdout: string; readonly stderr: string }) => void;
  readonly onCrash: (error: string) => void;
}

export function launch(launched: Launch): void {
  const { killAfter, interruptAfter, insistAfter, onStop, time, ask } = launched;
  let steps = 0;
  let dead = false;
  const interruption = new AbortController();
  leftovers.add(interruption);
  const urgency = new AbortController();
  const isDead = (): boolean => dead;
  /** Between two steps, everything happens at one moment of virtual time. So a run can be stopped only at a step. */
  const step = (): void => {
    steps += 1;
    if (steps === interruptAfter) {
      onStop('interrupted');
      if (!launched.ignoresInterruption) interruption.abort('SIGINT');
    }
    if (steps === (interruptAfter ?? 0) + (insistAfter ?? 0) && insistAfter !== undefined) {
      onStop('insisted');
      urgency.abort('SIGINT');
    }
    if (steps !== killAfter) return;
    dead = true;
    onStop('killed');
  };
  const send = launched.network(isDead, step);
  const output = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof output): Context['stderr'] => ({
    write: (text) => void (output[name] += text),
    isTerminal: false,
    colours: false,
  });
  const clock = time.clock(isDead);
  const context: Context = {
    env: launched.env,
    files: launched.files,
    clock: launched.clock?.(clock) ?? clock,
    random: launched.random,
    writeReport: async () => {},
    writePrivateFile: async () => {},
    createFile: async () => true,
    createPrivateFiles: async () => [],
    appendFile: async () => {},
    stdout: { ...stream('stdout'), isLost: async () => false },
    stderr: stream('stderr'),
    connect: async () => ({ send, close: async () => {} }),
    interruptible: () => ({ signal: interruption.signal, urgent: urgency.signal }),
    toolVersion: '0',
    ...(ask && { ask: ask(isDead) }),
  };
  const run = async (): Promise<void> => {
    try {
      launched.onEnd(await apply(['m.yaml'], launched.options, context), output);
    } catch (error) {
      launched.onCrash(String(error));
    }
  };
  void run();
}

/** The runs of a seed. Killed runs wait forever. */
const leftovers = new Set<AbortController>();

/** Releases the remaining runs of a seed, because a signal with listeners is never freed. */
export function clearRuns(): void {
  for (const interruption of leftovers) interruption.abort('the seed has ended');
  leftovers.clear();
}
