import type { Problem } from '../base/diagnostic.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Access, Bindable, Children } from './children.ts';
import type { Family } from './family.ts';
import type { LoginPart } from './login-part.ts';
import { memoizePerKey } from '../base/memoize.ts';
import type { Release } from './release.ts';
import { type IdForm, sameIds, sameIdsAsOften, sameJson } from './values.ts';

export type { Family } from './family.ts';

/** A kind of record that manifests declare: a whole list, or one type of it. Each has a row, and a place in all.ts. */
export interface Kind<Type extends string = string> extends Omit<
  Family<Type>,
  'byName' | 'findId' | 'isDeletedAlong' | 'id' | 'model'
> {
  readonly family: Family<Type>;
  /** The name in permissions and the plural, if different from its type: `oauth2provider`. */
  readonly model?: { readonly type: string; readonly list: string } | undefined;
  /** In a list of several kinds, the field and value of this one's entries. */
  readonly variant?: { readonly field: string; readonly value: string };
  /** The list and field of the entry that must refer to it before anybody can reach it, with an example. */
  readonly referencedBy?: {
    readonly list: string;
    readonly field: string;
    readonly example: (name: string) => string;
  };
  readonly since?: string | undefined;
  /** Whether the service derives other kinds from it: their records appear in its list, and can be changed and deleted through it. */
  readonly isBase?: boolean;
  readonly isUndocumented?: boolean;
  /** The field of the record that scopes the name: other records may contain the same name. */
  readonly scope?: string;
  /** For a settings record, which always exists: its name in addresses. */
  readonly single?: string;
  readonly title: string;
  /** The path for creates. */
  readonly path: string;
  /** Its path in earlier releases. */
  readonly formerPath?: { readonly before: string; readonly path: string; readonly id?: string };
  readonly lookUp: LookUp;
  readonly listing: Listing;
  readonly update: UpdateOf;
  /** How to delete a record, if possible. */
  readonly deletion?: Deletion;
  readonly credentials?: Credentials;
  readonly access?: Access;
  /** Whether policies, groups and users can be bound to it. */
  readonly bindable?: Bindable | undefined;
  /** The role of its records in logins. */
  readonly login?: LoginPart;
  /** How its records give rights in the API. */
  readonly rights?: Rights;
  readonly isEnterprise?: boolean;
  readonly isPersonal?: boolean;
  /** Whether a record belongs to the service itself, so that nobody declares it. */
  readonly isInternal?: (record: JsonObject) => boolean;
  /** Whether a record that it refers to has facts about the reference. */
  readonly hasReferenceFacts?: boolean;
  readonly fields: Readonly<Record<string, FieldOfKind>>;
  /** Fields that people look for and that cannot be declared, with the reason. */
  readonly notDeclarable?: Readonly<Record<string, string>>;
  readonly words: WordsOfKind;
}

interface LookUp {
  /** The path for a name, below the base URL; within a parent's id if names are scoped. */
  readonly path: (name: string, within?: JsonValue) => string;
  /** The form of the answer: the record, or a list of exactly the records with the name. */
  readonly answers: AnswerShape;
  readonly isDocumented: boolean;
}

/** The list of all records. Records that it does not show may still exist. */
interface Listing {
  /** Parameters besides the page, with a stable order. */
  readonly query: Readonly<Record<string, string>>;
  /** By field: a parameter that saves the service work if no resource declares the field. */
  readonly unless: Readonly<Record<string, readonly [parameter: string, value: string]>>;
  /** The tokens for which the list is complete; for others the service filters or caches it. */
  readonly completeFor: 'every token' | 'superusers';
  /**
   * Whether names are unique in every release, so that a second create cannot duplicate a record. Otherwise the name is looked up
   * just before a create, which is never repeated after an unclear answer.
   */
  readonly isUnique: boolean;
}

/** A record; a list of exactly the records with a name; or a list with others too. */
export type AnswerShape = 'record' | 'list' | 'search';

interface UpdateOf {
  /** The path for a PATCH. */
  readonly path: (name: string, pk: string) => string;
  /** Why the held values must not be changed to the declared ones; undefined if they may. */
  readonly refusal?: (held: JsonObject, declared: JsonObject) => string | undefined;
  /** The held fields that `refusal` reads. */
  readonly refusalReads?: readonly string[];
  /** The fields that the service requires in every change; they are sent unchanged. */
  readonly sentAlong?: readonly string[];
  /** The fields that are never changed for the token's own user. */
  readonly protectedOnSelf?: readonly string[];
}

