import { isDenied, isIncomplete, type Outcome, type OutcomeFacts } from '../apply/outcome.ts';
import type { Destination } from '../base/destination.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { interruptedBy, type Ending, type InterruptSignal } from '../base/exit-code.ts';
import type { Kind } from '../kinds/kind.ts';
import type { FailedRead } from '../observe/read-children.ts';
import type { UnresolvedName } from '../observe/resolve-names.ts';
import type { Plan } from '../plan/plan.ts';
import type { StaleChange } from '../plan/staleness.ts';
import type { Pace } from '../service/pace.ts';

/** What came of a job, for its reports; and which service it was about, as far as that is known. */
export interface Ended<Result> extends Partial<Destination> {
  /** None when it came to no result; the halt or the diagnostics say why. */
  readonly result?: Result;
  /** Why it went no further. */
  readonly halt?: Halt;
  /** What is wrong with settings and manifests. */
  readonly diagnostics: readonly Diagnostic[];
  /** The manifests that were read. */
  readonly filenames: readonly string[];
}

/** What came of a job, and its exit code. */
export interface Ran<Result> extends Ended<Result> {
  readonly ending: Ending;
}

/** The same, without what was known before. */
export type Course<Result> = Pick<Ran<Result>, 'result' | 'halt' | 'ending'>;

/** What came of a job that went no further. */
export type Halted = Required<Pick<Ran<never>, 'halt' | 'ending'>>;

/** Why a job goes no further, though settings and manifests are valid. Nothing was created or changed. */
export type Halt =
  /** Some resources could not be looked up, or the run was interrupted meanwhile: there is no plan. */
  | (Destination & {
      readonly kind: 'unread';
      readonly failures: readonly FailedRead[];
      /** How many resources were not tried. */
      readonly notRead: number;
      readonly interrupted: boolean;
    })
  /** Some names that stand in place of ids have none, or could not be looked up: there is no plan. */
  | (Destination & {
      readonly kind: 'unresolved';
      readonly names: readonly UnresolvedName[];
      /** What the ids show that the names did not: two names of one provider. */
      readonly diagnostics: readonly Diagnostic[];
      /** How many names were not looked up. */
      readonly notRead: number;
      readonly interrupted: boolean;
      /** Whether it is a saved plan that names them: they had ids when it was made. */
      readonly isStale: boolean;
    })
  | {
      readonly kind: 'too_many_creates';
      readonly count: number;
      readonly most: number;
      /** The kinds of those that were not looked up. */
      readonly unseen: ReadonlySet<Kind>;
    }
  | { readonly kind: 'too_many_updates'; readonly count: number; readonly most: number }
  | {
      readonly kind: 'too_many_deletes';
      readonly count: number;
      readonly most: number;
      /** The kind of which it would be too many, and how many there are of that. */
      readonly of?: { readonly kind: Kind; readonly count: number };
    }
  | { readonly kind: 'not_confirmed' }
  /** A saved plan must not be applied, or not here. */
  | { readonly kind: 'refused'; readonly isStale: boolean; readonly diagnostics: readonly Diagnostic[] }
  /** A plan made anew shows something otherwise than the saved plan. */
  | { readonly kind: 'stale'; readonly changes: readonly StaleChange[] };

/** The exit code of a job that goes no further; the signal is that of its interruption, where it can be interrupted. */
export function haltEnding(halt: Halt, signal?: AbortSignal): Ending {
  switch (halt.kind) {
    case 'unread':
      if (signal && halt.interrupted) return interruptedBy(signal);
      return halt.failures.some(({ proof }) => proof === 'denied') ? 'denied' : 'failed';
    case 'unresolved':
      return unresolvedEnding(halt, signal);
    case 'not_confirmed':
      return signal?.aborted ? interruptedBy(signal) : 'failed';
    case 'too_many_creates':
    case 'too_many_updates':
    case 'too_many_deletes':
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
  if (signal && interrupted) return interruptedBy(signal);
  const unread = names.flatMap(({ fault }) => (fault.kind === 'unread' ? [fault.proof] : []));
  if (unread.includes('denied')) return 'denied';
  if (unread.length > 0 || notRead > 0) return 'failed';
  return isStale ? 'stale' : 'invalid';
}

/** A run of apply, ended. */
export interface ApplyRun {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** Where it was interrupted by a signal, and not by a program. */
  readonly interruptedBy?: InterruptSignal;
  /** How the requests of the run went, the reads of its plan among them. */
  readonly pace: Pace;
  /** Whether the plan was one that had been saved. */
  readonly saved: boolean;
  /** What was thrown that nobody foresaw; from then on nothing more was begun. */
  readonly error?: Error;
}

/** How an apply ended that was not interrupted, or several that are reported as one. */
export function applyEnding(outcomes: readonly (OutcomeFacts & Pick<Outcome, 'answer' | 'clash'>)[]): Ending {
  if (outcomes.some((outcome) => isDenied(outcome))) return 'denied';
  return outcomes.some((outcome) => isIncomplete(outcome)) ? 'incomplete' : 'done';
}
