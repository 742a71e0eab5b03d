import { applicationKind } from './application.ts';
import { bindingKind } from './binding.ts';
import { groupKind } from './group.ts';
import type { SandboxKind, World, WrittenKind } from './kind.ts';
import {
  brandKind,
  certificateKind,
  flowKind,
  propertyMappingKind,
  roleKind,
  scopeMappingKind,
} from './named-kinds.ts';
import { oauth2Kind } from './oauth2.ts';
import { objectAttributeKind } from './object-attribute.ts';
import { outpostKind } from './outpost.ts';
import { providerKind } from './provider.ts';
import { proxyKind } from './proxy.ts';
import { hasSettings, settingsKind } from './settings.ts';
import { userKind, type Users } from './user.ts';

/** All kinds that the sandbox holds, each written one in a file of its own and a line here. What a seed asks for is created in this order. */
export function allKinds(world: World): SandboxKinds {
  return {
    group: groupKind(world),
    application: applicationKind(world),
    user: userKind(world),
    oauth2: oauth2Kind(world),
    proxy: proxyKind(world),
    outpost: outpostKind(world),
    provider: providerKind(world),
    role: roleKind(world),
    provider_scope: scopeMappingKind(world),
    flow: flowKind(world),
    certificate: certificateKind(world),
    brand: brandKind(world),
    ...(hasSettings(world) && { settings: settingsKind(world) }),
    propertyMapping: propertyMappingKind(world),
    binding: bindingKind(world),
    ...(world.rules.hasRequests && { objectAttribute: objectAttributeKind(world) }),
  };
}

/** What manifests declare can be written; the others are what that refers to. */
export type SandboxKinds = Readonly<Record<string, SandboxKind>> &
  Readonly<Record<WrittenType, WrittenKind>> & { readonly user: Users };

/** What the sandbox calls a kind: its name here, or where the service lists it, such as `/stages/deny/`. */
export type KindName = WrittenType | `/${string}/`;

export type WrittenType =
  | 'certificate'
  | 'role'
  | 'provider_scope'
  | 'group'
  | 'application'
  | 'user'
  | 'oauth2'
  | 'proxy'
  | 'outpost';