interface Credentials {
  /** The fields to hand over, in order. */
  readonly fields: (held: JsonObject) => readonly string[];
  /** The path below a record for its URLs, and the name of each in a credentials document. */
  readonly urls?: { readonly path: string; readonly names: Readonly<Record<string, string>> };
}

/** Deletes use the path of updates. */
interface Deletion {
  /** Why it must not be deleted; undefined if it may. */
  readonly refusal?: (held: JsonObject) => string | undefined;
  /** Refuses to delete the last record with this flag, described by `words`. */
  readonly last?: { readonly field: string; readonly words: string };
  /** Whether the token's own record is never deleted. */
  readonly isOwned?: boolean;
}

/** Who has rights by a record, and so perhaps the token of a run. */
export interface Rights {
  readonly to: 'a user' | 'its members' | 'its holders' | 'a token';
  /** The field with the user of a token. */
  readonly owner?: string;
  /** By field: the change of an update that takes rights. */
  readonly takenBy?: Readonly<Record<string, 'removal' | 'false' | 'change'>>;
}

export const ownedFields: (kind: Kind) => readonly string[] = memoizePerKey(({ fields }) =>
  Object.entries(fields).flatMap(([field, { belongsToOne }]) => (belongsToOne ? field : [])),
);

/** Whether the service moves a value of a list from its owner to another record. For other fields it rejects a second owner. */
export function isMovedBetweenRecords({ fields }: Kind, field: string): boolean {
  return fields[field]?.idForm !== undefined;
}

/** The fields to compare for declared ones, including those that show side effects of a change. */
export function comparedFields(kind: Kind, declared: readonly string[]): string[] {
  const { refusalReads = [] } = kind.update;
  const last = kind.deletion?.last;
  const { access, bindable } = kind;
  const isBound =
    access?.subjects.some(({ field }) => declared.includes(field)) === true ||
    declared.some((field) => kind.fields[field]?.children);
  const decides = bindable?.mode && isBound ? [bindable.mode.field] : [];
  const ofReach = declared.flatMap((field) => kind.fields[field]?.reachReads ?? []);
  const owner = kind.rights?.owner ?? [];
  const more = [...refusalReads, ...(last ? [last.field] : []), ...decides, ...ofReach, ...[owner].flat()];
  return [...new Set([...declared, ...more, ...ownedFields(kind)])];
}

/** The list request for these declared fields. */
export function listQuery(
  { path, listing: { query, unless } }: Kind,
  declared: ReadonlySet<string>,
): { readonly path: string; readonly query: Readonly<Record<string, string>> } {
  const cheaper = Object.entries(unless).flatMap(([field, parameter]) =>
    declared.has(field) ? [] : [parameter],
  );
  return { path, query: { ...query, ...Object.fromEntries(cheaper) } };
}

/** Whether the service never shows the value of a field, in any form. */
export function isNeverShown({ fields }: Kind, field: string): boolean {
  return fields[field]?.isWriteOnly === true && fields[field].shownAs === undefined;
}

export function sameValue(kind: Kind, field: string, declared: JsonValue, observed: JsonValue): boolean {
  const { shownAs, idForm, same = sameJson, isDeduplicated, isOptionalBefore } = kind.fields[field] ?? {};
  if (isOptionalBefore && observed === null) return true;
  if (shownAs) return shownAs.of(declared) === shownAs.of(observed);
  if (idForm === undefined) return same(declared, observed);
  return (isDeduplicated ? sameIdsAsOften : sameIds)(declared, observed, idForm);
}

