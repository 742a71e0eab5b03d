import { isJsonList, textOf, type JsonValue } from '../base/json.ts';
import type { FieldFacts, TypeFacts } from './facts.ts';
import { newest } from './facts/newest.ts';
import type { FieldOfKind, Kind, Referable } from './kind.ts';
import { lifecycleFields } from './lifecycle.ts';
import { referenceOf } from './references.ts';
import { isIn, notIn } from './release.ts';
import { searchFor } from './search.ts';
import { isSecret } from './secrets.ts';
import { isUuid, plainId, plainUuid, sameInstant, sameTexts, sameUuid } from './values.ts';

/** What is written by hand of a kind: what the facts of the service's API do not say. */
export interface KindRow<Type extends string>
  extends
    Omit<
      Kind<Type>,
      | 'creates'
      | 'path'
      | 'permissionsOf'
      | 'model'
      | 'byName'
      | 'listing'
      | 'update'
      | 'fields'
      | Defaulted
      | 'lookUp'
    >,
    Partial<Pick<Kind<Type>, Defaulted>> {
  /** Where the service lists the records, as the facts have it: `/core/groups/`. */
  readonly path: string;
  /** The word for several of its model, where other kinds are of its type: `OAuth2 providers`. */
  readonly several?: string;
  /** How one is found by its name: by its path, by a filter that every release has, or by the search of its list. */
  readonly lookUp: 'path' | 'name' | 'username' | 'name__iexact' | 'search';
  readonly isDocumented?: boolean;
  /** Whether the service holds names unique in every release, as somebody has seen: then a create may be sent again. */
  readonly unique?: boolean;
  /** What a list, and a look-up by a filter, are asked to leave out, whatever is declared. */
  readonly leftOut?: Readonly<Record<string, string>>;
  readonly listing?: Partial<Kind['listing']>;
  /** How fields refer to one by its name, where they can. */
  readonly byName?: Partial<Referable['byName']>;
  readonly update?: Omit<Kind['update'], 'path'>;
  /** Of what the facts do not say of its fields. Those that no row is about are declared as the facts have them. */
  readonly fields?: FieldRows;
}

/** What follows from the facts or is the same for most kinds, unless a row says otherwise. */
type Defaulted = 'identity' | 'title' | 'changes' | 'words';

/** What is written by hand of a field. A text without checks of its own is checked for the length that earlier releases take. */
export type FieldRow<Value = JsonValue> = Omit<
  FieldOfKind<Value>,
  'since' | 'idForm' | 'namedIn' | 'isSecret' | 'part'
> &
  Extent;

/** How much of its value a declaration is about, where that is not what most fields have. */
interface Extent {
  /** A list of references is declared in full unless `at_least` names it; this one in part, unless `exactly` does. */
  readonly part?: true;
  /** JSON is declared in part unless `exactly` names it; this is one value. So is every secret. */
  readonly whole?: true;
  /** The order of plain values is compared; of these it means nothing. */
  readonly ordered?: false;
}

export type FieldRows = Readonly<Record<string, FieldRow>>;

