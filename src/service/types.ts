import type { JsonValue } from '../base/json.ts';
import type { Child, Children } from '../kinds/children.ts';
import type { NamesById, ReferenceFact } from '../kinds/named.ts';

export interface Unreadable {
  readonly why: 'denied' | 'not_offered' | 'unanswered';
  /** The status of the answer. Undefined if no answer arrived, or if `contract_only` prevented the request. */
  readonly status?: number;
}

/** Fields of a record, limited to those that a manifest could declare. */
export interface ObservedValues {
  /** For comparison with the manifest. Must not be printed. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** The fields with rollcall's own secrets redacted. Undefined if they contain none. */
  readonly shown?: Readonly<Record<string, JsonValue>>;
  /** The names of the ids in each field, with secrets redacted. Only if names are looked up. */
  readonly names?: Readonly<Record<string, NamesById>>;
}

/**
 * A record of the service: its id, and the fields that a manifest could declare. All others are dropped because they may contain
 * secrets, as `launch_url` does.
 */
export interface ObservedRecord extends ObservedValues {
  readonly pk: string;
  /**
   * The fields with null in place of each number that JSON.parse rounds. Undefined if there is none, or if updates are not
   * enabled.
   */
  readonly exact?: Readonly<Record<string, JsonValue>>;
  /** The id to which policies are bound, if it is not the `pk`. */
  readonly bindable?: string;
  readonly bound?: ReadonlyMap<Children, readonly Child[]>;
  readonly facts?: readonly ReferenceFact[];
}
