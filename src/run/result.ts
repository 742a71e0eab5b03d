import type { Outcome } from '../apply/outcome.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import type { Plan } from '../plan/plan.ts';
import type { Pace } from '../service/pace.ts';

/** How a command ended, for its reports. */
export interface Ended<Result> {
  /** None when it came to no result; the diagnostics say why. */
  readonly result?: Result;
  readonly diagnostics: readonly Diagnostic[];
  /** The manifests that were read. */
  readonly filenames: readonly string[];
  /** The base URL of the service, where it is known. */
  readonly service?: string;
}

/** A run of apply, ended. */
export interface ApplyRun {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** How the requests of the run went, the reads of its plan among them. */
  readonly pace: Pace;
  /** Whether the plan was one that had been saved. */
  readonly saved: boolean;
}