export function kindFrom<Type extends string>(
  row: KindRow<Type> & { readonly byName: object },
): Kind<Type> & Referable;
export function kindFrom<Type extends string>(row: KindRow<Type>): Kind<Type>;
/** A kind, as its row and the facts of the service's API make it. */
export function kindFrom<Type extends string>(row: KindRow<Type>): Kind<Type> {
  const {
    path: ownPath,
    several,
    lookUp,
    isDocumented = false,
    unique = false,
    leftOut = {},
    listing,
    byName,
    update,
    identity = 'name',
    was,
    ...rest
  } = row;
  const facts = newestFacts(ownPath);
  const path = `/api/v3${ownPath}`;
  const [area = '', model = ''] = facts.model?.split('.') ?? [];
  const query = { ...leftOut, ordering: identity };
  return {
    isUndocumented: true,
    title: identity,
    changes: [],
    words: wordsOf(row.type),
    ...rest,
    identity,
    creates: true,
    path,
    ...(was && { was: { ...was, path: `/api/v3${was.path}` } }),
    ...(area !== 'authentik_core' && { permissionsOf: area }),
    ...(several !== undefined && { model: { type: model, list: several } }),
    ...(byName && {
      byName: { path, query, isId: isIdOf(facts), narrowedTo: searchFor, listedFrom: 2, ...byName },
    }),
    lookUp: { ...lookUpOf(path, lookUp, leftOut), isDocumented },
    listing: { query, unless: {}, completeFor: 'every token', isUnique: unique, ...listing },
    update: {
      path: (name, pk) => `${path}${encodeURIComponent(facts.id?.name === identity ? name : pk)}/`,
      ...update,
    },
    fields: {
      ...withInstructions(
        Object.fromEntries(
          Object.entries(rowsOf({ ...row, identity }, facts)).map(([name, field]) => [
            name,
            fieldFrom(ownPath, name, field, facts),
          ]),
        ),
      ),
      ...(row.deletion && lifecycleFields),
    },
  };
}

/** The fields, with those of an entry that say which of them are declared in part, or in full. */
function withInstructions(fields: Kind['fields']): Kind['fields'] {
  const parts = new Set(Object.values(fields).map(({ part }) => part));
  const names = { isInstruction: true, inTable: 'texts' } as const;
  return {
    ...fields,
    ...(parts.has('if at_least') && { at_least: names }),
    ...((parts.has('if at_least') || parts.has('unless exactly')) && { exactly: names }),
  };
}

/** The rows of all fields: its identity first, then those that are written, then what else the service takes. */
function rowsOf(
  { identity, sort, fields, notDeclarable = {} }: Pick<Kind, 'identity'> & Partial<KindRow<string>>,
  facts: NewestFacts,
): FieldRows {
  const reasons = new Set(Object.keys(notDeclarable));
  const others = Object.entries(facts.fields).flatMap(([name, { readOnly }]): [string, FieldRow][] =>
    readOnly || reasons.has(name) ? [] : [[name, {}]],
  );
  return {
    [identity]: {},
    ...(sort && { [sort.field]: { isInstruction: true } }),
    ...fields,
    ...Object.fromEntries(others.filter(([name]) => fields?.[name] === undefined && name !== identity)),
  };
}

