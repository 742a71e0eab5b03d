import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { blockYaml } from './block-yaml.ts';
import { addressOf, type DeclaredIdentity, type Identity, type Values, type Version } from './history.ts';

/** The form in which a world declares its resources. */
export interface Style {
  /** The two editions of the manifest declare the same fields, some with different values. */
  readonly edition: 'first' | 'second';
  /** Whether users have exactly the declared groups and attributes. */
  readonly exactly: boolean;
  /** Whether the manifest declares that users are active. */
  readonly declaresIsActive: boolean;
  /** Whether the manifest refers to groups and providers by name. */
  readonly refersByName: boolean;
  /** Whether each application takes the main provider that the next application had. */
  readonly handsOverProviders: boolean;
  /** The number of declared groups to which users may refer. */
  readonly declaredGroups: number;
}

/** The manifest of a run, and its resources. */
export interface Declaration {
  readonly manifest: string;
  readonly wants: Readonly<Record<string, Values>>;
}

/** The declaration of each edition. Most runs of a world use the same edition. */
export function declarationsOf(
  declared: readonly DeclaredIdentity[],
  style: Omit<Style, 'edition'>,
): (edition: Style['edition']) => Declaration {
  const known = new Map<Style['edition'], Declaration>();
  return (edition) => {
    const mine = { ...style, edition };
    const made = known.get(edition) ?? {
      manifest: manifestOf(declared, mine),
      wants: wantedOf(declared, mine),
    };
    known.set(edition, made);
    return made;
  };
}

/** The manifest of a declaration. An invalid resource refers to a role that does not exist, or contains a text that the world refuses. */
function manifestOf(declared: readonly DeclaredIdentity[], style: Style): string {
  const list = (type: Identity['type'], key: string): JsonObject => {
    const entries = declared.filter((identity) => identity.type === type);
    return entries.length === 0 ? {} : { [key]: entries.map((identity) => entryOf(identity, style)) };
  };
  return blockYaml({
    version: 1,
    ...list('application', 'applications'),
    ...list('user', 'users'),
    ...list('group', 'groups'),
  });
}

const lateGroup = { pk: '11111111-0000-4000-8000-0000000000bb', name: 'latecomers' };
const unknownGroup = '99999999-9999-4999-8999-999999999999';
const otherGroup = { pk: '00000000-0000-4000-8000-0000000000aa', name: 'climbers' };
const knownGroups = [
  { pk: 'ffe01d52-77c3-4b0e-9d2a-6c1b5a4f3e2d', name: 'night shift' },
  { pk: 'ab8ef5c2-1b9a-4d62-b3a5-0f4d1f2a3b4c', name: 'staff' },
];

/** The existing groups to which all users may refer. */
export const existingGroups = [...knownGroups, otherGroup, lateGroup];

/** The existing providers to which these applications may refer. */
export function existingProvidersFor(declared: readonly Identity[]): { pk: number; name: string }[] {
  const numbers = declared.flatMap(({ type, name }) => (type === 'application' ? Number(name.slice(1)) : []));
  const ids = new Set(numbers.flatMap((number) => [20 + number, 40 + number, 60 + number, 61 + number]));
  return Array.from(ids, (pk) => ({ pk, name: nameOfProvider(pk) }));
}

function nameOfProvider(pk: JsonValue): string {
  return `realm-${textOf(pk)}`;
}

/** The main provider of an application: its own one before the runs, and afterwards the one that the next application had. */
function mainProviderOf({ name }: Identity, when: 'before' | 'after'): number {
  return 60 + Number(name.slice(1)) + (when === 'after' ? 1 : 0);
}

/** The ids of the declared groups, in declared order. */
export const groupIds: readonly string[] = knownGroups.map(({ pk }) => pk);

/** The ids in another spelling and order than in the service. */
const declaredGroups = groupIds.map((pk) => pk.toUpperCase());

