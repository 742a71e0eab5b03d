import type { Problem } from '../base/diagnostic.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Access, Bindable, Children } from './children.ts';
import type { Family, PermissionType } from './family.ts';
import type { LoginPart } from './login-part.ts';
import { memoizePerKey } from '../base/memoize.ts';
import type { Release } from './release.ts';
import { type IdForm, sameIds, sameJson } from './values.ts';

export type { Family } from './family.ts';

export interface KindTraits {
  /** A record of this kind is reachable only if a record of `list` refers to it in `field`. */
  readonly referencedBy?: {
    readonly list: string;
    readonly field: string;
    readonly example: (name: string) => string;
  };
  readonly since?: string | undefined;
  /** Whether the service derives other kinds from this kind, so that its list also contains records of the derived kinds. */
  readonly isBase?: boolean;
  /** The field with the parent, if names are unique only within a parent. */
  readonly scope?: string;
  /** For a kind of settings, with a single record that always exists: the name of this record in addresses. */
  readonly single?: string;
  readonly formerPath?: { readonly path: string; readonly id?: string };
  readonly credentials?: Credentials;
  readonly access?: Access;
  readonly login?: LoginPart;
  readonly rights?: Rights;
  readonly isEnterprise?: boolean;
  readonly isPersonal?: boolean;
  readonly note?: string;
  /** Whether the service maintains a record itself, so that users do not declare it. */
  readonly isInternal?: (record: JsonObject) => boolean;
  /** Fields that users may expect but cannot declare, each with the reason. */
  readonly notDeclarable?: Readonly<Record<string, string>>;
}

/** A type of record that manifests can declare: a whole list, or one of several types in a list. */
export interface Kind<Type extends string = string>
  extends KindTraits, PermissionType, Pick<Family<Type>, 'type' | 'list' | 'path' | 'identity'> {
  readonly family: Family<Type>;
  /** For a list with several kinds: the field and the value by which records of this kind are recognized. */
  readonly variant?: { readonly field: string; readonly value: string };
  readonly isCreateDocumented: boolean;
  readonly title: string;
  readonly lookUp: LookUp;
  readonly listing: Listing;
  readonly update: UpdateOf;
  /** How to delete records of this kind, or undefined if rollcall cannot delete them. */
  readonly deletion?: Deletion;
  readonly bindable?: Bindable | undefined;
  /** Whether referenced records must be read because a field has a `fact`. */
  readonly hasReferenceFacts?: boolean;
  readonly fields: Readonly<Record<string, FieldOfKind>>;
  readonly words: WordsOfKind;
}

interface LookUp {
  /** The path for looking up a name, below the base URL. `within` is the id of the parent, if names are unique only within a parent. */
  readonly path: (name: string, within?: JsonValue) => string;
  readonly answers: AnswerShape;
  readonly isDocumented: boolean;
}

interface Listing {
  readonly query: Readonly<Record<string, string>>;
  /** For each field: a query parameter that makes the list cheaper for the service, sent only if no resource declares the field. */
  readonly paramsIfUndeclared: Readonly<Record<string, readonly [parameter: string, value: string]>>;
  /** The tokens that get the complete list. For other tokens, the service filters the list or returns a cached one. */
  readonly completeFor: 'every token' | 'superusers';
  /**
   * Whether names are unique in every release, so that a retried create cannot make a duplicate. Otherwise, each name is looked
   * up just before its create, and a create with an unclear answer is not retried.
   */
  readonly isUnique: boolean;
}

/** A `list` contains only records with the name. A `search` may contain other records too. */
export type AnswerShape = 'record' | 'list' | 'search';

interface UpdateOf {
  readonly path: (name: string, pk: string) => string;
  /** The reason why rollcall refuses an update, or undefined if the update is allowed. */
  readonly refusal?: (fromRecord: JsonObject, declared: JsonObject) => string | undefined;
  /** The fields that the service requires in every PATCH, even if they are unchanged. */
  readonly requiredInUpdates?: readonly string[];
  /** The fields that rollcall never changes on the user to whom the token belongs. */
  readonly protectedOnSelf?: readonly string[];
}

interface Credentials {
  readonly fields: (held: JsonObject) => readonly string[];
  /** The path that returns a record's URLs, and the name of each URL in the printed credentials. */
  readonly urls?: { readonly path: string; readonly names: Readonly<Record<string, string>> };
}

