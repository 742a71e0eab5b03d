import type { JsonObject, JsonValue } from '../base/json.ts';
import type { SandboxSeed } from '../generated/sandbox-seed.ts';
import { pathNamed, type KindName } from './all.ts';
import { uuid } from './ids.ts';
import { isWritten, type World } from './kind.ts';

/** Stores the records of a seed that have an id, unchanged; omitted fields get the service's defaults. */
export function plantSeed(world: World): void {
  const { certificates, flows, groups, outposts, property_mappings: mappings, providers, roles } = world.seed;
  plant(world, 'role', roles);
  plant(world, 'group', groups);
  plant(
    world,
    '/flows/instances/',
    flows?.map(({ slug, name = slug, ...more }) => ({
      designation: 'authorization',
      slug,
      name,
      title: name,
      ...more,
    })),
  );
  plant(world, 'certificate', certificates);
  plant(
    world,
    'provider_scope',
    mappings?.map(({ name, managed, ...more }) => ({
      name,
      expression: 'return {}',
      scope_name: managed?.replace(/.*\/scope-/, '') ?? name,
      ...(managed !== undefined && { managed }),
      ...more,
    })),
  );
  for (const { type = 'saml', ...provider } of providers?.toSorted((a, b) => a.pk - b.pk) ?? [])
    plant(world, `/providers/${type}/`, [
      { ...someFlows, ...(type === 'saml' && { acs_url: 'https://saml.example.com/acs' }), ...provider },
    ]);
  plant(
    world,
    'outpost',
    outposts?.map((outpost) => ({ type: 'proxy', config: { log_level: 'info' }, ...outpost })),
  );
}

const someFlows = {
  authentication_flow: null,
  authorization_flow: uuid('flow default-provider-authorization-implicit-consent'),
  invalidation_flow: uuid('flow default-provider-invalidation-flow'),
};

function plant(world: World, name: KindName, records: readonly object[] = []): void {
  const kind = world.kind(pathNamed(world, name));
  if (!isWritten(kind)) return;
  for (const record of records) if ('pk' in record) kind.writing.plant(record as JsonObject); // of a seed, which was read as JSON
}

export interface Asked {
  readonly list: keyof SandboxSeed;
  readonly path: string;
  /** Evaluated when the previous ones exist. */
  readonly bodies: () => readonly (JsonObject | undefined)[];
}

export function requestsOf(world: World): readonly Asked[] {
  const {
    applications = [],
    certificates,
    groups,
    object_attributes: demands = [],
    roles,
    users = [],
  } = world.seed;
  const type = { object_type: 'authentik_core.user', type: 'text' };
  return [
    { list: 'certificates', path: '/crypto/certificatekeypairs/', bodies: () => withoutId(certificates) },
    { list: 'roles', path: '/rbac/roles/', bodies: () => withoutId(roles) },
    { list: 'groups', path: '/core/groups/', bodies: () => withoutId(groups) },
    { list: 'applications', path: '/core/applications/', bodies: () => applications },
    { list: 'users', path: '/core/users/', bodies: () => users },
    { list: 'bindings', path: '/policies/bindings/', bodies: () => bindingsOf(world) },
    ...(world.rules.hasRequests
      ? [
          {
            list: 'object_attributes' as const,
            path: '/core/object_attributes/',
            bodies: () => demands.map((demand) => ({ ...type, label: demand.key, ...demand })),
          },
        ]
      : []),
  ];
}

function withoutId(records: readonly { readonly pk?: string }[] = []): (JsonObject | undefined)[] {
  return records.map((record) => (record.pk === undefined ? { ...record } : undefined));
}

function bindingsOf(world: World): JsonObject[] {
  const byName = (path: string, field: string, name: string): JsonValue =>
    world.at(path).with(field, name)[0]?.pk ?? name;
  return (world.seed.bindings ?? []).map(({ application, group, user, policy, ...more }, order) => ({
    order,
    ...more,
    target: byName('/core/applications/', 'slug', application),
    ...(group !== undefined && { group: byName('/core/groups/', 'name', group) }),
    ...(user !== undefined && { user: byName('/core/users/', 'username', user) }),
    ...(policy !== undefined && { policy: policyNamed(world, policy) }),
  }));
}

/** The policy of a name; created, and passed by nobody, if missing. */
function policyNamed(world: World, name: string): JsonValue {
  const path = '/policies/dummy/';
  const known = (): JsonValue | undefined => world.at(path).with('name', name)[0]?.pk;
  if (known() === undefined) plant(world, path, [{ pk: uuid(`policy ${name}`), name, result: false }]);
  return known() ?? null;
}
