import { haltEnding, type Halt, type StoppedRun } from './result.ts';
import type { Job } from './world.ts';

/** Ends a run before its plan or apply is complete, and reports why. */
export function stoppedRun(
  halt: Halt,
  { emit, signal }: Pick<Job, 'emit'> & { readonly signal?: AbortSignal },
): StoppedRun {
  emit({ kind: 'halted', halt });
  return { halt, ending: haltEnding(halt, signal) };
}
