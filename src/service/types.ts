import type { JsonValue } from '../base/json.ts';
import type { Child, Children } from '../kinds/children.ts';
import type { NamesById, ReferenceFact } from '../kinds/named.ts';

export interface Unreadable {
  readonly why: 'denied' | 'not_offered' | 'unanswered';
  /** The status of the answer; undefined if none came, or if `contract_only` withheld the request. */
  readonly status?: number;
}

/** Fields of a record, limited to those that a request could have declared. */
export interface ObservedValues {
  /** For comparison with the declaration, not to be shown. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** The fields with rollcall's own secrets redacted; undefined if there is nothing to redact. */
  readonly shown?: Readonly<Record<string, JsonValue>>;
  /** The names of the ids in a field, redacted; only if names are looked up. */
  readonly names?: Readonly<Record<string, NamesById>>;
}

/**
 * A record of the service: its id, and the fields that a request could have declared. Others are dropped, because they may contain
 * secrets: `launch_url` does.
 */
export interface ObservedRecord extends ObservedValues {
  readonly pk: string;
  /** The fields with null for each number that JSON.parse rounds; undefined if there is none, or if updates are not enabled. */
  readonly exact?: Readonly<Record<string, JsonValue>>;
  /** The id for policy bindings, if it is not the `pk`. */
  readonly bindable?: string;
  /** The bindings, if they were read. */
  readonly bound?: ReadonlyMap<Children, readonly Child[]>;
  /** Facts about nested records. */
  readonly facts?: readonly ReferenceFact[];
}
