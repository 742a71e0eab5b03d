import type { JsonObject, JsonValue } from '../base/json.ts';
import type { SandboxSeed } from '../generated/sandbox-seed.ts';
import type { TypeFacts } from '../kinds/facts.ts';
import type { Field, FieldErrors } from './fields.ts';
import type { Filter, Listed, Query } from './query.ts';
import type { Rules, SandboxRelease } from './release.ts';
import type { Requester, GuardedKind } from './rights.ts';
import type { Row, Rows, Values } from './rows.ts';

/** The surroundings of a kind. */
export interface World {
  readonly release: SandboxRelease;
  readonly rules: Rules;
  readonly seed: SandboxSeed;
  /** Whether records of the seed are being created, which exist before rules of administrators. */
  readonly isSeeding: () => boolean;
  readonly at: (path: string) => Rows;
  readonly kind: (path: string) => SandboxKind;
  /** All kinds that were requested or have a record. */
  readonly kinds: () => Iterable<SandboxKind>;
}

/** A kind of record, as a table: a file in this folder, and a line in all.ts. */
export interface SandboxKind extends GuardedKind {
  readonly title: string;
  /** The path of its list; records are below. */
  readonly path: string;
  readonly facts: TypeFacts;
  /** The path of the list with all types. */
  readonly allTypesPath: string;
  readonly single?: string;
  readonly otherLists?: ReadonlySet<string>;
  /** The methods of the list, and of a record. */
  readonly allow: { readonly list: string; readonly one: string };
  /** The default order of a list. */
  readonly ordering: string;
  readonly exactFilters: readonly string[];
  readonly searchTexts: (row: Row) => readonly (JsonValue | undefined)[];
  /** Further filters of a query, or their problems. */
  readonly filtersFor?: (query: Query) => readonly Filter[] | FieldErrors;
  /** Its list, if it does not follow permissions and filters alone. */
  readonly listFor?: (query: Query, asker: Requester) => Listed;
  /** A record in an answer; the query may leave fields out. */
  readonly record: (row: Row, asker?: Requester, query?: Query) => JsonObject;
  /** URLs of a record below the service's own. */
  readonly urls?: (row: Row, origin: string) => JsonObject;
  /** The user of a token: the named one, or else a service account that is created for it. */
  readonly userForToken?: (username: string, isSuperuser: boolean) => Row;
  /** Whether the service crashes for the record. */
  readonly isUnreadable?: (row: Row) => boolean;
  /** How to create and change records; without it, the kind is read only. */
  readonly writing?: Writing;
}

interface Writing {
  readonly fields: Readonly<Record<string, Field>>;
  /** Stores a record unchanged, with its id; omitted fields get the service's defaults. */
  readonly insert: (record: JsonObject) => Row;
  /** Stores a validated request as a new record, or as a change of one. */
  readonly save: (values: Values, sent: JsonObject, own?: Row, asker?: Requester) => Row | Rejection;
}

/** The problems of fields, or the field that crashed the service. */
export type Rejection = { readonly errors: FieldErrors } | { readonly crashedOver: string };

export type WritableKind = SandboxKind & { readonly writing: Writing };

export function isWritable(kind: SandboxKind): kind is WritableKind {
  return kind.writing !== undefined;
}

/** Records whose path ends with their id. */
export const keyByPk: SandboxKind['key'] = { field: 'pk', form: /^[^/.]+$/ };
