import type { JsonValue } from '../base/json.ts';
import { sameBindings } from './bindings.ts';
import { familyNamed, familyOf, type FamilyType } from './families.ts';
import type { Family, FieldOfKind, Kind, KindTraits } from './kind.ts';
import { lifecycleFields } from './lifecycle.ts';
import { lookUpOf } from './look-up.ts';
import { newestFacts, type NewestFacts, type FieldFacts } from './facts.ts';
import { withLazy } from '../base/memoize.ts';
import { policyBindings } from './policy-bindings.ts';
import { referenceOf } from './references.ts';
import {
  kindReleaseCheck,
  laterValueCheck,
  lengthCheck,
  oneOfCheck,
  reservedPathCheck,
  singleValueCheck,
  type RequiredFields,
} from './release-checks.ts';
import { isSecret } from './secrets.ts';
import { timeChecks } from './time.ts';
import { plainId, plainUuid, sameInstant, sameTexts, sameUuid } from './values.ts';

/** The facts about a kind that the API schema does not state. */
export interface KindRow extends KindTraits, Partial<Pick<Kind, 'deletion'>> {
  readonly list: string;
  readonly words?: Partial<Kind['words']>;
  /** The path of the kind, by default the path of the list. */
  readonly path?: string;
  readonly plural?: string;
  /** Names that no record can have, because their paths belong to other operations of the API. */
  readonly otherPaths?: readonly string[];
  /** The documented operations for this kind. rollcall can be limited to such operations. */
  readonly documented?: readonly ('create' | 'look-up')[];
  /** Set if authentik 2023.10.7 and 2025.12.4 refused a duplicate name, for every type of the list that they have and that needs no licence. */
  readonly unique?: boolean;
  readonly withheld?: readonly string[];
  readonly createdWith?: Readonly<Record<string, JsonValue>>;
  readonly bindableIn?: string;
  readonly isClosedUnbound?: boolean;
  readonly listing?: Partial<Kind['listing']>;
  readonly update?: Omit<Kind['update'], 'path'>;
  readonly requires?: RequiredFields;
  readonly isPermanent?: boolean;
  readonly fields?: FieldRows;
}

/** The facts about a field that the API schema does not state. A string without `checks` is checked against the length limits of earlier releases. */
export interface FieldRow<Value = JsonValue> extends Omit<
  FieldOfKind<Value>,
  'since' | 'namedIn' | 'isSecret' | 'isWriteOnly' | 'isNullable' | 'part'
> {
  /**
   * By default, a list of references is declared in full unless `at_least` lists the field. With `part`, the list is declared in
   * part: always, or unless `exactly` lists the field.
   */
  readonly part?: 'always' | 'unless exactly';
  /** By default, JSON is declared in part unless `exactly` lists the field. If `whole` is set, JSON is always declared in full. */
  readonly whole?: true;
  /** Whether the order of plain values in a list matters, by default true. */
  readonly ordered?: false;
}

export type FieldRows = Readonly<Record<string, FieldRow>>;

export type RowKind = Kind<FamilyType>;

/** The keys of `rows` are paths. */
export function kindsFrom(
  shared: Omit<KindRow, 'path'>,
  rows: Readonly<Record<string, Omit<KindRow, 'path' | 'list'>>>,
): readonly RowKind[] {
  return Object.entries(rows).map(([path, row]) => kindFrom({ ...shared, ...row, path }));
}

