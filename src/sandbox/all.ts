import { factsOf, hasFacts } from '../kinds/facts.ts';
import { applicationKind } from './application.ts';
import { bindingKind } from './binding.ts';
import { groupKind } from './group.ts';
import type { SandboxKind, World } from './kind.ts';
import {
  brandKind,
  certificateKind,
  objectAttributeKind,
  outpostKind,
  propertyMappingKind,
} from './named-kinds.ts';
import { oauth2Kind, providerKind, proxyKind } from './provider.ts';
import { settingsKind } from './settings.ts';
import { shownFrom, tableFrom } from './table.ts';
import { userKind } from './user.ts';

/** The kinds of which more is written than the facts and the recordings say, by where the service lists them. */
const kindsByPath: Readonly<Record<string, (world: World) => SandboxKind>> = {
  '/admin/settings/': settingsKind,
  '/core/applications/': applicationKind,
  '/core/brands/': brandKind,
  '/core/groups/': groupKind,
  '/core/object_attributes/': objectAttributeKind,
  '/core/tenants/': brandKind,
  '/core/users/': userKind,
  '/crypto/certificatekeypairs/': certificateKind,
  '/outposts/instances/': outpostKind,
  '/policies/bindings/': bindingKind,
  '/propertymappings/all/': propertyMappingKind,
  '/providers/all/': providerKind,
  '/providers/oauth2/': oauth2Kind,
  '/providers/proxy/': proxyKind,
};

/** The kind that a release lists at a path, such as `/core/groups/`; nothing where it has no such path. */
export function kindAt(world: World, path: string): SandboxKind | undefined {
  const facts = hasFacts(path) ? factsOf(world.release, path) : undefined;
  if (facts === undefined) return undefined;
  const kind = kindsByPath[path]?.(world);
  if (kind || !facts.can.includes('list')) return kind;
  return facts.can.includes('create') ? tableFrom(world, { path }) : shownFrom(world, { path });
}

/** What tests and scripts call some kinds in short, and where releases list them: the first that one has. */
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

export type WrittenType = keyof typeof shortNames;

/** What the sandbox calls a kind: in short, or by where the service lists it, such as `/stages/deny/`. */
export type KindName = WrittenType | `/${string}/`;

/** Where a release lists the kind of a name. */
export function pathNamed({ release }: World, name: string): string {
  if (!isShort(name)) return name;
  const paths: readonly string[] = shortNames[name];
  return paths.find((path) => factsOf(release, path) !== undefined) ?? name;
}

function isShort(name: string): name is WrittenType {
  return Object.hasOwn(shortNames, name);
}
