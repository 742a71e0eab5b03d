import type { JsonValue } from '../base/json.ts';
import { sameBindings } from './bindings.ts';
import type { Children } from './children.ts';
import { familyNamed, familyOf, type FamilyType } from './families.ts';
import { comparisonOf, type ComparisonOptions } from './field-form.ts';
import type { Family, FieldOfKind, Kind } from './kind.ts';
import { lifecycleFields } from './lifecycle.ts';
import { lookUpOf } from './look-up.ts';
import { newestFacts, type NewestFacts } from './newest-facts.ts';
import { lazy } from '../base/memoize.ts';
import { policyBindings } from './policy-bindings.ts';
import { referenceOf } from './references.ts';
import { laterKindCheck, laterValueCheck, lengthCheck, otherPathCheck } from './release-checks.ts';
import { isSecret } from './secrets.ts';

type Given =
  | 'formerPath'
  | 'referencedBy'
  | 'scope'
  | 'single'
  | 'isEnterprise'
  | 'access'
  | 'login'
  | 'rights'
  | 'isPersonal'
  | 'isInternal'
  | 'notDeclarable'
  | 'deletion'
  | 'credentials';
type Defaulted = 'isUndocumented' | 'title' | 'words';

/** The handwritten part of a kind, for everything that the API schema does not state. */
export interface KindRow extends Pick<Kind, Given>, Partial<Pick<Kind, Defaulted>> {
  readonly path: string;
  readonly list: string;
  /** The `type` in manifests, if it is not the last part of the path. */
  readonly type?: string;
  /** The plural in messages, such as `OAuth2 providers`. */
  readonly several?: string;
  /** Names that no record can have, because their paths belong to other operations of the API. */
  readonly otherPaths?: readonly string[];
  /** The first release that has the kind, if the API schemas do not show it. */
  readonly since?: string;
  readonly isBase?: boolean;
  readonly isDocumented?: boolean;
  /** Whether every tested release rejects a duplicate name, so that a create can be retried safely. */
  readonly unique?: boolean;
  readonly leftOut?: Readonly<Record<string, string>>;
  /** Fields that make a record usable. They are set only after all bindings exist. */
  readonly withheld?: readonly string[];
  readonly createdWith?: Readonly<Record<string, JsonValue>>;
  /** The field with the id to which policies are bound, if it is not `pk`. */
  readonly bindableIn?: string;
  readonly listing?: Partial<Kind['listing']>;
  readonly update?: Omit<Kind['update'], 'path'>;
  /** The handwritten part of the fields. All other fields follow the API schema. */
  readonly fields?: FieldRows;
}

/** The handwritten part of a field. A string without its own `checks` is checked against the length limits of earlier releases. */
export type FieldRow<Value = JsonValue> = Omit<
  FieldOfKind<Value>,
  'since' | 'namedIn' | 'isSecret' | 'isWriteOnly' | 'isNullable' | 'findId' | 'part'
> &
  ComparisonOptions;

export type FieldRows = Readonly<Record<string, FieldRow>>;

export type RowKind = Kind<FamilyType>;

/** Makes a kind from its row and from the API schema, which is read on first use. */
export function kindFrom(row: KindRow): RowKind {
  const {
    path: ownPath,
    list,
    type: ownType,
    several,
    isBase = false,
    isDocumented = false,
    unique = false,
    leftOut = {},
    withheld = [],
    createdWith = {},
    bindableIn,
    listing,
    update,
    formerPath,
    since,
    otherPaths: _,
    ...rest
  } = row;
  const family = familyOf(list);
  const { type, identity } = family;
  const path = `/api/v3${ownPath}`;
  const sort =
    family.path === path ? undefined : { field: 'type', value: ownType ?? typeIn(family.path, path) };
  const facts = (): NewestFacts => newestFacts(ownPath);
  const model = lazy(() => modelOf(family, facts(), sort && (several ?? severalOf(sort.value, family))));
  const lookUp = lazy(() => ({ ...lookUpOf(path, { ...row, identity }, facts()), isDocumented }));
  const bindable = lazy(() => {
    if (!isBindable(facts())) return undefined;
    const hasMode = mode in facts().fields;
    return { id: bindableIn, withheld, createdWith, ...(hasMode && { mode: { field: mode, all: 'all' } }) };
  });
  const first = (): string | undefined => since ?? (formerPath ? undefined : facts().since);
  const fields = lazy(() => fieldsOf(row, family, sort, { several: model()?.list ?? list, since: first() }));
  return {
    isUndocumented: true,
    title: identity,
    words: wordsOf(family, sort),
    ...rest,
    family,
    type,
    list,
    identity,
    path,
    ...(sort && { variant: sort }),
    ...(isBase && { isBase }),
    hasReferenceFacts: Object.values(row.fields ?? {}).some(({ factField }) => factField !== undefined),
    ...(formerPath && { formerPath: { ...formerPath, path: `/api/v3${formerPath.path}` } }),
    get since() {
      return first();
    },
    get permissionApp() {
      return facts().model?.split('.')[0] ?? family.permissionApp;
    },
    get model() {
      return model();
    },
    get bindable() {
      return bindable();
    },
    get lookUp() {
      return lookUp();
    },
    listing: {
      query: { ...leftOut, ordering: identity },
      paramsIfUndeclared: {},
      completeFor: 'every token',
      isUnique: unique,
      ...listing,
    },
    update: {
      path: (name, pk) => recordPath(row, path, facts().id?.name === identity ? name : pk),
      ...update,
    },
    get fields() {
      return fields();
    },
  };
}

