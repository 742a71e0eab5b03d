import { factsOf, hasFacts } from '../kinds/facts.ts';
import { applicationKind } from './application.ts';
import { bindingKind } from './binding.ts';
import { groupKind } from './group.ts';
import type { SandboxKind, World } from './kind.ts';
import {
  brandKind,
  certificateKind,
  objectAttributeKind,
  geoipKind,
  lifecycleRuleKind,
  outpostKind,
  propertyMappingKind,
  tokenKind,
} from './named-kinds.ts';
import { oauth2Kind, providerKind, proxyKind } from './provider.ts';
import { settingsKind } from './settings.ts';
import { readOnlyKindFrom, writableKindFrom } from './table.ts';
import { userKind } from './user.ts';

/** The kinds with handwritten behaviour, by the path of the list. */
const kindsByPath: Readonly<Record<string, (world: World) => SandboxKind>> = {
  '/admin/settings/': settingsKind,
  '/core/applications/': applicationKind,
  '/core/brands/': brandKind,
  '/core/groups/': groupKind,
  '/core/object_attributes/': objectAttributeKind,
  '/core/tenants/': brandKind,
  '/core/tokens/': tokenKind,
  '/core/users/': userKind,
  '/crypto/certificatekeypairs/': certificateKind,
  '/lifecycle/rules/': lifecycleRuleKind,
  '/outposts/instances/': outpostKind,
  '/policies/bindings/': bindingKind,
  '/policies/geoip/': geoipKind,
  '/propertymappings/all/': propertyMappingKind,
  '/providers/all/': providerKind,
  '/providers/oauth2/': oauth2Kind,
  '/providers/proxy/': proxyKind,
};

/** The kind at a list path such as `/core/groups/`, or undefined if the release does not have the path. */
export function kindAt(world: World, path: string): SandboxKind | undefined {
  const facts = hasFacts(path) ? factsOf(world.release, path) : undefined;
  if (facts === undefined) return undefined;
  const kind = kindsByPath[path]?.(world);
  if (kind || !facts.can.includes('list')) return kind;
  return facts.can.includes('create') ? writableKindFrom(world, { path }) : readOnlyKindFrom(world, { path });
}

/** Short names of kinds, for tests and scripts, with the possible paths of each. A release uses the first path that it has. */
const shortNames = {
  application: ['/core/applications/'],
  certificate: ['/crypto/certificatekeypairs/'],
  group: ['/core/groups/'],
  oauth2: ['/providers/oauth2/'],
  outpost: ['/outposts/instances/'],
  provider_scope: ['/propertymappings/provider/scope/', '/propertymappings/scope/'],
  proxy: ['/providers/proxy/'],
  role: ['/rbac/roles/'],
  user: ['/core/users/'],
} as const;

export type ShortKindName = keyof typeof shortNames;

/** The name of a kind in the sandbox: a short name, or the path of the list, such as `/stages/deny/`. */
export type KindName = ShortKindName | `/${string}/`;

export function pathOfName({ release }: World, name: string): string {
  if (!isShort(name)) return name;
  const paths: readonly string[] = shortNames[name];
  return paths.find((path) => factsOf(release, path) !== undefined) ?? name;
}

function isShort(name: string): name is ShortKindName {
  return Object.hasOwn(shortNames, name);
}
