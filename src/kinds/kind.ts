import type { Problem } from '../base/diagnostic.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Access, Bindable, Children } from './children.ts';
import type { Family } from './family.ts';
import type { LoginPart } from './login-part.ts';
import { memoizePerKey } from '../base/memoize.ts';
import type { Release } from './release.ts';
import { type IdForm, sameIds, sameIdsAsOften, sameJson } from './values.ts';

export type { Family } from './family.ts';

/** A type of record that manifests declare: all entries of a list, or one type of them. Defined by a row; listed in all.ts. */
export interface Kind<Type extends string = string> extends Omit<
  Family<Type>,
  'byName' | 'findId' | 'isDeletedAlong' | 'id' | 'model'
> {
  readonly family: Family<Type>;
  /** The name in permissions, in singular and plural, if different from the type: `oauth2provider`. */
  readonly model?: { readonly type: string; readonly list: string } | undefined;
  /** In a list with several kinds: the field and value by which its entries are recognized. */
  readonly variant?: { readonly field: string; readonly value: string };
  /** It is reachable only if an entry of this list refers to it in this field. */
  readonly referencedBy?: {
    readonly list: string;
    readonly field: string;
    readonly example: (name: string) => string;
  };
  readonly since?: string | undefined;
  /** Whether the service derives other kinds from it, so that its list also contains their records. */
  readonly isBase?: boolean;
  readonly isUndocumented?: boolean;
  /** The field with the parent within which names are unique. */
  readonly scope?: string;
  /** For the settings, which are a single record that always exists: its name in addresses. */
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
  readonly bindable?: Bindable | undefined;
  /** The role of its records in logins. */
  readonly login?: LoginPart;
  /** How its records give rights in the API. */
  readonly rights?: Rights;
  readonly isEnterprise?: boolean;
  readonly isPersonal?: boolean;
  /** Whether a record belongs to the service itself and is not declared by users. */
  readonly isInternal?: (record: JsonObject) => boolean;
  /** Whether referenced records must be read for `factField`. */
  readonly hasReferenceFacts?: boolean;
  readonly fields: Readonly<Record<string, FieldOfKind>>;
  /** Fields that users look for and cannot declare, with the reason. */
  readonly notDeclarable?: Readonly<Record<string, string>>;
  readonly words: WordsOfKind;
}

interface LookUp {
  /** The path for a name, below the base URL; `within` is the id of the parent if names are scoped. */
  readonly path: (name: string, within?: JsonValue) => string;
  readonly answers: AnswerShape;
  readonly isDocumented: boolean;
}

/** The list of all records. Records that the token may not see are missing from it. */
interface Listing {
  /** Parameters besides the page, with a stable order. */
  readonly query: Readonly<Record<string, string>>;
  /** Parameters, by field, that save the service work if no resource declares the field. */
  readonly paramsIfUndeclared: Readonly<Record<string, readonly [parameter: string, value: string]>>;
  /** The tokens for which the list is complete. For others, the service filters or caches it. */
  readonly completeFor: 'every token' | 'superusers';
  /**
   * Whether names are unique in every release, so that a retried create cannot duplicate a record. Otherwise the name is looked up
   * just before a create, and a create is never retried after an unclear answer.
   */
  readonly isUnique: boolean;
}

/** `list` has exactly the records with the name; `search` may have others too. */
export type AnswerShape = 'record' | 'list' | 'search';

interface UpdateOf {
  /** The path for a PATCH. */
  readonly path: (name: string, pk: string) => string;
  /** Why rollcall refuses the update; undefined if it does not. */
  readonly refusal?: (fromRecord: JsonObject, declared: JsonObject) => string | undefined;
  /** The observed fields that `refusal` reads. */
  readonly fieldsForRefusal?: readonly string[];
  /** The fields that the service requires in every PATCH; they are sent unchanged. */
  readonly requiredInUpdates?: readonly string[];
  /** The fields that are never changed for the user of the token. */
  readonly protectedOnSelf?: readonly string[];
}

interface Credentials {
  /** The fields to output, in order. */
  readonly fields: (held: JsonObject) => readonly string[];
  /** The path below a record for its URLs, and the name of each in a credentials document. */
  readonly urls?: { readonly path: string; readonly names: Readonly<Record<string, string>> };
}

/** Deletes use the path of updates. */
interface Deletion {
  /** Why rollcall refuses the delete; undefined if it does not. */
  readonly refusal?: (held: JsonObject) => string | undefined;
  /** The last record with this flag is not deleted; `words` describe it. */
  readonly last?: { readonly field: string; readonly words: string };
  /** Whether the user of the token is never deleted. */
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
  Object.entries(fields).flatMap(([field, { singleOwner }]) => (singleOwner ? field : [])),
);

/** For a value that only one record can have: whether the service moves it to a new owner. Otherwise it rejects the request. */
export function isMovedBetweenRecords({ fields }: Kind, field: string): boolean {
  return fields[field]?.idForm !== undefined;
}

/** The fields to read for declared fields, including fields that a change affects indirectly. */
export function comparedFields(kind: Kind, declared: readonly string[]): string[] {
  const { fieldsForRefusal = [] } = kind.update;
  const last = kind.deletion?.last;
  const { access, bindable } = kind;
  const isBound =
    access?.subjects.some(({ field }) => declared.includes(field)) === true ||
    declared.some((field) => kind.fields[field]?.children);
  const decides = bindable?.mode && isBound ? [bindable.mode.field] : [];
  const ofReach = declared.flatMap((field) => kind.fields[field]?.fieldsForAccessGain ?? []);
  const owner = kind.rights?.owner ?? [];
  const more = [
    ...fieldsForRefusal,
    ...(last ? [last.field] : []),
    ...decides,
    ...ofReach,
    ...[owner].flat(),
  ];
  return [...new Set([...declared, ...more, ...ownedFields(kind)])];
}