/** The field that a create in part leaves out. */
export const partialFields: Readonly<Record<string, string>> = {
  application: 'backchannel_providers',
  user: 'groups',
  group: 'attributes',
};

/** The declared fields except names. The service writes some of these values differently, with the same meaning. */
function detailsOf({ type, name }: Identity, room = rooms.first): JsonObject {
  const number = Number(name.slice(1));
  if (type === 'group') return { attributes: { desk: { room } } };
  return type === 'application'
    ? { backchannel_providers: [40 + number, 20 + number] }
    : {
        groups: declaredGroups,
        last_login: '2024-05-01T10:00:00+02:00',
        attributes: { desk: { room } },
      };
}

const rooms = { first: '4.2', second: '5.1' };

/** Undeclared values of a record. */
const besides: Readonly<Record<string, JsonObject>> = {
  application: { meta_publisher: 'Somebody' },
  user: {
    email: 'somebody@example.com',
    groups: [...declaredGroups, otherGroup.pk],
    attributes: { desk: { room: '4.2', floor: 4 }, hired: 2020 },
  },
  group: {},
};

/** A declared group that has no id before it is created. */
function madeGroup(number: number): JsonObject {
  return { name: `g${number}` };
}

/** The fields of an invalid resource, which never matches its declaration. */
function invalidFieldsOf({ type }: Identity): JsonObject {
  if (type === 'group') return { roles: [unknownGroup] };
  return type === 'application' ? { group: refusedText } : { email: refusedText };
}

/** A value that rollcall accepts and the world refuses. */
const refusedText = 'refused@example.com';

/** Replaces a refused value by the id of a missing record: the sandbox refuses that. */
export function asAccepted(body: string): string {
  if (!body.includes(refusedText)) return body;
  const fields = JSON.parse(body) as JsonObject; // rollcall sends a JSON object
  return JSON.stringify({
    ...fields,
    ...('email' in fields ? { groups: [unknownGroup] } : { provider: 190 }),
  });
}

/** The refusal, with the value that the run really sent. */
export function refusalWithSentValue(sent: string, complaint: string): string {
  if (!sent.includes(refusedText)) return complaint;
  return complaint.replace('"groups":', '"email":').replace('"provider":', '"group":');
}

/** The declared fields of a resource, except its name. */
function fieldsOf(
  identity: DeclaredIdentity,
  { edition, declaresIsActive: access, handsOverProviders: handed, declaredGroups: made }: Style,
): JsonObject {
  const { type, name } = identity;
  const number = Number(name.slice(1));
  const details = detailsOf(identity, rooms[edition]);
  const mine = made === 0 ? [] : [madeGroup(number % made)];
  return {
    ...(type !== 'group' && { name: nameOf(identity, edition) }),
    ...details,
    ...(type === 'user' && { groups: [...declaredGroups, ...mine] }),
    // In alphabetical order, a child would come before its parent.
    ...(type === 'group' && number + 1 < made && { parents: [madeGroup(number + 1)] }),
    ...(handed &&
      !identity.invalid &&
      identity.type === 'application' && {
        provider: mainProviderOf(identity, edition === 'first' ? 'after' : 'before'),
      }),
    ...(access && identity.type === 'user' && { is_active: true }),
    ...(identity.invalid && invalidFieldsOf(identity)),
  };
}

function nameOf({ name }: Identity, edition: Style['edition'] = 'first'): string {
  return edition === 'first' ? `Name of ${name}` : `Second name of ${name}`;
}

const keys: Readonly<Record<string, string>> = { application: 'slug', user: 'username' };

function entryOf(identity: DeclaredIdentity, style: Style): JsonObject {
  const asked = style.exactly ? { exactly: ['attributes'] } : { at_least: ['groups'] };
  const whole = identity.type === 'user' && asked;
  const plain = style.refersByName ? withNames(fieldsOf(identity, style)) : fieldsOf(identity, style);
  const fields = identity.stray ? astray(identity, plain) : plain;
  return { [keys[identity.type] ?? 'name']: identity.name, ...fields, ...whole };
}

