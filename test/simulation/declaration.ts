import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import type { DeclaredIdentity, Identity } from './history.ts';

/** The manifest of what is declared. What is invalid names a provider, or a group, that the service does not know. */
export function manifestOf(declared: readonly DeclaredIdentity[]): string {
  const list = (type: Identity['type'], key: string): string[] => {
    const identities = declared.filter((identity) => identity.type === type);
    return identities.length === 0 ? [] : [`${key}:`, ...identities.flatMap((identity) => entryOf(identity))];
  };
  return ['version: 1', ...list('application', 'applications'), ...list('user', 'users'), ''].join('\n');
}

const unknownGroup = '99999999-9999-4999-8999-999999999999';
const otherGroup = { pk: '00000000-0000-4000-8000-0000000000aa', name: 'climbers' };
const knownGroups = [
  { pk: 'ffe01d52-77c3-4b0e-9d2a-6c1b5a4f3e2d', name: 'night shift' },
  { pk: 'ab8ef5c2-1b9a-4d62-b3a5-0f4d1f2a3b4c', name: 'staff' },
];

/** What the world holds of what the resources refer to: groups for all users, backchannel providers for each application. */
export const world = {
  groups: [...knownGroups, otherGroup],
  providers: Array.from({ length: 20 }, (_, index) => ({ pk: 20 + index, name: `Provider ${20 + index}` })),
};

/** The ids of the groups that are declared, in their order there. */
export const groupIds: readonly string[] = knownGroups.map(({ pk }) => pk);

/** In another form and in another order than the service has them. */
const declaredGroups = groupIds.map((pk) => pk.toUpperCase());

/** The field that is missing where the world creates in part. */
export const partialField = { application: 'backchannel_providers', user: 'groups' } as const;

/** What is declared beside the names: what the service writes otherwise than the manifest, and means the same by. */
function detailsOf({ type, name }: Identity): JsonObject {
  const number = Number(name.slice(1));
  return type === 'application'
    ? { backchannel_providers: [30 + number, 20 + number] }
    : {
        groups: declaredGroups,
        last_login: '2024-05-01T10:00:00+02:00',
        attributes: { desk: { room: '4.2' } },
      };
}

/** What stands beside what is declared, and is nobody's business. */
const besides = {
  application: { meta_publisher: 'Somebody' },
  user: {
    email: 'somebody@example.com',
    groups: [...declaredGroups, otherGroup.pk],
    attributes: { desk: { room: '4.2', floor: 4 }, hired: 2020 },
  },
};

/** What is invalid, and so is never as declared. */
function invalidFieldsOf({ type, name }: Identity): JsonObject {
  return type === 'application'
    ? { provider: 90 + Number(name.slice(1)) }
    : { groups: [...declaredGroups, unknownGroup] };
}

/** All that is declared of something, but its name. */
function fieldsOf(identity: DeclaredIdentity): JsonObject {
  return {
    name: `Name of ${identity.name}`,
    ...detailsOf(identity),
    ...(identity.invalid && invalidFieldsOf(identity)),
  };
}

const keys = { application: 'slug', user: 'username' } as const;

function entryOf(identity: DeclaredIdentity): string[] {
  return [
    `  - ${keys[identity.type]}: ${identity.name}`,
    ...Object.entries(fieldsOf(identity)).flatMap(([field, value]) => fieldOf(field, value, '    ')),
  ];
}

/** In blocks: that is read many times as fast as a list in brackets, and most of a simulation is reading. */
function fieldOf(field: string, value: JsonValue, indent: string): string[] {
  if (isJsonList(value))
    return [`${indent}${field}:`, ...value.map((item) => `${indent}  - ${JSON.stringify(item)}`)];
  if (isJsonObject(value))
    return [
      `${indent}${field}:`,
      ...Object.entries(value).flatMap(([key, item]) => fieldOf(key, item, `${indent}  `)),
    ];
  return [`${indent}${field}: ${JSON.stringify(value)}`];
}

/** The body of a create request by somebody else. */
export function bodyOf({ type, name }: Identity, differs: boolean): JsonObject {
  return differs
    ? { [keys[type]]: name, name: 'Another name' }
    : { [keys[type]]: name, name: `Name of ${name}`, ...detailsOf({ type, name }), ...besides[type] };
}

/** The declared fields that are otherwise in a record of the service. */
export function differingFrom(identity: DeclaredIdentity, record: JsonObject): string[] {
  return Object.entries(fieldsOf(identity)).flatMap(([field, declared]) =>
    holds(field, declared, record[field] ?? null) ? [] : [field],
  );
}

function holds(field: string, declared: JsonValue, held: JsonValue): boolean {
  switch (field) {
    case 'last_login':
      return Date.parse(textOf(declared)) === Date.parse(textOf(held));
    case 'groups':
      return idsIn(declared).every((id) => idsIn(held).includes(id));
    case 'backchannel_providers':
      return idsIn(declared).toSorted().join(' ') === idsIn(held).toSorted().join(' ');
    case 'attributes':
      return contains(held, declared);
    default:
      return declared === held;
  }
}

function idsIn(value: JsonValue): string[] {
  return isJsonList(value) ? value.map((id) => textOf(id).toLowerCase()) : [];
}

function contains(held: JsonValue, part: JsonValue): boolean {
  if (!isJsonObject(held) || !isJsonObject(part)) return held === part;
  return Object.entries(part).every(([key, value]) => contains(held[key] ?? null, value));
}