/** Makes a kind from its row and from the API schema. The API schema is read on first use. */
export function kindFrom(written: KindRow): RowKind {
  const row = withRequiredFields(written);
  const { list, plural, since, formerPath, unique: isUnique = false, documented = [] } = row;
  const family = familyOf(list);
  const { type, identity } = family;
  const { path: listPath = family.path.slice(apiRoot.length) } = row;
  const path = `${apiRoot}${listPath}`;
  const variant = family.path === path ? undefined : { field: 'type', value: typeIn(family.path, path) };
  const facts = (): NewestFacts => newestFacts(listPath);
  const kind = {
    ...row,
    isCreateDocumented: documented.includes('create'),
    words: { ...wordsOf(family, variant), ...row.words },
    ...(!row.isPermanent && { deletion: row.deletion ?? {} }),
    family,
    type,
    identity,
    path,
    ...(variant && { variant }),
    hasReferenceFacts: Object.values(row.fields ?? {}).some(({ fact }) => fact !== undefined),
    ...(formerPath && { formerPath: { ...formerPath, path: `${apiRoot}${formerPath.path}` } }),
    listing: {
      query: { ...family.params, ordering: identity },
      paramsIfUndeclared: {},
      completeFor: 'every token' as const,
      isUnique,
      ...row.listing,
    },
    update: {
      path: (name: string, pk: string) => {
        const id = facts().id?.name === identity ? name : pk;
        return row.single === undefined ? `${path}${encodeURIComponent(id)}/` : path;
      },
      ...row.update,
    },
  };
  const lazyParts = {
    title: () => ('name' in facts().fields ? 'name' : identity),
    since: () => since ?? (formerPath ? undefined : facts().since),
    permissionApp: () => facts().model?.split('.')[0] ?? family.permissionApp,
    model: () => modelOf(family, facts(), variant && (plural ?? pluralOf(variant.value, family))),
    bindable: () => bindableOf(row, facts()),
    lookUp: () => ({
      ...lookUpOf(path, { ...row, identity }, family, facts()),
      isDocumented: documented.includes('look-up'),
    }),
  };
  const kindWithoutFields = withLazy(kind, lazyParts);
  return withLazy(kindWithoutFields, { fields: () => fieldsOf(row, kindWithoutFields, listPath) });
}

function withRequiredFields({ requires, ...row }: KindRow): KindRow {
  if (requires === undefined) return row;
  const { oneOf, ifGiven } = requires;
  const [first = ''] = oneOf;
  const along = [
    ...(row.update?.requiredInUpdates ?? []),
    ...(ifGiven === undefined ? [] : [ifGiven]),
    ...oneOf,
  ];
  return {
    ...row,
    update: { ...row.update, requiredInUpdates: along },
    fields: { ...row.fields, [first]: { ...row.fields?.[first], ifMissing: oneOfCheck(requires) } },
  };
}

const apiRoot = '/api/v3';

const mode = 'policy_engine_mode';

/** Policies can be bound to a kind if its records have the mode field or an id for bindings. */
function isBindable({ id, fields }: NewestFacts): boolean {
  return mode in fields || id?.name === 'pbm_uuid';
}

function bindableOf(
  { bindableIn: id, withheld = [], createdWith = {}, isClosedUnbound = false }: KindRow,
  facts: NewestFacts,
): Kind['bindable'] {
  if (!isBindable(facts)) return undefined;
  return {
    id,
    withheld,
    createdWith,
    isClosedUnbound,
    ...(mode in facts.fields && { mode: { field: mode, all: 'all' } }),
  };
}

function fieldsOf(
  row: KindRow,
  { family, variant, model, since, deletion }: Omit<RowKind, 'fields'>,
  path: string,
): Kind['fields'] {
  const { identity } = family;
  const { otherPaths = [] } = row;
  const facts = newestFacts(path);
  const nameChecks = [
    ...(since === undefined ? [] : [kindReleaseCheck(model.plural, since)]),
    ...(otherPaths.length > 0 ? [reservedPathCheck(otherPaths)] : []),
  ];
  const fields = Object.entries(rowsOf(row, family, variant, facts)).map(([name, field]) => {
    const completed = fieldFrom(path, name, field, facts);
    const checks = [...(completed.checks ?? []), ...nameChecks];
    return [name, name === identity && nameChecks.length > 0 ? { ...completed, checks } : completed] as const;
  });
  return { ...withInstructions(Object.fromEntries(fields)), ...(deletion && lifecycleFields) };
}

/** The type in the last part of a path, such as `authenticator_validate`. */
function typeIn(all: string, path: string): string {
  const steps = all.replace(/all\/$/, '').split('/');
  const ownSteps = path.split('/').filter((step, index) => step !== steps[index] && step !== '');
  return ownSteps.filter((step) => !steps.includes(step)).join('_');
}

function modelOf({ type, model }: Family, facts: NewestFacts, plural = model.plural): Kind['model'] {
  const [, name = type] = facts.model?.split('.') ?? [];
  return { name, plural };
}

const spelled = new Map(
  ['LDAP', 'SAML', 'SCIM', 'RAC', 'RADIUS', 'OAuth2', 'OAuth', 'SSF', 'GeoIP', 'SMS', 'TOTP', 'mTLS'].map(
    (word) => [word.toLowerCase(), word],
  ),
);

function pluralOf(variant: string, { model: { plural } }: Family): string {
  const words = variant.split('_').map((word) => spelled.get(word) ?? word);
  return `${words.join(' ')} ${plural}`;
}

