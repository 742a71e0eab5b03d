import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Field, FieldErrors } from './fields.ts';
import type { Listed } from './listed.ts';
import type { Query } from './query.ts';
import type { Rights } from './rights.ts';
import type { Row } from './rows.ts';

/** Whose token came with a request, and what it may do. */
export interface Asker<User extends Row = Row> {
  readonly user: User;
  readonly rights: Rights;
}

/** What the service shows of one kind of record. Each kind has a file in this folder. */
export interface SandboxList {
  /** Where the list is. */
  readonly path: string;
  /** The methods that the service has for the list, and for a single record. */
  readonly allow: { readonly list: string; readonly one: string };
  readonly list: (query: Query, asker: Asker) => Listed;
  /** The names that the path of a single record can end in. */
  readonly names: RegExp;
  readonly retrieve: (name: string, asker: Asker) => JsonObject | 'absent' | 'forbidden';
}

/** What the service does with one kind of record that it takes from outside. Its list is empty at first. */
export interface SandboxKind extends SandboxList {
  /** What a request for one may hold. */
  readonly fields: Readonly<Record<string, Field>>;
  readonly mayCreate: (rights: Rights) => boolean;
  /** Keeps a record of what was read of a request; `asker` is who asks for it. */
  readonly create: (values: Readonly<Record<string, JsonValue>>, asker?: Asker) => Created;
}

/** The new record, or what is wrong with each field, or that it broke down over a field. */
export type Created =
  | { readonly record: JsonObject }
  | { readonly errors: FieldErrors }
  | { readonly crashedOver: string };
