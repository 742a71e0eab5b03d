import { destinationOf } from '../settings/service-settings.ts';
import type { Service } from './connect.ts';
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

/** There is no plan, because the run was interrupted while it read what the plan needs. */
export function interruptedHalt({ settings }: Pick<Service, 'settings'>): Halt {
  return { kind: 'unread', failures: [], notRead: 0, interrupted: true, ...destinationOf(settings) };
}