export function listQuery(
  { path, listing: { query, paramsIfUndeclared } }: Kind,
  declared: ReadonlySet<string>,
): { readonly path: string; readonly query: Readonly<Record<string, string>> } {
  const cheaper = Object.entries(paramsIfUndeclared).flatMap(([field, parameter]) =>
    declared.has(field) ? [] : [parameter],
  );
  return { path, query: { ...query, ...Object.fromEntries(cheaper) } };
}

/** For a field whose value the service never returns, not even as a digest. */
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
  /** Write-only: sent with a create, and in an update only with --resend. */
  readonly isWriteOnly?: boolean;
  /** For a write-only field: the readable field to compare, such as a fingerprint, and how to compute it from a declared value. */
  readonly shownAs?: { readonly field: string; readonly of: (declared: JsonValue) => JsonValue };
  /** Compares two values; by default as JSON. */
  readonly same?: (declared: JsonValue, observed: JsonValue) => boolean;
  /** When a list of references, or JSON, is declared only in part; by default it never is. */
  readonly part?: 'unless exactly' | 'if at_least';
  /** The text of a plan before an id that an update removes. */
  readonly removalNote?: string;
  /** A warning for reviewers about the effect of a change on people. Either value may be masked. */
  readonly changeWarning?: (declared: JsonValue, observed: JsonValue) => string;
  /** Who gains access through a value; `before` is undefined for a new record. */
  readonly accessGain?: (
    now: JsonValue,
    before: JsonValue | undefined,
    otherField: (field: string) => JsonValue,
  ) => string | undefined;
  /** Further fields that `reach` reads. */
  readonly fieldsForAccessGain?: readonly string[];
  /** An instruction for rollcall, which is not sent. */
  readonly isInstruction?: boolean;
  /** For an unordered list of ids: normalizes an id for comparison. */
  readonly idForm?: IdForm;
  /** Whether duplicates in the observed list count as a difference. */
  readonly isDeduplicated?: boolean;
  readonly refersTo?: Family;
  readonly children?: Children;
  /** The field of a record with the nested referenced records, which have `pk` and `name`. */
  readonly namedIn?: string;
  /** A field of the referenced record: the name of its owner, or a flag that means it `grants` something. */
  readonly factField?: string;
  /** What a reference grants if the flag in `factField` is true. */
  readonly grants?: string;
  /** The form in a CSV file, if not a single string. */
  readonly tableForm?: 'boolean' | 'number' | 'texts' | 'numbers' | 'columns';
  readonly findId?: string;
  /** The value that every release of the service sets if the field is omitted. */
  readonly default?: JsonValue;
  /** Whether the value describes the past, so that manifests should not keep declaring it. */
  readonly isHistorical?: boolean;
  /** For a field that some releases return but do not accept: whether the release of this record accepts it. */
  readonly isAccepted?: (record: JsonObject) => boolean;
  /** Checks that the schema cannot express. */
  readonly checks?: readonly Check<Value>[];
  /** The first release with the field. Earlier releases ignore it. */
  readonly since?: string;
  /** Whether the field may be declared for earlier releases, which work without it. It is never null. */
  readonly isOptionalBefore?: boolean;
  /** Its name in earlier releases. Each release ignores the other name. */
  readonly formerly?: string;
  /** Whether the former field is a single id, not a list. */
  readonly wasSingle?: true;
  /** The JSON Schema of its values in manifests, if different from the facts. */
  readonly written?: JsonObject;
  readonly form?: Form;
  /** A secret: it must come from the environment or a file, and is never shown. */
  readonly isSecret?: boolean;
  /** Whether a create requires it. Entries of existing records may omit it. */
  readonly isRequired?: true;
  /** In the newest release. */
  readonly isNullable?: true;
  /** The problem of omitting the field although the schema allows that. */
  readonly ifMissing?: (release: Release | undefined, otherFields: JsonObject) => Problem | undefined;
  /** A value, or list item, that only one resource may have: the problem of a second resource with it. */
  readonly singleOwner?: {
    readonly code: Problem['code'];
    /** The code if another record of the service has the value, and the service does not move it. */
    readonly takenCode?: Problem['code'];
    readonly summary: (value: string, owner: string) => string;
    readonly detail: string;
  };
}

/** The forms of a value besides the declared one. */
export interface Form {
  readonly sent: (declared: JsonValue) => JsonValue;
  /** For earlier releases, which reject the current form. */
  readonly former: (declared: JsonValue) => JsonValue;
  /** Converts a value from any release to the form of manifests; unknown keys stay. */
  readonly held: (held: JsonValue) => JsonValue;
  /** Adds unknown keys of the observed value to the declared one, so that an update does not drop them. */
  readonly kept: (declared: JsonValue, held: JsonValue) => JsonValue;
  /** The observed value without unknown keys. */
  readonly dropUnknown: (held: JsonValue) => JsonValue;
}

/** A problem of a value, or of a list item by its index. */
export type ItemProblem = Problem & { readonly item?: number };

/** Written as a method type, so that TypeScript accepts a check of narrower values. */
type Check<Value = JsonValue> = {
  check(value: Value, release: Release | undefined): ItemProblem | readonly ItemProblem[] | undefined;
}['check'];

interface WordsOfKind {
  /** The noun with its article: `an application`. */
  readonly one: string;
  /** A hint for when the service rejects a valid name. */
  readonly nameTakenHint: string;
  /** Advice about a record that may be incomplete and cannot be looked up. */
  readonly incompleteRecordAdvice?: string;
}
