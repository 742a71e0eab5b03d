import type { Problem } from '../base/diagnostic.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Access, Bindable, Children } from './children.ts';
import type { Family } from './family.ts';
import type { LoginPart } from './login-part.ts';
import { memoizePerKey } from '../base/memoize.ts';
import type { Release } from './release.ts';
import { type IdForm, sameIds, sameIdsAsOften, sameJson } from './values.ts';

export type { Family } from './family.ts';

/** A kind of record that manifests declare: all that is in a list of theirs, or those of one type. Each has a row, and its place in all.ts. */
export interface Kind<Type extends string = string> extends Omit<
  Family<Type>,
  'byName' | 'findId' | 'isDeletedAlong' | 'id' | 'model'
> {
  readonly family: Family<Type>;
  /** As its permissions call it, and the word for several, where that is not its type: `oauth2provider`. */
  readonly model?: { readonly type: string; readonly list: string } | undefined;
  /** Of several kinds in one list, those entries are of this one that have this value in a field. */
  readonly variant?: { readonly field: string; readonly value: string };
  /** The list and the field of an entry that has to name it before anybody reaches it, and an example of one. */
  readonly referencedBy?: {
    readonly list: string;
    readonly field: string;
    readonly example: (name: string) => string;
  };
  readonly since?: string | undefined;
  /** Whether the service makes others of this kind: it shows them under it as well, finds them there by their names, and changes and deletes them. */
  readonly isBase?: boolean;
  /** Whether no documented operation creates one. */
  readonly isUndocumented?: boolean;
  /** The field with the record within which a name counts: another record has others of that name. */
  readonly scope?: string;
  /** Every service has one record, which is changed and never created: its name in addresses. */
  readonly single?: string;
  /** The field by which people know one; several may share its value: `name`. */
  readonly title: string;
  /** A POST to it creates one. */
  readonly path: string;
  /** Where earlier releases have that. */
  readonly formerPath?: { readonly before: string; readonly path: string; readonly id?: string };
  readonly lookUp: LookUp;
  /** How many are read at once: GET `path` answers with pages of them. */
  readonly listing: Listing;
  readonly update: UpdateOf;
  /** How one is deleted, with the capability `delete`, where that is possible. */
  readonly deletion?: Deletion;
  /** What an application that uses one has to be configured with, for `rollcall credentials`. */
  readonly credentials?: Credentials;
  readonly access?: Access;
  /** Whether policies, groups and users can be bound to its records, and what depends on that. */
  readonly bindable?: Bindable | undefined;
  /** The part that its records have in how people log in. */
  readonly login?: LoginPart;
  readonly isEnterprise?: boolean;
  readonly isPersonal?: boolean;
  /** Whether the service has made a record for itself, which nobody declares. */
  readonly isInternal?: (record: JsonObject) => boolean;
  /** Whether what it refers to has a fact about its id in one of its fields. */
  readonly hasReferenceFacts?: boolean;
  /** The fields that a manifest can declare. */
  readonly fields: Readonly<Record<string, FieldOfKind>>;
  /** What people look for among the fields and no entry can say, each with why. */
  readonly notDeclarable?: Readonly<Record<string, string>>;
  readonly words: WordsOfKind;
}

interface LookUp {
  /** Where the one with this name is asked for, below the base URL; within the record with an id, where its name counts there. */
  readonly path: (name: string, within?: JsonValue) => string;
  /** What answers: the record itself, or a list of no other than those that have this name. */
  readonly answers: AnswerShape;
  readonly isDocumented: boolean;
}

/** How many are read at once. What a list does not show may be there all the same. */
interface Listing {
  /** What is asked for beside a page. It gives an order that is the same from page to page. */
  readonly query: Readonly<Record<string, string>>;
  /** What makes it cheaper for the service where no resource declares the field: by field, its parameter and value. */
  readonly unless: Readonly<Record<string, readonly [parameter: string, value: string]>>;
  /** With whose token the service shows in it what it shows to a look-up, and not what it has kept or filtered otherwise. */
  readonly completeFor: 'every token' | 'superusers';
  /**
   * Whether the service holds names unique in every release: then to create what a list has missed doubles nothing. Of others, each
   * is looked for just before it is created, and what may have been created is not sent again.
   */
  readonly isUnique: boolean;
}

/** A record; a list of no other than those of a name; or a list that has others beside them. */
export type AnswerShape = 'record' | 'list' | 'search';

