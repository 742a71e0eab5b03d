import type { Change, Difference } from '../plan/plan.ts';
import type { JsonValue } from '../base/json.ts';
import type { Answer } from '../service/answer.ts';
import { isDenial } from '../service/denial.ts';

/** What happened to one planned resource. Each ends with exactly one of these. */
export const outcomeKinds = [
  /** We created it. */
  'created',
  /** It differed, and we changed it. */
  'updated',
  /** It was there, and we deleted it. */
  'deleted',
  /** We created or changed it, and could not do all of that: what is left to do is closed rather than open. */
  'unfinished',
  /** It is there; somebody else, or an earlier try of ours, created it. */
  'exists',
  /** It was there and as declared; nothing was to do. */
  'unchanged',
  /** It was there and differs; it is left unchanged. */
  'differs',
  /** The service refused its content. */
  'rejected',
  /** The token may not create or change it. */
  'denied',
  /** Its name is taken or reserved, by something that this token cannot see; or what was to be changed is no longer as it was planned for. */
  'conflict',
  /** The service may or may not have created or changed it. */
  'unknown',
  /** It was not created or changed, and nothing is wrong with it. */
  'not_attempted',
] as const;

export type OutcomeKind = (typeof outcomeKinds)[number];

/** Why nothing more is begun. */
export type StopReason =
  | 'interrupted'
  /** The token may not create resources of this type. */
  | 'denied'
  /** Too many changes of resources of this type were denied, one after the other. */
  | 'denials'
  /** The token may not say who may open something. */
  | 'access_denied'
  /** The licence of the service does not allow resources of this type to be created. */
  | 'read_only'
  /** An answer showed a wrong URL, a redirect, or that there is no way to the service. */
  | 'no_way'
  /** The service asks for a longer pause than is waited out. */
  | 'pause'
  /** The service is away, and did not come back while it was waited for. */
  | 'away'
  /** Too many resources in a row without a clear end. */
  | 'doubts'
  | 'fail_fast'
  /** The plan says what kept it from being planned. */
  | 'not_planned'
  /** It was asked for with both switches, and the plan says why it is left unchanged. */
  | 'left'
  /** A change that has to come first did not succeed. */
  | 'waits'
  /** What is to be deleted comes last, and something before it did not succeed. */
  | 'not_last'
  /** What it names was to be created first, and was not. */
  | 'unmade'
  /** Something was thrown that nobody foresaw. */
  | 'error';

/** What is known of a resource that a request may have created whose answer was lost or unclear. */
export type Doubt =
  /** It was looked up afterwards, and compared with what is declared. */
  | 'checked'
  /** It cannot be looked up: fields may be missing. */
  | 'unchecked';

/** Why what exists was not changed: it is no longer as it was planned for. */
export type Conflict =
  | { readonly kind: 'vanished' }
  /** Another record has its name. */
  | { readonly kind: 'replaced' }
  /**
   * `changed`: somebody else has changed these declared fields. `ignored`: the service took the request, and left them as they were.
   * With who may open it now, where that is declared.
   */
  | {
      readonly kind: 'changed' | 'ignored';
      readonly fields: readonly ChangedField[];
      readonly openTo?: readonly string[];
    }
  /** What became of it could not be read in the end. */
  | { readonly kind: 'unseen' }
  /** It became one that is not changed. */
  | { readonly kind: 'closed'; readonly why: string };

/** A declared field that is not as declared, as the plan saw it and as it is now; blanked out where people may not see it. */
export interface ChangedField {
  readonly field: string;
  readonly planned: JsonValue;
  readonly observed: JsonValue;
}

export interface Outcome {
  readonly change: Change;
  readonly outcome: OutcomeKind;
  /** The answer that decided it; none where nothing was sent, or where something was thrown before it was understood. */
  readonly answer?: Answer;
  /** With `exists`: an earlier request of this run may have created it, if only in part. With `updated`: its answer was unclear. */
  readonly doubt?: Doubt;
  /** The declared fields that have other values there: with `exists` and `differs` as they were found, with `created` as they came back. */
  readonly differences?: readonly Difference[];
  /** The field at which it went no further, where that is held beside the record. */
  readonly at?: string;
  /** With `conflict` and `unknown` of what was to be changed. */
  readonly clash?: Conflict;
  /** With `not_attempted`, where nothing was sent: why the run, this type of resource, or this one had stopped. */
  readonly stoppedBy?: StopReason;
  /** The id that the service gave; only with `created`, `updated` and `exists`, and not always known with `exists`. */
  readonly pk?: string;
  /** How many requests to create or to change it were sent. */
  readonly attempts: number;
  readonly durationMs: number;
}

/** What of an outcome decides whether anything is left to do. */
export type OutcomeFacts = Pick<Outcome, 'outcome' | 'doubt' | 'differences'>;

/** Whether there is more to do than this run did: to create the resource, or to check what it may have created in part. */
export function isIncomplete(outcome: OutcomeFacts): boolean {
  return isMissing(outcome) || isPartial(outcome);
}

/** Whether it is not there, or not whole, as far as is known. */
export function isMissing({ outcome }: Pick<Outcome, 'outcome'>): boolean {
  switch (outcome) {
    case 'created':
    case 'updated':
    case 'deleted':
    case 'exists':
    case 'unchanged':
    case 'differs':
      return false;
    case 'unfinished':
    case 'rejected':
    case 'denied':
    case 'conflict':
    case 'unknown':
    case 'not_attempted':
      return true;
  }
}

/** Whether this run created it, or may have, and not or perhaps not with all that is declared. */
export function isPartial({ outcome, doubt, differences = [] }: OutcomeFacts): boolean {
  if (doubt === 'unchecked') return true;
  return differences.length > 0 && (outcome === 'created' || doubt === 'checked');
}

/** Whether the token may not do it, or not the rest of what was begun. */
export function isDenied({ outcome, answer, clash }: Pick<Outcome, 'outcome' | 'answer' | 'clash'>): boolean {
  return outcome === 'denied' || (outcome === 'unfinished' && !clash && isDenial(answer));
}
