import type { JsonValue } from '../base/json.ts';
import type { Application, User } from '../kinds/resource.ts';

/** The three operations that the service documents. */
export type Operation = 'retrieveApplication' | 'createApplication' | 'createUser';

/** Fields as the service holds them, of those that a request could have declared. */
export interface Held {
  /** To be compared with what is declared, and not to be shown. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** The same without the secrets that rollcall sends with each request; none where they hold none. */
  readonly shown?: Readonly<Record<string, JsonValue>>;
}

/**
 * An application as the service holds it: its id, and the fields that a request could have declared.
 * Whatever else the service answers is dropped where it is read, `launch_url` above all: it has leaked secrets.
 */
export interface ObservedApplication extends Held {
  readonly pk: string;
  readonly slug: string;
}

/** The body of a create request: the declared fields, and nothing else. */
export type ApplicationRequest = Readonly<Application>;
export type UserRequest = Readonly<User>;
