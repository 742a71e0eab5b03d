import type { JsonValue } from '../base/json.ts';
import type { Family } from './kind.ts';
import { newestFacts, type NewestFacts } from './facts.ts';
import { lazy, withLazy } from '../base/memoize.ts';
import { referredLists } from './references.ts';
import { longestWordQuery } from './look-up.ts';
import { isUuid } from './values.ts';

interface FamilyRow
  extends
    Partial<Pick<Family, 'query' | 'keys' | 'keyOfName' | 'searchQuery' | 'minNamesForList'>>,
    Pick<Family, 'queryById' | 'params'> {
  readonly list: string;
  readonly path?: string;
  /** The name of a list with several types in permissions, such as `authentik_flows.stage`. */
  readonly model?: string;
  readonly identity?: string;
  readonly isDeletedWithOwner?: true;
  /** Where users can find the id, if the list in the service's web interface does not show it. */
  readonly findId?: string;
}

/** The prefix of the `managed` identifiers of built-in mappings. Every service has the same identifiers. */
const builtInMappingPrefix = 'goauthentik.io/';

/** The lists that a manifest can contain. A list has one or several types, and names are unique within the list. */
const rows = {
  certificate: {
    list: 'certificates',
    findId:
      'System > Certificates shows the name. GET /api/v3/crypto/certificatekeypairs/?name=NAME returns the id as `pk`.',
  },
  role: {
    list: 'roles',
    findId:
      "The URL of the role's page in the admin interface (Directory > Roles) ends with the id. GET /api/v3/rbac/roles/?search=NAME returns the id as `pk`.",
  },
  group: {
    list: 'groups',
    params: { include_users: 'false' },
    minNamesForList: 10,
    queryById: { include_users: 'false' },
    findId:
      "The URL of the group's page in the admin interface (Directory > Groups) ends with the id. GET /api/v3/core/groups/?name=NAME returns the id as `pk`.",
  },
  property_mapping: {
    list: 'property_mappings',
    keys: { managed: 'managed', name: 'name' },
    keyOfName: (name: string): string => (name.startsWith(builtInMappingPrefix) ? 'managed' : 'name'),
    // Some releases reject unknown values of the filter `managed`, and others ignore the filter.
    searchQuery: (): Readonly<Record<string, string>> => ({}),
    minNamesForList: 1,
    findId: 'GET /api/v3/propertymappings/all/ shows name, `managed` and id (`pk`) of each mapping.',
  },
  policy: { list: 'policies', model: 'authentik_policies.policy' },
  flow: {
    list: 'flows',
    identity: 'slug',
    findId:
      'Flows and Stages > Flows shows the slug. GET /api/v3/flows/instances/?slug=SLUG returns the id as `pk`.',
  },
  source: { list: 'sources', identity: 'slug' },
  provider: {
    list: 'providers',
    queryById: {},
    findId:
      "The URL of the provider's page in the admin interface (Applications > Providers) ends with the id. GET /api/v3/providers/all/?search=NAME returns the id as `pk`.",
  },
  rac_endpoint: {
    list: 'rac_endpoints',
    path: '/rac/endpoints/',
    params: { superuser_full_list: 'true' },
  },
  service_connection: { list: 'service_connections', model: 'authentik_outposts.outpostserviceconnection' },
  outpost: { list: 'outposts', path: '/outposts/instances/' },
  connector: { list: 'connectors', model: 'authentik_endpoints.connector' },
  device_access_group: { list: 'device_access_groups' },
  prompt: { list: 'prompts' },
  stage: { list: 'stages', model: 'authentik_flows.stage' },
  invitation: { list: 'invitations', path: '/stages/invitation/invitations/' },
  application: {
    list: 'applications',
    identity: 'slug',
    // Without `superuser_full_list`, the service returns a cached list of the applications that the token's user may open.
    params: { superuser_full_list: 'true' },
  },
  entitlement: { list: 'entitlements', path: '/core/application_entitlements/' },
  brand: { list: 'brands', path: '/core/brands/', identity: 'domain' },
  user: {
    list: 'users',
    identity: 'username',
    query: { include_groups: 'false', include_roles: 'false', ordering: 'username' },
    keys: { name: 'username' },
    minNamesForList: 10,
    queryById: {},
    findId:
      "The URL of the user's page in the admin interface (Directory > Users) ends with the id. GET /api/v3/core/users/?username=NAME returns the id as `pk`.",
  },
  token: { list: 'tokens', path: '/core/tokens/', identity: 'identifier', isDeletedWithOwner: true },
  enrollment_token: { list: 'enrollment_tokens', path: '/endpoints/agents/enrollment_tokens/' },
  transport: { list: 'transports' },
  event_rule: { list: 'event_rules', path: '/events/rules/' },
  initial_permission: { list: 'initial_permissions', path: '/rbac/initial_permissions/' },
  blueprint: { list: 'blueprints', path: '/managed/blueprints/' },
  // The search of the service does not look at the names of these rules.
  lifecycle_rule: { list: 'lifecycle_rules', path: '/lifecycle/rules/', searchQuery: () => ({}) },
  request_rule: { list: 'request_rules' },
  settings: { list: 'settings', path: '/admin/settings/' },
} as const;