function wordsOf(type: string): Kind['words'] {
  const words = type.replaceAll('_', ' ');
  const one = `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
  return { one, nameTakenHint: `Another ${words} probably has this name.` };
}

interface NewestFacts extends Pick<TypeFacts, 'id' | 'model'> {
  readonly fields: Readonly<Record<string, NewestField>>;
}

interface NewestField extends FieldFacts {
  /** The first release that has it, where that is not the first of its type. */
  readonly since?: string;
  /** The length that it had at most, and the first release that takes longer ones. */
  readonly shorter?: { readonly before: string; readonly maxLength: number };
  /** Of its values, those that came after it, and with which release. */
  readonly later?: Readonly<Record<string, string>>;
}

/** What the newest release says of a path: kept apart from the others, as every start of the program needs it. */
export function newestFacts(path: string): NewestFacts {
  const facts = newest[path];
  if (facts === undefined) throw new Error(`there are no facts of ${path}`);
  return JSON.parse(facts) as NewestFacts; // what the script writes
}

function isIdOf({ fields }: NewestFacts): (pk: JsonValue) => boolean {
  return fields['pk']?.type === 'integer' ? (pk) => Number.isSafeInteger(pk) : isUuid;
}

function lookUpOf(
  path: string,
  lookUp: KindRow<string>['lookUp'],
  leftOut: Readonly<Record<string, string>>,
): Pick<Kind['lookUp'], 'path' | 'answers'> {
  if (lookUp === 'path') return { path: (name) => `${path}${encodeURIComponent(name)}/`, answers: 'record' };
  const more = Object.entries(leftOut)
    .map(([parameter, value]) => `&${parameter}=${value}`)
    .join('');
  if (lookUp === 'search')
    return {
      path: (name) => `${path}?${new URLSearchParams({ ...leftOut, ...searchFor(name) }).toString()}`,
      answers: 'search',
    };
  return {
    path: (name) => `${path}?${lookUp}=${encodeURIComponent(name)}${more}`,
    answers: lookUp.endsWith('__iexact') ? 'search' : 'list',
  };
}

/** A field, as its row and the facts make it. Those that a row has beside the service's are left as they are. */
function fieldFrom(path: string, name: string, row: FieldRow, { fields }: NewestFacts): FieldOfKind {
  const { [name]: facts, [`${name}_obj`]: named } = fields;
  const { part: _, whole: __, ordered: ___, ...own } = Object.getOwnPropertyDescriptors(row);
  const derived = facts
    ? { ...derivedFrom(path, name, row, facts), ...(named && { namedIn: `${name}_obj` }) }
    : {};
  // A row may have a getter for the kind that it belongs to, which is not there yet.
  return Object.defineProperties(derived, own);
}

function derivedFrom(path: string, name: string, row: FieldRow, facts: NewestField): FieldOfKind {
  const { since, shorter, later } = facts;
  const isHidden = isSecret(path, name, facts);
  return {
    ...formOf(path, name, facts, { part: row.part, whole: row.whole ?? isHidden, ordered: row.ordered }),
    ...(since !== undefined && row.formerly === undefined && { since }),
    ...(isHidden && { isSecret: true }),
    ...(shorter && { checks: [lengthCheck(name, shorter)] }),
    ...(later && { checks: [laterValueCheck(name, since, later)] }),
  };
}

/** How a value is compared, and how a table holds it. */
function formOf(
  path: string,
  name: string,
  facts: FieldFacts,
  { part, whole, ordered }: { readonly [Key in keyof Extent]: boolean | undefined },
): Pick<FieldOfKind, 'idForm' | 'inTable' | 'same' | 'part'> {
  const { type, format, items } = facts;
  const refers = referenceOf(path, name, facts) !== undefined;
  if (items) {
    const isNumber = items.type === 'integer';
    const idForm = isNumber ? plainId : plainUuid;
    return {
      inTable: isNumber ? 'numbers' : 'texts',
      ...(refers && { idForm, part: part ? 'unless exactly' : 'if at_least' }),
      ...(ordered === false && { same: sameTexts }),
    };
  }
  if (type === 'boolean') return { inTable: 'boolean' };
  if (type === 'integer' || type === 'number') return { inTable: 'number' };
  if (type !== 'string') return { inTable: 'columns', ...(!whole && { part: 'unless exactly' }) };
  if (format === 'date-time') return { same: sameInstant };
  return refers ? { same: sameUuid } : {};
}

function lengthCheck(
  name: string,
  { before, maxLength }: NonNullable<NewestField['shorter']>,
): NonNullable<FieldOfKind<string>['checks']>[number] {
  return (text, release) =>
    Array.from(text).length <= maxLength
      ? undefined
      : notIn(
          { before },
          release,
          `refuse this ${name.replaceAll('_', ' ')}`,
          `It is longer than ${maxLength} characters.`,
        );
}

/** Releases before a field ignore it, whatever its value. */
function laterValueCheck(
  name: string,
  since: string | undefined,
  later: Readonly<Record<string, string>>,
): NonNullable<FieldOfKind['checks']>[number] {
  const firstOf = new Map(Object.entries(later));
  return (value, release) => {
    if (since !== undefined && isIn({ before: since }, release) === true) return undefined;
    const isList = isJsonList(value);
    return (isList ? value : [value]).flatMap((one, item) => {
      const before = firstOf.get(textOf(one));
      if (before === undefined) return [];
      const does = `refuse this ${isList ? 'value' : name.replaceAll('_', ' ')}`;
      const problem = notIn({ before }, release, does, 'Choose another.');
      return problem ? { ...problem, ...(isList && { item }) } : [];
    });
  };
}
