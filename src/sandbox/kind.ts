import type { JsonObject, JsonValue } from '../base/json.ts';
import type { autocomplete } from './autocomplete.ts';
import type { Field, FieldErrors } from './fields.ts';
import type { Listed } from './listed.ts';
import type { Query } from './query.ts';
import type { Reach, Rights } from './rights.ts';
import type { Row } from './rows.ts';

/** Whose token came with a request, and what it may do. */
export interface Asker<User extends Row = Row> {
  readonly user: User;
  readonly rights: Rights;
}

/** One record that can be shown. */
export interface Shown {
  /** By which a right on single objects names it. */
  readonly name: string;
  /** Whether the service breaks down when it is asked for it. */
  readonly isUnreadable?: boolean;
  /** As the service answers it to somebody. */
  record(asker?: Asker): JsonObject;
}

/** One record that can be changed. */
export interface Held extends Shown {
  readonly row: Row;
  /** Takes over what was read of a request; what it does not hold stays. */
  change(values: Values, asker?: Asker): Taken;
  delete(): void;
}

/** What was read of a request, by the names of the fields. */
export type Values = Readonly<Record<string, JsonValue>>;

/** What the service shows of one kind of record. Each kind has a file in this folder. */
export interface SandboxList<One extends Shown = Shown> {
  readonly title: keyof typeof autocomplete;
  /** Where the list is. */
  readonly path: string;
  /** The methods that the service has for the list, and for a single record. */
  readonly allow: { readonly list: string; readonly one: string };
  list(query: Query, asker: Asker): Listed;
  /** The names that the path of a single record can end in. */
  readonly names: RegExp;
  viewed(rights: Rights): Reach;
  /** The record whose path ends in that name. */
  at(name: string): One | undefined;
}

/** What the service does with one kind of record that it takes from outside. Its list is empty at first. */
export interface SandboxKind extends SandboxList<Held> {
  /** What a request for one may hold. */
  readonly fields: Readonly<Record<string, Field>>;
  mayCreate(rights: Rights): boolean;
  mayDelete(rights: Rights): boolean;
  changed(rights: Rights): Reach;
  /** Keeps a record of what was read of a request; `asker` is who asks for it. */
  create(values: Values, asker?: Asker): Taken;
  /** The record with that slug or username. */
  named(name: string): Held | undefined;
}

/** The record as it is now, or what is wrong with each field, or that it broke down over a field. */
export type Taken =
  | { readonly record: JsonObject }
  | { readonly errors: FieldErrors }
  | { readonly crashedOver: string };
