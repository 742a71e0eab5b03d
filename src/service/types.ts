import type { JsonValue } from '../json.ts';
import type { Application, User } from '../resource.ts';

/** The three operations that the service documents. */
export type Operation = 'retrieveApplication' | 'createApplication' | 'createUser';

/**
 * An application as the service holds it: its id, and the fields that a request could have declared.
 * Whatever else the service answers is dropped where it is read, `launch_url` above all: it has leaked secrets.
 */
export interface ObservedApplication {
  readonly pk: string;
  readonly slug: string;
  readonly fields: Readonly<Partial<Record<keyof Application, JsonValue>>>;
}

/** The body of a create request: the declared fields, and nothing else. */
export type ApplicationRequest = Readonly<Application>;
export type UserRequest = Readonly<User>;