interface UpdateOf {
  /** Where a PATCH changes it, below the base URL. */
  readonly path: (name: string, pk: string) => string;
  /** Why the service, or what depends on it, would not bear a change of what it holds to this; nothing where it would. */
  readonly refusal?: (held: JsonObject, declared: JsonObject) => string | undefined;
  /** The fields of what is held that `refusal` reads. */
  readonly refusalReads?: readonly string[];
  /** The fields without which the service refuses each change: they are sent as they are. */
  readonly sentAlong?: readonly string[];
  /** The fields that are not changed of the one to whom the token belongs. */
  readonly protectedOnSelf?: readonly string[];
}

interface Credentials {
  /** The fields of a record to hand over, in order. */
  readonly fields: (held: JsonObject) => readonly string[];
  /** The path below a record where the service shows its URLs, and the name of each in a credentials document. */
  readonly urls?: { readonly path: string; readonly names: Readonly<Record<string, string>> };
}

/** How one is deleted: by a DELETE where a PATCH changes it. */
interface Deletion {
  /** Why the service, or what depends on it, would not bear that; nothing where it would. */
  readonly refusal?: (held: JsonObject) => string | undefined;
  /** Refuse to delete the last record of which this field is true, and how to call it then. */
  readonly last?: { readonly field: string; readonly words: string };
  /** Whether it is not deleted where the token belongs to it. */
  readonly isOwned?: boolean;
}

export const ownedFields: (kind: Kind) => readonly string[] = memoizePerKey(({ fields }) =>
  Object.entries(fields).flatMap(([field, { belongsToOne }]) => (belongsToOne ? field : [])),
);

/** Whether the service takes a value from the one that has it, and gives it to another: of lists. Of the rest it refuses that. */
export function isMovedBetweenRecords({ fields }: Kind, field: string): boolean {
  return fields[field]?.idForm !== undefined;
}

/** The fields of a record that a plan looks at, where these are declared: also those that say what a change would do. */
export function comparedFields(kind: Kind, declared: readonly string[]): string[] {
  const { refusalReads = [] } = kind.update;
  const last = kind.deletion?.last;
  const { access, bindable } = kind;
  const isBound =
    access?.subjects.some(({ field }) => declared.includes(field)) === true ||
    declared.some((field) => kind.fields[field]?.children);
  const decides = bindable?.mode && isBound ? [bindable.mode.field] : [];
  const ofReach = declared.flatMap((field) => kind.fields[field]?.reachReads ?? []);
  const more = [...refusalReads, ...(last ? [last.field] : []), ...decides, ...ofReach];
  return [...new Set([...declared, ...more, ...ownedFields(kind)])];
}

/** What to ask the list of a kind for, where these fields are declared. */
export function listQuery(
  { path, listing: { query, unless } }: Kind,
  declared: ReadonlySet<string>,
): { readonly path: string; readonly query: Readonly<Record<string, string>> } {
  const cheaper = Object.entries(unless).flatMap(([field, parameter]) =>
    declared.has(field) ? [] : [parameter],
  );
  return { path, query: { ...query, ...Object.fromEntries(cheaper) } };
}