/** The field that decides whether one binding or every binding must pass. */
const mode = 'policy_engine_mode';

/** Policies can be bound to a kind if its records have the mode field or an id for bindings. */
function isBindable({ id, fields }: NewestFacts): boolean {
  return mode in fields || id?.name === 'pbm_uuid';
}

function boundField(children: Children, row: FieldOfKind): FieldOfKind {
  const same = (declared: JsonValue, observed: JsonValue): boolean =>
    sameBindings(children, declared, observed);
  return { default: [], same, ...row, part: 'if at_least' };
}

function recordPath({ single }: KindRow, list: string, id: string): string {
  return single === undefined ? `${list}${encodeURIComponent(id)}/` : list;
}

function fieldsOf(
  row: KindRow,
  family: Family,
  sort: Kind['variant'],
  { several, since }: { readonly several: string; readonly since: string | undefined },
): Kind['fields'] {
  const { identity } = family;
  const { path, otherPaths = [], deletion } = row;
  const facts = newestFacts(path);
  const nameChecks = [
    ...(since === undefined ? [] : [laterKindCheck(several, since)]),
    ...(otherPaths.length > 0 ? [otherPathCheck(otherPaths)] : []),
  ];
  const fields = Object.entries(rowsOf(row, family, sort, facts)).map(([name, field]) => {
    const made = fieldFrom(path, name, field, facts);
    const checks = [...(made.checks ?? []), ...nameChecks];
    return [name, name === identity && nameChecks.length > 0 ? { ...made, checks } : made] as const;
  });
  return { ...withInstructions(Object.fromEntries(fields)), ...(deletion && lifecycleFields) };
}

/** The type that the last part of a path names, such as `authenticator_validate`. */
function typeIn(all: string, path: string): string {
  const steps = all.replace(/all\/$/, '').split('/');
  const own = path.split('/').filter((step, index) => step !== steps[index] && step !== '');
  return own.filter((step) => !steps.includes(step)).join('_');
}

/** The name in permissions. Undefined if it is the same as the type. */
function modelOf({ type, model: { list } }: Family, facts: NewestFacts, several?: string): Kind['model'] {
  const [, model = type] = facts.model?.split('.') ?? [];
  return several === undefined && model === type ? undefined : { type: model, list: several ?? list };
}

const spelled = new Map(
  ['LDAP', 'SAML', 'SCIM', 'RAC', 'RADIUS', 'OAuth2', 'OAuth', 'SSF', 'GeoIP', 'SMS', 'TOTP', 'mTLS'].map(
    (word) => [word.toLowerCase(), word],
  ),
);

function severalOf(sort: string, { model: { list } }: Family): string {
  const words = sort.split('_').map((word) => spelled.get(word) ?? word);
  return `${words.join(' ')} ${list}`;
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
  sort: Kind['variant'],
  facts: NewestFacts,
): FieldRows {
  const reasons = new Set(Object.keys(notDeclarable));
  // Omits ids even if they are writable, because the service chooses them.
  const others = Object.entries(facts.fields).flatMap(([name, { readOnly }]): [string, FieldRow][] =>
    readOnly || name === id || reasons.has(name) ? [] : [[name, {}]],
  );
  return {
    ...(single === undefined && { [identity]: {} }),
    ...(sort && { [sort.field]: { isInstruction: true } }),
    ...fields,
    ...Object.fromEntries(others.filter(([name]) => fields?.[name] === undefined && name !== identity)),
    ...(isBindable(facts) && { policies: { children: policyBindings, ...fields?.['policies'] } }),
  };
}

function wordsOf({ type, list }: Family, sort: Kind['variant']): Kind['words'] {
  const words = type.replaceAll('_', ' ');
  const one = `${/^(?!user)[aeiou]/.test(words) ? 'an' : 'a'} ${words}`;
  if (sort === undefined) return { one, nameTakenHint: `Another ${words} probably has this name.` };
  const several = list.replaceAll('_', ' ');
  const nameTakenHint = `Another ${words}, of any type, probably has this name: names of ${several} are unique.`;
  return { one, nameTakenHint };
}

/** Completes the row of a field with the facts in the API schema, if the schema has the field. */
function fieldFrom(path: string, name: string, row: FieldRow, { fields }: NewestFacts): FieldOfKind {
  const { part, whole, ordered, ...own } = row;
  const { [name]: facts, [`${name}_obj`]: named } = fields;
  const reference = facts && referenceOf(path, name, facts);
  const refersTo = own.refersTo ?? (reference?.by === 'pk' ? familyNamed(reference.list) : undefined);
  const referring = refersTo && { refersTo, findId: refersTo.findId };
  if (own.children) return boundField(own.children, own);
  if (facts === undefined) return { ...own, ...referring };
  const { since, shorter, later } = facts;
  const isHidden = isSecret(path, name, facts);
  return {
    ...comparisonOf(facts, reference !== undefined, { part, whole: whole ?? isHidden, ordered }),
    ...referring,
    ...(since !== undefined && row.formerly === undefined && { since }),
    ...(named && { namedIn: `${name}_obj` }),
    ...(isHidden && { isSecret: true }),
    ...(facts.writeOnly && { isWriteOnly: true }),
    ...(facts.required && { isRequired: true }),
    ...(facts.nullable && { isNullable: true }),
    ...(shorter && { checks: [lengthCheck(name, shorter)] }),
    ...(later && { checks: [laterValueCheck(name, since, later)] }),
    ...own,
  };
}
