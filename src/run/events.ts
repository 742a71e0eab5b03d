import type { Outcome } from '../apply/outcome.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import type { Release } from '../kinds/release.ts';
import type { LoadedManifests } from '../manifest/load-manifests.ts';
import type { LaterField } from '../observe/later-fields.ts';
import type { ListNews } from '../observe/read-lists.ts';
import type { Pending, Plan } from '../plan/plan.ts';
import type { Answer } from '../service/answer.ts';
import type { OutageNews } from '../service/outage.ts';
import type { Pace } from '../service/pace.ts';
import type { LoggedRequest } from '../service/request-log.ts';
import type { ApplyRun, Halt } from './result.ts';

/** Something that happens in a job. */
export type RunEvent =
  /** Settings and manifests were read. What is not valid ends the run. */
  | {
      readonly kind: 'checked';
      readonly isValid: boolean;
      readonly manifests: LoadedManifests;
    }
  /** What the release of the service makes of the manifests; what is wrong is not among it. */
  | { readonly kind: 'warned'; readonly diagnostics: readonly Diagnostic[] }
  /** The service is of a later release than rollcall knows. */
  | { readonly kind: 'later_release'; readonly release: Release }
  /** What is declared in fields that the release of the service does not have: it is neither looked up nor sent. */
  | { readonly kind: 'later_fields'; readonly release: Release; readonly fields: readonly LaterField[] }
  /** So many of a stage are done; none at its beginning. */
  | {
      readonly kind: 'progress';
      readonly stage: 'looking_up' | 'creating';
      readonly done: number;
      readonly total: number;
      readonly pace: Pace;
    }
  /** How the resources of a kind were read of which there is a list. */
  | { readonly kind: 'listed'; readonly news: ListNews }
  /** All of a kind was read that can be. */
  | { readonly kind: 'inventoried' }
  | { readonly kind: 'planned'; readonly plan: Plan }
  /** The first request for a change is about to be sent. */
  | { readonly kind: 'started'; readonly change: Pending }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** All that was to be created has its outcome. */
  | { readonly kind: 'finished'; readonly run: ApplyRun }
  /** Something is tried again after this answer. */
  | { readonly kind: 'retry'; readonly answer: Answer }
  | { readonly kind: 'outage'; readonly news: OutageNews }
  /** The service asks for a pause, which may be too long to wait out. */
  | {
      readonly kind: 'pause';
      readonly milliseconds: number;
      readonly answer: Answer;
      readonly isTooLong: boolean;
    }
  /** Only where the job `emitsRequests`. */
  | { readonly kind: 'request'; readonly request: LoggedRequest }
  /** The user interrupts while resources are created; what is under way is settled. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'halted'; readonly halt: Halt };