/** Whether nothing that the service shows tells what it holds in a field. */
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
  /** No answer shows it: it is sent to create a record, and to one that exists only on request. */
  readonly isWriteOnly?: boolean;
  /** Of such a field: what answers show in its place, such as a fingerprint, and how that follows from a declared value. */
  readonly shownAs?: { readonly field: string; readonly of: (declared: JsonValue) => JsonValue };
  /** Whether two values mean the same to the service. By default, they do when they are the same JSON. */
  readonly same?: (declared: JsonValue, observed: JsonValue) => boolean;
  /** When a list of references, or JSON, is declared in part; without this, never. */
  readonly part?: 'unless exactly' | 'if at_least';
  /** What a plan says of an id that an update takes out of the list, before that id; by default, that the list loses it. */
  readonly removalNote?: string;
  /** What a change of it does to people, if a reviewer should know. Either value may be blanked out. */
  readonly changeWarning?: (declared: JsonValue, observed: JsonValue) => string;
  /** Whom a value lets in who was kept out before, if anybody; `before` is undefined for a new record. */
  readonly reach?: (
    now: JsonValue,
    before: JsonValue | undefined,
    beside: (field: string) => JsonValue,
  ) => string | undefined;
  /** The other fields that this reads. */
  readonly reachReads?: readonly string[];
  /** It says how rollcall is to treat the entry, and is not sent. */
  readonly isInstruction?: boolean;
  /** Of a field that is a list of ids, whose order means nothing: what makes two the same. */
  readonly idForm?: IdForm;
  /** Of such a list: the service may hold the same twice, which is one too many. */
  readonly isDeduplicated?: boolean;
  readonly refersTo?: Family;
  /** Of a field that declares bindings to the record. */
  readonly children?: Children;
  /** Where a record of the service shows the names of those: an object with a `pk` and a `name`, or a list of such. */
  readonly namedIn?: string;
  /** What the record of an id in it says about that: of what belongs to one resource, the name of its owner; or that the record `grants` something. */
  readonly factIn?: string;
  /** What a record grants to everybody who refers to it, if the record says so. */
  readonly grants?: string;
  /** How a table holds it, where that is not the text of a cell: `true`, a number, several in one cell, a column for each key. */
  readonly inTable?: 'boolean' | 'number' | 'texts' | 'numbers' | 'columns';
  readonly findId?: string;
  /** What the service makes of it where it is left out, in all releases. */
  readonly default?: JsonValue;
  /** It says what has happened, and is nothing that a manifest would go on demanding. */
  readonly isHistory?: boolean;
  /** Of a field that some releases show and do not accept: whether the one does that shows this record. */
  readonly isAccepted?: (record: JsonObject) => boolean;
  /** What to say of values that the schema lets through. */
  readonly checks?: readonly Check<Value>[];
  /** The first release that has it. Those before ignore it. */
  readonly since?: string;
  /** Earlier releases work without it, so it may be declared for them. It is never null. */
  readonly isOptionalBefore?: boolean;
  /** The name that it has in earlier releases. Each release ignores the name of the others. */
  readonly formerly?: string;
  /** There, it is one id, and no list of them. */
  readonly wasSingle?: true;
  /** What a manifest may write there that the service does not take so, or not yet: in place of what the facts say, as JSON Schema. */
  readonly written?: JsonObject;
  /** What other forms the service has for its value. */
  readonly form?: Form;
  /** Whoever knows it can pose as somebody: it comes from the environment or a file alone, and no output shows what is held. */
  readonly isSecret?: boolean;
  /** Whether a create needs it. An entry of a record that exists may leave it out. */
  readonly isRequired?: true;
  /** Whether it can be null, in the newest release. */
  readonly isNullable?: true;
  /** What to say where it is left out, although the schema allows that; by the release, where that is known, and what stands beside it. */
  readonly ifMissing?: (release: Release | undefined, beside: JsonObject) => Problem | undefined;
  /** A value of it, or an item where it is a list, belongs to one resource. What to say of a second one that declares it. */
  readonly belongsToOne?: {
    readonly code: Problem['code'];
    /** Where another has it in the service, which does not take it from there. */
    readonly takenCode?: Problem['code'];
    readonly summary: (value: string, owner: string) => string;
    readonly detail: string;
  };
}

/** The forms of a value beside the one that manifests declare. */
export interface Form {
  readonly sent: (declared: JsonValue) => JsonValue;
  /** As earlier releases take it, which refuse the other. */
  readonly former: (declared: JsonValue) => JsonValue;
  /** What any release shows, as a manifest declares it. It may have keys that no manifest can declare. */
  readonly held: (held: JsonValue) => JsonValue;
  /** What is declared, with those keys as they are held: an update drops none. */
  readonly kept: (declared: JsonValue, held: JsonValue) => JsonValue;
  /** What is held, without those keys. */
  readonly known: (held: JsonValue) => JsonValue;
}

/** What is wrong with a value, or with one item of a list, by its index. */
export type ItemProblem = Problem & { readonly item?: number };

/**
 * Says what is wrong with a value, or may be, for a release of the service where one is known. Written as a method, so that
 * TypeScript lets a check take only what the schema admits.
 */
type Check<Value = JsonValue> = {
  check(value: Value, release: Release | undefined): ItemProblem | readonly ItemProblem[] | undefined;
}['check'];

/** What is said of this kind in words of its own. */
interface WordsOfKind {
  /** With its article: `an application`. */
  readonly one: string;
  /** A hint for when the service rejects the name, which has passed the checks of the manifest. */
  readonly nameTakenHint: string;
  /** What to do about one that may have been created in part, where it cannot be looked up. */
  readonly perhapsInPart?: string;
}
