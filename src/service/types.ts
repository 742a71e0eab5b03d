import type { JsonValue } from '../base/json.ts';

/** Fields as the service holds them, of those that a request could have declared. */
export interface Held {
  /** To be compared with what is declared, and not to be shown. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** The same without the secrets that rollcall sends with each request; none where they hold none. */
  readonly shown?: Readonly<Record<string, JsonValue>>;
}

/**
 * A record as the service holds it: its id, and the fields that a request could have declared.
 * Whatever else the service answers is dropped where it is read, `launch_url` above all: it has leaked secrets.
 */
export interface HeldRecord extends Held {
  readonly pk: string;
}
