import type { LostLogin } from '../apply/login-check.ts';
import { isDenied, isIncomplete, type Outcome, type OutcomeFacts } from '../apply/outcome.ts';
import type { Destination } from '../base/destination.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { endingOfInterrupt, type Ending, type InterruptSignal } from '../base/exit-code.ts';
import type { FailedRead } from '../observe/read-children.ts';
import type { UnresolvedName } from '../observe/resolve-names.ts';
import type { Plan } from '../plan/plan.ts';
import type { Pace } from '../service/types.ts';

/** The result of a job, for its reports, with the service if it is known. */
export interface JobResult<Result> extends Partial<Destination> {
  /** Without a result, the halt or the diagnostics contain the reason. */
  readonly result?: Result;
  readonly halt?: Halt;
  readonly diagnostics: readonly Diagnostic[];
  readonly filenames: readonly string[];
}

export interface FinishedJob<Result> extends JobResult<Result> {
  readonly ending: Ending;
}

export type RunResult<Result> = Pick<FinishedJob<Result>, 'result' | 'halt' | 'ending'>;

export type StoppedRun = Required<Pick<FinishedJob<never>, 'halt' | 'ending'>>;

/** The reason why a job stops before it changes anything, although settings and manifests are valid. */
export type Halt =
  /** There is no plan, because some resources could not be looked up or the run was interrupted. */
  | (Destination & {
      readonly kind: 'unread';
      readonly failures: readonly FailedRead[];
      readonly notRead: number;
      readonly interrupted: boolean;
    })
  /** There is no plan, because some names have no id or could not be looked up. */
  | (Destination & {
      readonly kind: 'unresolved';
      readonly names: readonly UnresolvedName[];
      /** Problems that appear only after names are replaced by ids, such as two names for the same provider. */
      readonly diagnostics: readonly Diagnostic[];
      readonly notRead: number;
      readonly interrupted: boolean;
      /** Whether the names come from a saved plan and had ids when the plan was made. */
      readonly isStale: boolean;
    })
  | { readonly kind: 'too_many'; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'not_confirmed' }
  /** The saved plan must not be applied at all, or not to this service. */
  | { readonly kind: 'refused'; readonly isStale: boolean; readonly diagnostics: readonly Diagnostic[] }
  /** The saved plan differs from a plan made now. The details contain values from the service. */
  | { readonly kind: 'stale'; readonly diagnostics: readonly Diagnostic[] };

/** Returns the exit code of a stopped job; `signal` is the signal that interrupted it, if any. */
export function haltEnding(halt: Halt, signal?: AbortSignal): Ending {
  switch (halt.kind) {
    case 'unread':
      if (signal && halt.interrupted) return endingOfInterrupt(signal);
      return halt.failures.some(({ proof }) => proof === 'denied') ? 'denied' : 'failed';
    case 'unresolved':
      return unresolvedEnding(halt, signal);
    case 'not_confirmed':
      return signal?.aborted ? endingOfInterrupt(signal) : 'failed';
    case 'too_many':
      return 'failed';
    case 'refused':
      return halt.isStale ? 'stale' : 'invalid';
    case 'stale':
      return 'stale';
  }
}

function unresolvedEnding(
  { names, notRead, interrupted, isStale }: Extract<Halt, { kind: 'unresolved' }>,
  signal?: AbortSignal,
): Ending {
  if (signal && interrupted) return endingOfInterrupt(signal);
  const unread = names.flatMap(({ fault }) => (fault.kind === 'unread' ? [fault.proof] : []));
  if (unread.includes('denied')) return 'denied';
  if (unread.length > 0 || notRead > 0) return 'failed';
  return isStale ? 'stale' : 'invalid';
}

export interface ApplyRun {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** The signal that interrupted the run, unless a program interrupted it. */
  readonly interruptedBy?: InterruptSignal;
  readonly pace: Pace;
  readonly saved: boolean;
  /** Login flows that people could start before the apply, and whose check after the apply did not succeed. */
  readonly lostLogins?: readonly LostLogin[];
  readonly error?: Error;
}

/** Returns the ending of an apply that was not interrupted. */
export function applyEnding(
  outcomes: readonly (OutcomeFacts & Pick<Outcome, 'answer' | 'clash'>)[],
  lostLogins: readonly LostLogin[] = [],
): Ending {
  if (outcomes.some((outcome) => isDenied(outcome))) return 'denied';
  if (lostLogins.length > 0) return 'incomplete';
  return outcomes.some((outcome) => isIncomplete(outcome)) ? 'incomplete' : 'done';
}