export interface FieldOfKind<Value = JsonValue> {
  /** Write-only: sent with a create, and to an existing record only on request. */
  readonly isWriteOnly?: boolean;
  /** For a write-only field: the field shown instead, such as a fingerprint, and how it follows from a declared value. */
  readonly shownAs?: { readonly field: string; readonly of: (declared: JsonValue) => JsonValue };
  /** Compares two values; by default, as JSON. */
  readonly same?: (declared: JsonValue, observed: JsonValue) => boolean;
  /** When a list of references, or JSON, is declared in part; never by default. */
  readonly part?: 'unless exactly' | 'if at_least';
  /** The plan's words before an id that an update removes; by default, that the list loses it. */
  readonly removalNote?: string;
  /** The effect of a change on people, for reviewers. Either value may be masked. */
  readonly changeWarning?: (declared: JsonValue, observed: JsonValue) => string;
  /** Who gains access through a value; `before` is undefined for a new record. */
  readonly reach?: (
    now: JsonValue,
    before: JsonValue | undefined,
    beside: (field: string) => JsonValue,
  ) => string | undefined;
  /** Further fields that `reach` reads. */
  readonly reachReads?: readonly string[];
  /** An instruction to rollcall, which is not sent. */
  readonly isInstruction?: boolean;
  /** For an unordered list of ids: the form in which equal ids are equal. */
  readonly idForm?: IdForm;
  /** The service may hold duplicates in the list, which count as a difference. */
  readonly isDeduplicated?: boolean;
  readonly refersTo?: Family;
  readonly children?: Children;
  /** The field of a record with the referenced records, each with `pk` and `name`. */
  readonly namedIn?: string;
  /** The field of the referenced record with the fact: the name of its owner, or whether it `grants` something. */
  readonly factIn?: string;
  /** What a referenced record grants, if its fact is true. */
  readonly grants?: string;
  /** The form in a table, if not a plain cell: `true`, a number, several in one cell, or a column for each key. */
  readonly inTable?: 'boolean' | 'number' | 'texts' | 'numbers' | 'columns';
  readonly findId?: string;
  /** The value of the service if it is omitted, in all releases. */
  readonly default?: JsonValue;
  /** It records the past, so manifests should not go on declaring it. */
  readonly isHistory?: boolean;
  /** For a field that some releases show but reject: whether the release of this record accepts it. */
  readonly isAccepted?: (record: JsonObject) => boolean;
  /** Checks of values that the schema accepts. */
  readonly checks?: readonly Check<Value>[];
  /** The first release that has it. Earlier ones ignore it. */
  readonly since?: string;
  /** Earlier releases work without it, so it may be declared for them. It is never null. */
  readonly isOptionalBefore?: boolean;
  /** Its name in earlier releases. Each release ignores the other name. */
  readonly formerly?: string;
  /** The former field is a single id, not a list. */
  readonly wasSingle?: true;
  /** The JSON Schema of manifests for it, if different from the facts. */
  readonly written?: JsonObject;
  /** Other forms of its value. */
  readonly form?: Form;
  /** A secret: it must come from the environment or a file, and is never shown. */
  readonly isSecret?: boolean;
  /** Whether a create requires it. The entry of an existing record may omit it. */
  readonly isRequired?: true;
  /** Whether it can be null, in the newest release. */
  readonly isNullable?: true;
  /** The problem if it is omitted although the schema allows that, by release and by the other fields. */
  readonly ifMissing?: (release: Release | undefined, beside: JsonObject) => Problem | undefined;
  /** Only one resource may have a value of it, or an item. The problem of a second one. */
  readonly belongsToOne?: {
    readonly code: Problem['code'];
    /** The code if another record in the service has it, and the service does not move it. */
    readonly takenCode?: Problem['code'];
    readonly summary: (value: string, owner: string) => string;
    readonly detail: string;
  };
}

/** The forms of a value besides the declared one. */
export interface Form {
  readonly sent: (declared: JsonValue) => JsonValue;
  /** For earlier releases, which reject the present form. */
  readonly former: (declared: JsonValue) => JsonValue;
  /** A value of any release, as manifests declare it, perhaps with unknown keys. */
  readonly held: (held: JsonValue) => JsonValue;
  /** The declared value with unknown keys as held, so that an update drops none. */
  readonly kept: (declared: JsonValue, held: JsonValue) => JsonValue;
  /** The held value without unknown keys. */
  readonly known: (held: JsonValue) => JsonValue;
}

/** A problem of a value, or of a list item by its index. */
export type ItemProblem = Problem & { readonly item?: number };

/** The problem of a value for a release, if known. Written as a method, so that TypeScript accepts a check of narrower values. */
type Check<Value = JsonValue> = {
  check(value: Value, release: Release | undefined): ItemProblem | readonly ItemProblem[] | undefined;
}['check'];

interface WordsOfKind {
  /** With its article: `an application`. */
  readonly one: string;
  /** A hint for when the service rejects a valid name. */
  readonly nameTakenHint: string;
  /** Advice for a record that may be incomplete and cannot be looked up. */
  readonly perhapsInPart?: string;
}