export type FamilyType = keyof typeof rows;

export const familyTypes: readonly FamilyType[] = Object.keys(rows) as FamilyType[]; // `rows` has exactly these keys

function familyFrom(type: FamilyType, row: FamilyRow): Family<FamilyType> {
  const { list, identity = 'name', model, ...own } = row;
  const ownPath = pathOf(row);
  const path = `/api/v3${ownPath}`;
  const modelParts = lazy(() =>
    (model ?? newestFacts(ownPath).model ?? `authentik_core.${type.replaceAll('_', '')}`).split('.'),
  );
  const family = {
    isDeletedWithOwner: false,
    findId: `GET ${path}?search=${identity.toUpperCase()} returns the id as \`pk\`.`,
    query: { ...own.params, ordering: identity },
    // If the identity is a slug, manifests refer to records by `{ slug: … }`.
    ...(identity !== 'name' && { keys: { [identity]: identity } }),
    searchQuery: (name: string) =>
      newestFacts(ownPath).filters?.includes(identity) ? { [identity]: name } : longestWordQuery(name),
    minNamesForList: 2,
    isId: (pk: JsonValue) => isValidId(ownPath, pk),
    ...own,
    type,
    list,
    path,
    identity,
  };
  return withLazy(family, {
    id: () => idFieldOf(newestFacts(ownPath)),
    permissionApp: () => modelParts()[0] ?? '',
    model: () => ({ name: modelParts()[1] ?? '', plural: list.replaceAll('_', ' ') }),
  });
}

function idFieldOf({ fields, id }: NewestFacts): string {
  return fields['pk'] || !id ? 'pk' : id.name;
}

const referredPaths: Readonly<Record<string, string | undefined>> = referredLists;

function pathOf({ list, path = referredPaths[list] }: FamilyRow): string {
  if (path === undefined) throw new Error(`the list ${list} has no path`);
  return path;
}

function isValidId(path: string, pk: JsonValue): boolean {
  return newestFacts(path).fields['pk']?.type === 'integer' ? Number.isSafeInteger(pk) : isUuid(pk);
}

export const families: readonly Family<FamilyType>[] = familyTypes.map((type) =>
  familyFrom(type, rows[type]),
);
const byList = new Map(families.map((family) => [family.list, family]));

/** Returns undefined for a list that manifests cannot contain. Manifests refer to records of such a list by id. */
export function familyNamed(list: string): Family<FamilyType> | undefined {
  return byList.get(list);
}

export function familyOf(list: string): Family<FamilyType> {
  const family = byList.get(list);
  if (family === undefined) throw new Error(`there is no list ${list}`);
  return family;
}

export function familyOfModel(app: string, name: string): Family<FamilyType> | undefined {
  return families.find(({ permissionApp, model }) => permissionApp === app && model.name === name);
}
