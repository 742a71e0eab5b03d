import type { JsonValue } from '../base/json.ts';
import type { NamesById, Fact } from '../kinds/named.ts';

/** Why records of a kind cannot be looked up: the token may not, or what answers does not offer it. */
export type Unreadable = 'denied' | 'not_offered';

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
  /** What it says about the records that are in it. */
  readonly facts?: readonly Fact[];
}
