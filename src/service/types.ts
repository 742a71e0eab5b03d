import type { JsonValue } from '../base/json.ts';
import type { Child } from '../kinds/children.ts';
import type { NamesById, Fact } from '../kinds/named.ts';

/** Why records of a kind cannot be looked up: the token may not, what answers does not offer it, or no answer came to data. */
export interface Unreadable {
  readonly why: 'denied' | 'not_offered' | 'unanswered';
  /** Of the answer; none where none came, or where `contract_only` asked nothing. */
  readonly status?: number;
}

/** Fields as the service holds them, of those that a request could have declared. */
export interface Held {
  /** To be compared with what is declared, and not to be shown. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** The same without the secrets that rollcall sends with each request; none where they hold none. */
  readonly shown?: Readonly<Record<string, JsonValue>>;
  /** What the service shows of the names of the ids in a field, without such secrets; where names are looked up. */
  readonly names?: Readonly<Record<string, NamesById>>;
}

/**
 * A record as the service holds it: its id, and the fields that a request could have declared. All else is dropped, because
 * it may hold secrets: `launch_url` has.
 */
export interface HeldRecord extends Held {
  readonly pk: string;
  /** The fields with null in place of each number that would be sent back as another; where there are such, and changes are possible. */
  readonly exact?: Readonly<Record<string, JsonValue>>;
  /** The policies, groups and users that are bound to it, where they were read. */
  readonly bindings?: readonly Child[];
  /** What it says about the records that are in it. */
  readonly facts?: readonly Fact[];
}
