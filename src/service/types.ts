import type { JsonValue } from '../base/json.ts';
import type { Child, Children } from '../kinds/children.ts';
import type { NamesById } from '../kinds/named.ts';
import type { ReferenceFact } from '../kinds/reference-facts.ts';

/** Ids for which it is unknown whether the record exists. */
export interface UnseenIds {
  readonly count: number;
  /** Why the reads failed, or undefined if they succeeded without showing the records to this token. */
  readonly unread?: UnreadableReason;
}

export interface UnreadableReason {
  readonly why: 'denied' | 'not_offered' | 'unanswered';
  /** The status of the answer, if the request was sent and answered. */
  readonly status?: number;
  /** How the request failed without a complete answer, if that is known. */
  readonly lost?: 'timed_out' | 'closed';
}

export interface ObservedValues {
  /** The values to compare with the manifest. These values must not be printed. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** The fields with rollcall's own secrets redacted, if they contain any. */
  readonly shown?: Readonly<Record<string, JsonValue>>;
  /** The names for the ids in each field, with secrets redacted, if names are looked up. */
  readonly names?: Readonly<Record<string, NamesById>>;
}

/** A record with its id and the fields that a manifest could declare. Other fields, such as `launch_url`, may contain secrets. */
export interface ObservedRecord extends ObservedValues {
  readonly pk: string;
  /** The fields with null in place of each number that JSON.parse rounds, if there is such a number and updates are enabled. */
  readonly exact?: Readonly<Record<string, JsonValue>>;
  /** The id to which policies are bound, if it is not the `pk`. */
  readonly bindable?: string;
  readonly bound?: ReadonlyMap<Children, readonly Child[]>;
  readonly facts?: readonly ReferenceFact[];
  /** True for a user with a superuser's rights, even if the account is not active. */
  readonly isSuperuser?: true;
}

export interface Pace {
  /** The number of requests that may run concurrently now, and the configured maximum. */
  readonly limit: number;
  readonly ceiling: number;
  readonly requests: number;
  readonly retries: number;
  /** The average rate from the first answer to the last. */
  readonly requests_per_second: number;
}