/** The fields with names of groups and providers instead of ids. The id of a missing record stays. */
function withNames(fields: JsonObject): JsonObject {
  const names = new Map(existingGroups.map(({ pk, name }) => [pk, name]));
  const named = (id: JsonValue): JsonValue => {
    const name = typeof id === 'number' ? nameOfProvider(id) : names.get(textOf(id).toLowerCase());
    return name === undefined ? id : { name };
  };
  const entries = Object.entries(fields).map(([field, value]) => [
    field,
    isJsonList(value) ? value.map((id) => named(id)) : field === 'provider' ? named(value) : value,
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

/** The fields with an additional reference to the name of a missing record. */
function astray({ type, name }: Identity, fields: JsonObject): JsonObject {
  const field = partialFields[type] ?? '';
  const ids = fields[field] ?? null;
  return { ...fields, [field]: [...(isJsonList(ids) ? ids : []), { name: `${missingNamePrefix} ${name}` }] };
}

/** The prefix of names that no record has. An application has its own backchannel provider besides. */
export const missingNamePrefix = 'nobody';

/** The form of a record that another client creates: all declared and further values, only the name, or in between. */
export type Condition = 'same' | 'bare' | 'mixed';

/** The body of another client's create. */
export function bodyOf(identity: Identity, condition: Condition, handed = false): JsonObject {
  const { type, name } = identity;
  const bare = { name: 'Another name', [keys[type] ?? 'name']: name };
  if (condition === 'bare') return bare;
  const provider = mainProviderOf(identity, condition === 'same' ? 'after' : 'before');
  const same = {
    ...bare,
    ...(type !== 'group' && { name: nameOf(identity) }),
    ...detailsOf(identity),
    ...besides[type],
    ...(handed && type === 'application' && { provider }),
  };
  return condition === 'same' ? same : { ...same, ...mixed[type] };
}

const mixed: Readonly<Record<string, JsonObject>> = {
  group: { attributes: { desk: { room: '9.9' } } },
  application: { name: 'Another name', meta_description: 'Old' },
  user: {
    name: 'Another name',
    groups: [otherGroup.pk, ...groupIds.slice(1)],
    attributes: { desk: { room: '9.9', floor: 4 }, hired: 2020 },
    is_active: false,
  },
};

/** The changes that another client makes to a record. */
export const edits = [
  'renames',
  'joins',
  'leaves',
  'moves',
  'notes',
  'describes',
  'locks',
  'restores',
] as const;

export type Edit = (typeof edits)[number];

/** The body with which another client updates an existing record. */
export function editOf(edit: Edit, identity: Identity, record: JsonObject): JsonObject {
  const { attributes, groups } = record;
  const keptAttributes = isJsonObject(attributes) ? attributes : {};
  const keptGroups = isJsonList(groups) ? groups : [];
  const ofUser = identity.type === 'user';
  switch (edit) {
    case 'renames':
      return { name: 'A name by somebody' };
    case 'joins':
      return ofUser ? { groups: [...keptGroups, lateGroup.pk] } : {};
    case 'leaves':
      return ofUser
        ? { groups: keptGroups.filter((pk) => pk !== groupIds[0]) }
        : { backchannel_providers: [] };
    case 'moves':
      return ofUser ? { attributes: { ...keptAttributes, desk: { room: '7.7', floor: 7 } } } : {};
    case 'notes':
      return ofUser ? { attributes: { ...keptAttributes, note: 'late' } } : { meta_description: 'late' };
    case 'describes':
      return ofUser ? { email: 'late@example.com' } : { meta_publisher: 'late' };
    case 'locks':
      return ofUser ? { is_active: false } : {};
    case 'restores':
      return { name: nameOf(identity), ...detailsOf(identity) };
  }
}

/** The declared values of a resource, in normalized form. */
function wantedOf(declared: readonly DeclaredIdentity[], style: Style): Record<string, Values> {
  return Object.fromEntries(
    declared.map((identity) => {
      const fields = Object.entries(fieldsOf(identity, style));
      return [
        addressOf(identity),
        Object.fromEntries(fields.map(([field, value]) => [field, inOneForm(field, value)])),
      ];
    }),
  );
}

/** Compares a record with its declaration. */
export function versionOf(identity: DeclaredIdentity, style: Style, shownRecord: JsonObject): Version {
  const record = withMade(shownRecord);
  const fields: Record<string, string> = {};
  const undeclared: Record<string, string> = {};
  for (const [field, declared] of Object.entries(fieldsOf(identity, style))) {
    const held = record[field] ?? null;
    const isWhole = style.exactly || (field !== 'groups' && field !== 'attributes');
    fields[field] = inOneForm(field, isWhole ? held : partOf(declared, held));
    if (!isWhole) undeclared[field] = inOneForm(field, restOf(declared, held));
  }
  for (const [field, held] of Object.entries(record))
    if (!(field in fields) && !shown.has(field)) undeclared[field] = inOneForm(field, held);
  return { pk: textOf(record['pk']), fields, undeclared };
}

/** A record with the names of declared groups instead of their ids. */
function withMade(record: JsonObject): JsonObject {
  const { groups, groups_obj: ofUser, parent, parent_name: nameOfParent } = record;
  const names = new Map(
    (isJsonList(ofUser ?? null) ? (ofUser as JsonObject[]) : []).map(({ pk, name }) => [pk, textOf(name)]),
  );
  const named = (id: JsonValue, name: string = ''): JsonValue => (/^g\d+$/.test(name) ? { name } : id);
  return {
    ...record,
    ...(groups !== undefined &&
      isJsonList(groups) && { groups: eachOnce(groups.map((pk) => named(pk, names.get(pk)))) }),
    ...(parent !== undefined && { parents: parent === null ? [] : [named(parent, textOf(nameOfParent))] }),
  };
}

/** For the declaration, two groups with the same name are one. */
function eachOnce(values: readonly JsonValue[]): JsonValue {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** The other fields, as the service shows them. */
const shown = new Set([
  'num_pk',
  'parent',
  'parent_name',
  'users',
  'users_obj',
  'groups_obj',
  'roles_obj',
  'provider_obj',
  'backchannel_providers_obj',
  'launch_url',
]);

function inOneForm(field: string, value: JsonValue): string {
  if (field === 'last_login') return String(Date.parse(textOf(value)));
  return JSON.stringify(isJsonList(value) ? idsIn(value).toSorted() : sorted(value));
}

function sorted(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function idsIn(value: JsonValue): string[] {
  return isJsonList(value) ? value.map((id) => textOf(id).toLowerCase()) : [];
}

/** The part of a value that the declaration covers. */
function partOf(declared: JsonValue, held: JsonValue): JsonValue {
  if (isJsonList(held)) return idsIn(held).filter((id) => idsIn(declared).includes(id));
  if (!isJsonObject(held) || !isJsonObject(declared)) return held;
  const entries = Object.entries(held).filter(([key]) => key in declared);
  return Object.fromEntries(entries.map(([key, value]) => [key, partOf(declared[key] ?? null, value)]));
}

/** The part of a value that the declaration does not cover. */
function restOf(declared: JsonValue, held: JsonValue): JsonValue {
  if (isJsonList(held)) return idsIn(held).filter((id) => !idsIn(declared).includes(id));
  if (!isJsonObject(held) || !isJsonObject(declared)) return null;
  const entries = Object.entries(held).flatMap(([key, value]) => {
    if (!(key in declared)) return [[key, value] as const];
    const rest = restOf(declared[key] ?? null, value);
    return isJsonObject(rest) && Object.keys(rest).length > 0 ? [[key, rest] as const] : [];
  });
  return Object.fromEntries(entries);
}