function withInstructions(fields: Kind['fields']): Kind['fields'] {
  const parts = new Set(Object.values(fields).map(({ part }) => part));
  const names = { isInstruction: true, tableForm: 'strings' } as const;
  return {
    ...fields,
    ...(parts.has('if at_least') && { at_least: names }),
    ...((parts.has('if at_least') || parts.has('unless exactly')) && { exactly: names }),
  };
}

/** The rows of all fields: first the identity, then the handwritten rows, then the other fields of the API. */
function rowsOf(
  { fields, single, notDeclarable = {} }: KindRow,
  { identity, id }: Family,
  variant: Kind['variant'],
  facts: NewestFacts,
): FieldRows {
  const reasons = new Set(Object.keys(notDeclarable));
  // Omits ids even if they are writable, because the service chooses them.
  const others = Object.entries(facts.fields).flatMap(([name, { readOnly }]): [string, FieldRow][] =>
    readOnly || name === id || reasons.has(name) ? [] : [[name, {}]],
  );
  return {
    ...(single === undefined && { [identity]: {} }),
    ...(variant && { [variant.field]: { isInstruction: true } }),
    ...fields,
    ...Object.fromEntries(others.filter(([name]) => fields?.[name] === undefined && name !== identity)),
    ...(isBindable(facts) && { policies: { children: policyBindings, ...fields?.['policies'] } }),
  };
}

function wordsOf({ type, list }: Family, variant: Kind['variant']): Kind['words'] {
  const words = type.replaceAll('_', ' ');
  const one = `${/^(?!user)[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
  if (variant === undefined) return { one, nameTakenHint: `Another ${words} probably has this name.` };
  const nameTakenHint = `Another ${words}, of any type, probably has this name: names of ${list.replaceAll('_', ' ')} are unique.`;
  return { one, nameTakenHint };
}

/** Completes the row of a field with the facts in the API schema, if the schema has the field. */
function fieldFrom(path: string, name: string, row: FieldRow, { fields }: NewestFacts): FieldOfKind {
  const { [name]: facts, [`${name}_obj`]: named } = fields;
  const reference = facts && referenceOf(path, name, facts);
  const refersTo = row.refersTo ?? (reference?.by === 'pk' ? familyNamed(reference.list) : undefined);
  const { children } = row;
  if (children) {
    const same: FieldOfKind['same'] = (...values) => sameBindings(children, ...values);
    return { default: [], same, ...row, part: 'if at_least' };
  }
  if (facts === undefined) return row;
  const { since, shorter, later } = facts;
  const isHidden = isSecret(path, name, facts);
  return {
    ...comparisonOf(facts, reference !== undefined, isHidden ? { ...row, whole: true } : row),
    ...(refersTo && { refersTo }),
    ...(since !== undefined && row.earlier === undefined && { since }),
    ...(named && { namedIn: `${name}_obj` }),
    ...(isHidden && { isSecret: true }),
    ...(facts.writeOnly && { isWriteOnly: true }),
    ...(facts.required && { isRequired: true }),
    ...(facts.nullable && { isNullable: true }),
    ...(shorter && { checks: [lengthCheck(name, shorter)] }),
    ...(later && { checks: [laterValueCheck(name, since, later)] }),
    ...(row.earlier?.isSingle && since !== undefined && { checks: [singleValueCheck(name, since)] }),
    ...row,
  };
}

function comparisonOf(
  { type, format, items }: FieldFacts,
  isReference: boolean,
  { part, whole, ordered }: FieldRow,
): Pick<FieldOfKind, 'idForm' | 'tableForm' | 'same' | 'part' | 'checks'> {
  if (items) {
    const isNumber = items.type === 'integer';
    const idForm = isNumber ? plainId : plainUuid;
    return {
      tableForm: isNumber ? 'numbers' : 'strings',
      ...(isReference && { idForm, part: part ?? 'if at_least' }),
      ...(ordered === false && { same: sameTexts }),
    };
  }
  if (type === 'boolean') return { tableForm: 'boolean' };
  if (type === 'integer' || type === 'number') return { tableForm: 'number' };
  if (type !== 'string') return { tableForm: 'columns', ...(!whole && { part: 'unless exactly' }) };
  if (format === 'date-time') return { same: sameInstant, checks: timeChecks };
  return isReference ? { same: sameUuid } : {};
}
