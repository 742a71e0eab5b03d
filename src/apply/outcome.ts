import type { Change, Difference } from '../plan/plan.ts';
import type { JsonValue } from '../base/json.ts';
import type { Answer } from '../service/answer.ts';
import { isDenial } from '../service/denial.ts';

/** The outcome of one planned resource. Each ends with exactly one. */
export const outcomeKinds = [
  'created',
  'updated',
  'deleted',
  /** Created or changed by this run, but not completely. The missing part makes access stricter, not wider. */
  'unfinished',
  /** It exists: created by somebody else, or by an earlier request of this run. */
  'exists',
  'unchanged',
  /** It exists and differs, and was not changed. */
  'differs',
  'rejected',
  'denied',
  /** The name is taken by a record that the token cannot see, or reserved; or the record has changed since the plan. */
  'conflict',
  'unknown',
  /** Nothing was sent, or nothing had an effect. */
  'not_attempted',
] as const;

export type OutcomeKind = (typeof outcomeKinds)[number];

/** Why a change was not started. */
export type StopReason =
  | 'interrupted'
  | 'denied'
  /** Too many changes of this type in a row were denied. */
  | 'denials'
  /** The token may not change bindings. */
  | 'access_denied'
  /** The service's licence does not allow creating resources of this type. */
  | 'read_only'
  /** A wrong URL, a redirect, or an unreachable service. */
  | 'no_way'
  /** The service asks for a longer pause than rollcall waits. */
  | 'pause'
  /** The service is down, and did not come back in time. */
  | 'away'
  /** Too many resources in a row ended with an unknown outcome. */
  | 'doubts'
  | 'fail_fast'
  | 'not_planned'
  /** The plan has the reason why the change cannot be made. */
  | 'left'
  /** A change that it depends on failed. */
  | 'waits'
  /** It comes last, as deletes do, and a change before it failed. */
  | 'not_last'
  /** A resource that it refers to was not created. */
  | 'unmade'
  | 'error';

/** What is known after a lost or unclear answer. */
export type Doubt =
  /** The record was read afterwards and compared with the declaration. */
  | 'checked'
  /** It cannot be read: fields may be missing. */
  | 'unchecked';

/** Why an existing record was not changed: it differs from the plan. */
export type Conflict =
  | { readonly kind: 'vanished' }
  | { readonly kind: 'replaced' }
  /**
   * `changed`: somebody else has changed these declared fields. `ignored`: the service accepted the request without changing
   * them. Includes the bindings where they are declared.
   */
  | {
      readonly kind: 'changed' | 'ignored';
      readonly fields: readonly ChangedField[];
      readonly openTo?: readonly string[];
    }
  /** Its final state could not be read. */
  | { readonly kind: 'unseen' }
  /** Its new state forbids the change. */
  | { readonly kind: 'closed'; readonly why: string };

/** A declared field with another value: as the plan saw it and as it is now, with secrets masked. */
export interface ChangedField {
  readonly field: string;
  readonly planned: JsonValue;
  readonly observed: JsonValue;
}

export interface Outcome {
  readonly change: Change;
  readonly outcome: OutcomeKind;
  /** The decisive answer; undefined if nothing was sent, or an exception came first. */
  readonly answer?: Answer;
  /** With `exists`: an earlier request of this run may have created it, perhaps in part. With `updated`: its answer was unclear. */
  readonly doubt?: Doubt;
  /** Declared fields with other values: as found with `exists` and `differs`, as returned with `created`. */
  readonly differences?: readonly Difference[];
  /** The field whose bindings failed. */
  readonly at?: string;
  readonly clash?: Conflict;
  /** With `not_attempted`, if nothing was sent. */
  readonly stoppedBy?: StopReason;
  /** The id; only with `created`, `updated` and `exists`, and not always known with `exists`. */
  readonly pk?: string;
  /** The number of write requests. */
  readonly attempts: number;
  readonly durationMs: number;
}

/** The part of an outcome that decides whether work is left. */
export type OutcomeFacts = Pick<Outcome, 'outcome' | 'doubt' | 'differences'>;

/** Whether work is left: to create the resource, or to check one that was perhaps created in part. */
export function isIncomplete(outcome: OutcomeFacts): boolean {
  return isMissing(outcome) || isPartial(outcome);
}

/** Whether the resource is absent or incomplete, as far as is known. */
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

/** Whether this run created it, or may have, but perhaps not with all declared fields. */
export function isPartial({ outcome, doubt, differences = [] }: OutcomeFacts): boolean {
  if (doubt === 'unchecked') return true;
  return differences.length > 0 && (outcome === 'created' || doubt === 'checked');
}

/** Whether the token lacks a permission for the change or for a part of it. */
export function isDenied({ outcome, answer, clash }: Pick<Outcome, 'outcome' | 'answer' | 'clash'>): boolean {
  return outcome === 'denied' || (outcome === 'unfinished' && !clash && isDenial(answer));
}
