import type { Diagnostic } from '../base/diagnostic.ts';
import type { Release } from '../kinds/release.ts';
import type { LoadedManifests } from '../manifest/load-manifests.ts';
import type { LaterField } from '../observe/later-fields.ts';
import type { ListReport } from '../observe/read-lists.ts';
import type { Plan } from '../plan/plan.ts';
import type { Answer } from '../service/answer.ts';
import type { OutageEvent } from '../service/outage.ts';
import type { Pause } from '../service/pacing.ts';
import type { Pace } from '../service/types.ts';
import type { LoggedRequest } from '../service/request-log.ts';
import type { ApplyRun, Halt } from './result.ts';

export type RunEvent =
  /** Settings and manifests were read; if they contain an error, the run ends. */
  | {
      readonly kind: 'checked';
      readonly isValid: boolean;
      readonly manifests: LoadedManifests;
    }
  | { readonly kind: 'warned'; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'later_release'; readonly release: Release }
  /** Some declared fields do not exist in the service's release, so these fields are neither looked up nor sent. */
  | { readonly kind: 'later_fields'; readonly release: Release; readonly fields: readonly LaterField[] }
  /** The number of finished items in a stage, which is 0 when the stage starts. */
  | {
      readonly kind: 'progress';
      readonly stage: 'looking_up' | 'creating';
      readonly done: number;
      readonly total: number;
      readonly pace: Pace;
    }
  | { readonly kind: 'listed'; readonly news: ListReport }
  | { readonly kind: 'inventoried' }
  | { readonly kind: 'planned'; readonly plan: Plan }
  | { readonly kind: 'finished'; readonly run: ApplyRun }
  | { readonly kind: 'retry'; readonly answer: Answer }
  | { readonly kind: 'outage'; readonly news: OutageEvent }
  /** The service demands a pause, which may be longer than rollcall accepts. */
  | (Pause & { readonly kind: 'pause' })
  | { readonly kind: 'request'; readonly request: LoggedRequest }
  /** The user interrupted while changes were made; requests under way are completed. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'halted'; readonly halt: Halt };
