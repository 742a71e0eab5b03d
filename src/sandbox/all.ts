import type { ResourceType } from '../kinds/all.ts';
import { applicationKind } from './application.ts';
import { bindingKind } from './binding.ts';
import { groupKind } from './group.ts';
import type { SandboxKind, World, WrittenKind } from './kind.ts';
import { objectAttributeKind } from './object-attribute.ts';
import { providerKind } from './provider.ts';
import { roleKind } from './role.ts';
import { userKind, type Users } from './user.ts';

/** All kinds that the sandbox holds, each a file of its own and a line here. What a seed asks for is created in this order. */
export function allKinds(world: World): SandboxKinds {
  return {
    group: groupKind(world),
    application: applicationKind(world),
    user: userKind(world),
    provider: providerKind(world),
    role: roleKind(world),
    binding: bindingKind(world),
    ...(world.rules.hasRequests && { objectAttribute: objectAttributeKind(world) }),
  };
}

/** What manifests declare can be written; the others are what that refers to. */
export type SandboxKinds = Readonly<Record<string, SandboxKind>> &
  Readonly<Record<ResourceType, WrittenKind>> & { readonly user: Users };