/** A DELETE uses the same path as an update. */
interface Deletion {
  readonly refusal?: (held: JsonObject) => string | undefined;
  /** rollcall does not delete the last record with this flag. `words` describes this record in messages. */
  readonly last?: { readonly field: string; readonly words: string };
  /** Whether records of this kind are users, so that the token's own user is never deleted. */
  readonly isUser?: boolean;
}

/** The recipients of rights from a record. The token of the run may be one of them. */
export interface Rights {
  readonly to: 'a user' | 'its members' | 'its holders' | 'a token';
  /** The permissions that releases before 2025.12 may remove with any update. */
  readonly lostInUpdates?: string;
  /** The field that contains the user of a token. */
  readonly owner?: string;
  /** For each field: the kind of change that takes rights away. */
  readonly takenBy?: Readonly<Record<string, 'removal' | 'false' | 'change'>>;
}

/** The fields whose rows have the given property, each with its value. */
export function fieldsWith<Name extends keyof FieldOfKind>(
  { fields }: Pick<Kind, 'fields'>,
  name: Name,
): (readonly [field: string, NonNullable<FieldOfKind[Name]>])[] {
  return Object.entries(fields).flatMap(([field, { [name]: value }]) =>
    value === undefined || value === null ? [] : [[field, value]],
  );
}

export const singleOwnerFields: (kind: Kind) => readonly string[] = memoizePerKey((kind) =>
  fieldsWith(kind, 'singleOwner').map(([field]) => field),
);

/** For a value that only one record can have: whether the service moves the value to a new owner instead of refusing the change. */
export function isMovedBetweenRecords({ fields }: Kind, field: string): boolean {
  return fields[field]?.singleOwner?.isMoved === true;
}

