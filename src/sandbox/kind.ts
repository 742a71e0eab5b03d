import type { JsonObject, JsonValue } from '../base/json.ts';
import type { SandboxSeed } from '../generated/sandbox-seed.ts';
import type { TypeFacts } from '../kinds/facts.ts';
import type { Field, FieldErrors } from './fields.ts';
import type { Filter, Listed, Query } from './query.ts';
import type { Rules, SandboxRelease } from './release.ts';
import type { Requester, Guarded } from './rights.ts';
import type { Row, Rows, Values } from './rows.ts';

/** What a kind is made for. */
export interface World {
  readonly release: SandboxRelease;
  readonly rules: Rules;
  readonly seed: SandboxSeed;
  /** Whether what is created was there before anything else, such as what administrators demand. */
  readonly isSeeding: () => boolean;
  /** Those that the service lists at a path, such as `/core/groups/`. */
  readonly at: (path: string) => Rows;
  readonly kind: (path: string) => SandboxKind;
  /** The kinds that have been asked for, as have all that have a record. */
  readonly kinds: () => Iterable<SandboxKind>;
}

/** One kind of record, as a table: a file in this folder, and a line in all.ts. */
export interface SandboxKind extends Guarded {
  /** As the service calls it. */
  readonly title: string;
  /** Where its list is; single records are below. */
  readonly path: string;
  readonly facts: TypeFacts;
  /** Where the service lists all that its records are among: those of other types, too, where there are some. */
  readonly all: string;
  /** The id of its only record, which is at the path itself. */
  readonly single?: string;
  /** Names of records whose paths are lists of something else. */
  readonly otherLists?: ReadonlySet<string>;
  /** The methods that the service has for the list, and for a single record. */
  readonly allow: { readonly list: string; readonly one: string };
  /** By which field a list is ordered unless the query says. */
  readonly ordering: string;
  /** The fields that a query can ask for exactly. */
  readonly exact: readonly string[];
  readonly searched: (row: Row) => readonly (JsonValue | undefined)[];
  /** What else a query can ask for, or what is wrong with it. */
  readonly filters?: (query: Query) => readonly Filter[] | FieldErrors;
  /** Its list, where that is not what somebody may view of what the query asks for. */
  readonly listed?: (query: Query, asker: Requester) => Listed;
  /** A record as the service answers it to somebody. The query says what is left out. */
  readonly record: (row: Row, asker?: Requester, query?: Query) => JsonObject;
  /** The URLs of a record below the service's own. */
  readonly urls?: (row: Row, origin: string) => JsonObject;
  /** The user whose token it is: the one of that name, or else a service account, which is made for it. */
  readonly ofToken?: (username: string, isSuperuser: boolean) => Row;
  /** Whether the service breaks down when it is asked for a record. */
  readonly isUnreadable?: (row: Row) => boolean;
  /** How one is created and changed: without it, the kind is only read. */
  readonly writing?: Writing;
}

interface Writing {
  readonly fields: Readonly<Record<string, Field>>;
  /** Keeps a record as it is, with its id; what is left out is as the service stores it by default. */
  readonly plant: (record: JsonObject) => Row;
  /** Keeps what was read of what somebody sent: as a new record, or as a change of one. */
  readonly write: (values: Values, sent: JsonObject, own?: Row, asker?: Requester) => Row | Refused;
}

/** What is wrong with each field, or over which one the service broke down. */
export type Refused = { readonly errors: FieldErrors } | { readonly crashedOver: string };

export type WrittenKind = SandboxKind & { readonly writing: Writing };

export function isWritten(kind: SandboxKind): kind is WrittenKind {
  return kind.writing !== undefined;
}

/** What the path of a single record ends in where that is its id. */
export const byPk: SandboxKind['key'] = { field: 'pk', form: /^[^/.]+$/ };
