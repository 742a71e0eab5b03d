import type { JsonValue } from '../base/json.ts';
import type { NamesById, Fact } from '../kinds/named.ts';

/** Why records of a kind cannot be looked up: the token may not, what answers does not offer it, or no answer came to data. */
export interface Unreadable {
  readonly why: 'denied' | 'not_offered' | 'unanswered';
  /** Of the answer; none where none came, or where `contract_only` asked nothing. */
  readonly status?: number;
}

/** What lets a group or user open a record, or is a policy that decides on it. */
export interface Binding {
  readonly pk: string;
  /** Whom it lets in, by the field and the id in it; a policy has none. */
  readonly field?: string;
  readonly id?: JsonValue;
  readonly name?: string;
  /** Whether it lets somebody in: a disabled or negated one, or one of a policy, is the business of others. */
  readonly isCounted: boolean;
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
  /** Who may open it, where that was read. */
  readonly bindings?: readonly Binding[];
  /** What it says about the records that are in it. */
  readonly facts?: readonly Fact[];
}
