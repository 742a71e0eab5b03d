import type { JsonObject, JsonValue } from '../base/json.ts';
import type { SandboxSeed } from '../generated/sandbox-seed.ts';
import type { TypeFacts } from '../kinds/facts.ts';
import type { Field, FieldErrors } from './fields.ts';
import type { Filter, ListResult, Query } from './query.ts';
import type { ReleaseRules, SandboxRelease } from './release.ts';
import type { Requester, GuardedKind } from './rights.ts';
import type { Row, Rows } from './rows.ts';

export interface World {
  readonly release: SandboxRelease;
  readonly rules: ReleaseRules;
  readonly seed: SandboxSeed;
  readonly at: (path: string) => Rows;
  readonly kind: (path: string) => SandboxKind;
  /** The kind at a list path such as `/core/groups/`, or undefined if the release does not have the path. */
  readonly kindAt: (path: string) => SandboxKind | undefined;
  /** All kinds that have been used so far; only these can have records. */
  readonly kinds: () => Iterable<SandboxKind>;
}

/** A kind of record. A kind without an entry in all.ts follows the API schema and the recordings. */
export interface SandboxKind extends GuardedKind {
  readonly title: string;
  /** The path of the list, such as `/core/groups/`, with which the paths of its records begin. */
  readonly path: string;
  readonly facts: TypeFacts;
  readonly allTypesPath: string;
  readonly single?: string;
  readonly otherLists?: ReadonlySet<string>;
  readonly allow: { readonly list: string; readonly one: string };
  readonly ordering: string;
  readonly exactFilters: readonly string[];
  readonly searchTexts: (row: Row) => readonly (JsonValue | undefined)[];
  /** Further filters for a query, or the problems with the query. */
  readonly filtersFor?: (query: Query) => readonly Filter[] | FieldErrors;
  /** Answers list requests, if the answer depends on more than permissions and filters. */
  readonly listFor?: (query: Query, asker: Requester) => ListResult;
  /** Converts a record to an answer. Parameters of the query may exclude fields. */
  readonly record: (row: Row, asker?: Requester, query?: Query) => JsonObject;
  readonly urls?: (row: Row, origin: string) => JsonObject;
  readonly userForToken?: (username: string, isSuperuser: boolean) => Row;
  /** Whether the service crashes when it reads the record. */
  readonly isUnreadable?: (row: Row) => boolean;
  readonly fields: Readonly<Record<string, Field>>;
  /** Stores a record under its own id without checking its fields. Omitted fields get the service's defaults. */
  readonly insert: (record: JsonObject) => Row;
  /** Checks a request, and stores it as a new record or as a change of an existing record. */
  readonly save: (body: JsonObject, asker?: Requester, change?: RequestedChange) => SaveResult;
}

export interface RequestedChange {
  readonly existing: Row;
  readonly partial: boolean;
}

export type SaveResult = { readonly record: JsonObject } | Rejection;

/** The problems with fields, or the field that makes the service crash. */
export type Rejection = { readonly errors: FieldErrors } | { readonly crashedOver: string };

export function rejected(message: string, field = 'non_field_errors'): Rejection {
  return { errors: { [field]: [message] } };
}

export const keyByPk: SandboxKind['key'] = { field: 'pk', form: /^[^/.]+$/ };