export function needsSuperuserToLookUp({ lookUp, listing }: Pick<Kind, 'lookUp' | 'listing'>): boolean {
  return lookUp.answers !== 'record' && listing.completeFor === 'superusers';
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

/** Whether the service returns neither the value of a field nor a digest of it. */
export function isNeverShown({ fields }: Kind, field: string): boolean {
  return fields[field]?.isWriteOnly === true && fields[field].shownAs === undefined;
}

/** Whether the service may leave a field out of its answers: the field is write-only or secret. */
export function mayBeHidden(kind: Kind, field: string): boolean {
  return isNeverShown(kind, field) || kind.fields[field]?.isSecret === true;
}

export function sameValue(kind: Kind, field: string, declared: JsonValue, observed: JsonValue): boolean {
  const { shownAs, idForm, same = sameJson, isDeduplicated, isOptionalBefore } = kind.fields[field] ?? {};
  if (isOptionalBefore && observed === null) return true;
  if (shownAs) return shownAs.of(declared) === shownAs.of(observed);
  if (idForm === undefined) return same(declared, observed);
  return sameIds(declared, observed, idForm, !isDeduplicated);
}

export interface FieldOfKind<Value = JsonValue> {
  /** Whether the service never returns the value. Updates send such a value only with --resend. */
  readonly isWriteOnly?: boolean;
  /** For a write-only field: the readable field to compare instead, such as a fingerprint, and how to compute it from the declared value. */
  readonly shownAs?: { readonly field: string; readonly of: (declared: JsonValue) => JsonValue };
  /** How to compare two values, by default as JSON. */
  readonly same?: (declared: JsonValue, observed: JsonValue) => boolean;
  /** The condition under which a list of references or a JSON value is declared in part; undefined if it is always declared in full. */
  readonly part?: 'always' | 'unless exactly' | 'if at_least';
  /** The rights that an id gives if it is added to the field, as words before the id. */
  readonly addedRights?: string;
  /** A warning about the effect of a change on people. The declared value and the observed value may be masked. */
  readonly changeWarning?: (now: JsonValue, before: JsonValue, release?: Release) => string | undefined;
  /** Who gains access when the value changes. */
  readonly accessGain?: (change: ValueChange) => string | undefined;
  /** Whether the field is an instruction for rollcall and is therefore not sent. */
  readonly isInstruction?: boolean;
  /** How to normalize an id for comparison, in a list whose order does not matter. */
  readonly idForm?: IdForm;
  readonly isDeduplicated?: boolean;
  readonly refersTo?: Family;
  readonly mayReferToItself?: true;
  readonly children?: Children;
  /** The field in which the service returns the referenced records as nested records with `pk` and `name`. */
  readonly namedIn?: string;
  /**
   * The field of the referenced record that is read as a fact: the name of an owner, or a flag such as `is_superuser`. `grants`
   * says what a referenced record grants if its flag is true.
   */
  readonly fact?: { readonly field: string; readonly grants?: string };
  /** The form of the value in a CSV file, if it is not a single string. */
  readonly tableForm?: 'boolean' | 'number' | 'strings' | 'numbers' | 'columns';
  /** The value that every release sets if a create omits the field. */
  readonly default?: JsonValue;
  /** Whether the value describes the past, so that later manifests should not contain it. */
  readonly isHistorical?: boolean;
  /** For a field that some releases return but do not accept: whether the release that returned this record accepts the field. */
  readonly isAccepted?: (record: JsonObject) => boolean;
  readonly checks?: readonly ValueCheck<Value>[];
  /** The first release that has the field. Earlier releases ignore the field. */
  readonly since?: string;
  /** Whether manifests may declare the field for earlier releases, which do not return it. Later releases never return null. */
  readonly isOptionalBefore?: boolean;
  /** The field of earlier releases, which ignore the current name, and whether it contained a single id instead of a list. */
  readonly earlier?: { readonly field: string; readonly isSingle?: true };
  /** The JSON Schema for manifests, if it differs from the API schema. */
  readonly written?: JsonObject;
  readonly form?: ValueForms;
  /** Whether the value is secret: manifests must take it from the environment or a file, and it is never printed. */
  readonly isSecret?: boolean;
  readonly isRequired?: true;
  readonly isNullable?: true;
  /** The problem to report if a create omits the field, although the schema allows this. */
  readonly ifMissing?: (release: Release | undefined, otherFields: JsonObject) => Problem | undefined;
  /** Whether the field is also reported as missing if the record exists and its list is empty. */
  readonly isNeededLater?: true;
  /** For a value or list item that only one resource may have: the problem to report for a second resource. */
  readonly singleOwner?: {
    readonly code: Problem['code'];
    /** The problem code if another record has the value and the service does not move the value; by default `code`. */
    readonly takenCode?: Problem['code'];
    /** Whether the service moves the value to a new owner instead of refusing the change. */
    readonly isMoved?: true;
    readonly summary: (value: string, owner: string) => string;
    readonly detail: string;
  };
}

export interface ValueChange {
  readonly now: JsonValue;
  /** Undefined for a new record. */
  readonly before: JsonValue | undefined;
  /** The values of another field, before and after the change. */
  readonly valuesOf: (field: string) => readonly JsonValue[];
  readonly release?: Release | undefined;
}

/** Who gains access if a flag is set to this value. */
export function gainIfSetTo(value: boolean, who: string): NonNullable<FieldOfKind['accessGain']> {
  return ({ now, before }) => (now === value && before === !value ? who : undefined);
}

/** Functions that convert a value between the declared form and its other forms, by default without a change. */
export interface ValueForms {
  readonly sent?: (declared: JsonValue) => JsonValue;
  /** Converts to the form for earlier releases, which reject the current form. */
  readonly former?: (declared: JsonValue) => JsonValue;
  /** Converts a value from any release to the form of manifests, and keeps unknown keys. */
  readonly held?: (held: JsonValue) => JsonValue;
  /** Adds unknown keys of the observed value to the declared value, so that an update does not remove them. */
  readonly kept?: (declared: JsonValue, held: JsonValue) => JsonValue;
  readonly dropUnknown?: (held: JsonValue) => JsonValue;
}

export type ItemProblem = Problem & { readonly item?: number };

/** This is a method type, because TypeScript then accepts a check for a narrower type of value. */
export type ValueCheck<Value = JsonValue> = {
  check(
    value: Value,
    release: Release | undefined,
    others?: () => JsonObject,
  ): ItemProblem | readonly ItemProblem[] | undefined;
}['check'];

interface WordsOfKind {
  /** The noun with its article: `an application`. */
  readonly one: string;
  /** A hint to print if the service rejects a name that rollcall considers valid. */
  readonly nameTakenHint: string;
  /** The people who can use a new record until its bindings exist, if no field withholds it from them. */
  readonly usersBeforeBindings?: string;
  /** Advice for a record that may be incomplete, if the token cannot look it up. */
  readonly incompleteRecordAdvice?: string;
}
