import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { SandboxSeed } from '../generated/sandbox-seed.ts';
import { factsOf } from '../kinds/facts.ts';
import { uuidFrom } from './ids.ts';
import { type World } from './kind.ts';

type Complete = (entry: JsonObject, world: World, index: number) => JsonObject;

const seedLists: readonly (readonly [list: keyof SandboxSeed, path: string, filled?: Complete])[] = [
  ['certificates', '/crypto/certificatekeypairs/'],
  ['roles', '/rbac/roles/'],
  ['groups', '/core/groups/'],
  [
    'flows',
    '/flows/instances/',
    ({ slug = '', name = slug, ...more }) => ({
      designation: 'authorization',
      slug,
      name,
      title: name,
      ...more,
    }),
  ],
  [
    'property_mappings',
    '/propertymappings/provider/scope/',
    ({ name = '', managed, ...more }) => ({
      name,
      expression: 'return {}',
      scope_name: managed === undefined ? name : textOf(managed).replace(/.*\/scope-/, ''),
      ...(managed !== undefined && { managed }),
      ...more,
    }),
  ],
  [
    'providers',
    '/providers/{type}/',
    ({ type = 'saml', ...provider }) => ({
      ...usualFlows,
      ...(type === 'saml' && { acs_url: 'https://saml.example.com/acs' }),
      ...provider,
    }),
  ],
  [
    'outposts',
    '/outposts/instances/',
    (outpost) => ({ type: 'proxy', config: { log_level: 'info' }, ...outpost }),
  ],
  ['applications', '/core/applications/'],
  ['users', '/core/users/'],
  ['bindings', '/policies/bindings/', bindingTarget],
  // These come last, so that the other records of the seed are exempt from the required attributes.
  [
    'object_attributes',
    '/core/object_attributes/',
    (demand) => ({
      object_type: 'authentik_core.user',
      type: 'text',
      label: demand['key'] ?? '',
      ...demand,
    }),
  ],
];

const requestedLists: ReadonlySet<string> = new Set([
  'applications',
  'users',
  'bindings',
  'object_attributes',
]);

const usualFlows: JsonObject = {
  authentication_flow: null,
  authorization_flow: uuidFrom('flow default-provider-authorization-implicit-consent'),
  invalidation_flow: uuidFrom('flow default-provider-invalidation-flow'),
};

function bindingTarget(
  { application = '', group, user, policy, ...more }: JsonObject,
  world: World,
  order: number,
): JsonObject {
  const idOrName = (path: string, field: string, name: JsonValue): JsonValue =>
    world.at(path).with(field, name)[0]?.pk ?? name;
  return {
    order,
    ...more,
    target: idOrName('/core/applications/', 'slug', application),
    ...(group !== undefined && { group: idOrName('/core/groups/', 'name', group) }),
    ...(user !== undefined && { user: idOrName('/core/users/', 'username', user) }),
    ...(policy !== undefined && { policy: policyNamed(world, textOf(policy)) }),
  };
}

function policyNamed(world: World, name: string): JsonValue {
  const path = '/policies/dummy/';
  const [existing] = world.at(path).with('name', name);
  const policy = existing ?? world.kind(path).insert({ pk: uuidFrom(`policy ${name}`), name, result: false });
  return policy.pk;
}

export interface RejectedEntry {
  readonly list: string;
  readonly index: number;
  readonly field: string;
  readonly texts: readonly (string | JsonObject)[];
}

/** Earlier releases have scope mappings at another path. */
function pathIn({ release }: World, path: string): string {
  return factsOf(release, path) ? path : path.replace('/provider/scope/', '/scope/');
}

/** Stores the entries with ids directly, then sends all other entries as requests. Returns the rejected entries. */
export function insertSeed(world: World): RejectedEntry[] {
  const entries = seedLists.flatMap(([list, path, filled = (entry) => entry]) => {
    if (list === 'object_attributes' && !world.rules.hasRequests) return [];
    const all = (world.seed[list] ?? []) as JsonObject[]; // a seed contains only JSON
    return all.map((entry, index) => ({
      list,
      index,
      path: pathIn(world, path.replace('{type}', textOf(entry['type'] ?? 'saml'))),
      pk: requestedLists.has(list) ? undefined : entry['pk'],
      whole: () => filled(entry, world, index),
    }));
  });
  const withId = entries.filter(({ pk }) => pk !== undefined);
  for (const { path, whole } of withId.toSorted((a, b) => Number(a.pk) - Number(b.pk) || 0))
    world.kind(path).insert(whole());
  const ids = new Set<string>();
  return entries.flatMap(({ list, index, path, pk, whole }): RejectedEntry[] => {
    const id = `${list} ${textOf(pk ?? null).toLowerCase()}`;
    if (pk !== undefined && ids.has(id))
      return [{ list, index, field: 'pk', texts: ['Another entry has this pk.'] }];
    ids.add(id);
    const saved = pk === undefined && world.kind(path).save(whole());
    if (!saved || 'record' in saved) return [];
    const errors =
      'errors' in saved ? saved.errors : { [saved.crashedOver]: ['The service crashes for this value.'] };
    return Object.entries(errors).map(([field, texts]) => ({ list, index, field, texts: [texts].flat() }));
  });
}
