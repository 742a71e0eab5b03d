import type { Change, Difference } from '../plan/plan.ts';
import type { JsonValue } from '../base/json.ts';
import type { Answer } from '../service/answer.ts';
import { isDenial } from '../service/denial.ts';

/** For each outcome, whether the resource is missing or incomplete, as far as the run knows. */
const missing = {
  created: false,
  updated: false,
  deleted: false,
  /** This run created or changed the resource, but not completely. The missing changes would extend access, not restrict it. */
  unfinished: true,
  /** The record exists, because somebody else or an earlier request of this run created it. */
  exists: false,
  unchanged: false,
  differs: false,
  rejected: true,
  denied: true,
  /** The name is reserved or belongs to a record that the token cannot see, or the record has changed since the plan was made. */
  conflict: true,
  unknown: true,
  /** Nothing was sent, or no request had an effect. */
  not_attempted: true,
};

export type OutcomeKind = keyof typeof missing;

// Object.keys returns the keys of the table as strings.
export const outcomeKinds: readonly OutcomeKind[] = Object.keys(missing) as OutcomeKind[];

/** Why nothing was sent. The words for each reason are in report/words/outcomes.ts. */
export type StopReason =
  | 'interrupted'
  | 'denied'
  | 'denials'
  | 'token_refused'
  | 'access_denied'
  | 'read_only'
  | 'no_way'
  | 'pause'
  | 'away'
  | 'doubts'
  | 'fail_fast'
  | 'not_planned'
  | 'left'
  | 'waits'
  | 'not_last'
  | 'unmade'
  | 'error';

export type Doubt =
  /** The record was read after the unclear answer and compared with the manifest. */
  | 'checked'
  /** The record cannot be read, so some fields may be missing. */
  | 'unchecked'
  /** The record was created, but the token cannot see it. */
  | 'hidden';

/** The reason why an existing record was not changed: the record no longer matches the plan. */
export type Conflict =
  | { readonly kind: 'vanished' }
  | { readonly kind: 'replaced' }
  /** Declared fields or bindings that somebody else has changed (`changed`), or that the service left unchanged (`ignored`). */
  | {
      readonly kind: 'changed' | 'ignored';
      readonly fields: readonly ChangedField[];
      readonly openTo?: readonly string[];
    }
  | { readonly kind: 'unseen' }
  /** The record is in a state in which it must not be changed. */
  | { readonly kind: 'refused'; readonly why: string };

/** A declared field whose value has changed since the plan was made, with the planned and the current value. Secrets are masked. */
export interface ChangedField {
  readonly field: string;
  readonly planned: JsonValue;
  readonly observed: JsonValue;
}

export interface Outcome {
  readonly change: Change;
  readonly outcome: OutcomeKind;
  /** The answer that decided the outcome, unless nothing was sent or an exception occurred first. */
  readonly answer?: Answer | undefined;
  /** Set if an earlier request of this run may have created the record, if the answer to an update was unclear, or if a new record is hidden. */
  readonly doubt?: Doubt | undefined;
  /** The declared fields whose values in the service differ from the manifest. For `created`, these are the values in the answer to the create. */
  readonly differences?: readonly Difference[] | undefined;
  /** The declared fields that neither the answer to the create nor a look-up shows, for `created`. */
  readonly notCompared?: readonly string[] | undefined;
  readonly at?: string | undefined;
  readonly clash?: Conflict | undefined;
  /** The reason why nothing was sent, if the outcome is `not_attempted`. */
  readonly stoppedBy?: StopReason | undefined;
  /** The id of the record, for `created` and `updated`, and for `exists` if the id is known. */
  readonly pk?: string | undefined;
  readonly attempts: number;
  readonly durationMs: number;
}

export type OutcomeFacts = Pick<Outcome, 'outcome' | 'doubt' | 'differences'>;

/** Whether somebody still has to create the resource, or to check whether it was created completely. */
export function isIncomplete(outcome: OutcomeFacts): boolean {
  return isMissing(outcome) || isPartial(outcome);
}

export function isMissing({ outcome }: Pick<Outcome, 'outcome'>): boolean {
  return missing[outcome];
}

/** Whether other resources may refer to the resource: it is complete, and no other record than the plan shows. */
export function isReliable(outcome: OutcomeFacts): boolean {
  const { outcome: kind, differences = [] } = outcome;
  return !isMissing(outcome) && !(kind === 'exists' && differences.length > 0);
}

/** Whether this run created the resource, or may have created it, perhaps without some declared fields, or hidden from the token. */
export function isPartial({ outcome, doubt, differences = [] }: OutcomeFacts): boolean {
  if (doubt === 'unchecked' || doubt === 'hidden') return true;
  return differences.length > 0 && (outcome === 'created' || doubt === 'checked');
}

/** Whether the token has no permission for the change or for a part of it. */
export function isDenied({ outcome, answer, clash }: Pick<Outcome, 'outcome' | 'answer' | 'clash'>): boolean {
  const isAnswerCause = clash === undefined || clash.kind === 'unseen';
  return outcome === 'denied' || (outcome === 'unfinished' && isAnswerCause && isDenial(answer));
}
