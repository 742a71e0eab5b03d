import type { JsonValue } from '../base/json.ts';
import type { Child, Children } from '../kinds/children.ts';
import type { NamesById, ReferenceFact } from '../kinds/named.ts';

export interface Unreadable {
  readonly why: 'denied' | 'not_offered' | 'unanswered';
  /** The status of the answer; undefined if none came, or if `contract_only` withheld the request. */
  readonly status?: number;
}

/** Fields of a record, limited to those that a request could have declared. */
export interface Held {
  /** For comparison with the declaration, not to be shown. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** The same without the secrets that rollcall sends with each request; undefined if there are none. */
  readonly shown?: Readonly<Record<string, JsonValue>>;
  /** The names of the ids in a field, redacted; only if names are looked up. */
  readonly names?: Readonly<Record<string, NamesById>>;
}

/**
 * A record of the service: its id, and the fields that a request could have declared. Others are dropped, because they may contain
 * secrets: `launch_url` does.
 */
export interface HeldRecord extends Held {
  readonly pk: string;
  /** The fields with null for each number that would be sent back changed; undefined if there is none, or if changes are not possible. */
  readonly exact?: Readonly<Record<string, JsonValue>>;
  /** The id by which policies are bound to it, if that is not its `pk`. */
  readonly bindable?: string;
  /** What is bound to it, if it was read. */
  readonly bound?: ReadonlyMap<Children, readonly Child[]>;
  /** Facts about the records inside it. */
  readonly facts?: readonly ReferenceFact[];
}
