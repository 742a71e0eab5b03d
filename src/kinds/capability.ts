import { groups, providers } from './related.ts';

/** What rollcall can do beyond the three documented operations of the service. Each is off until it is turned on by its name. */
export const capabilities = ['lookup-users', 'lookup-names', 'lists', 'release', 'update'] as const;

export type Capability = (typeof capabilities)[number];

/** What must be turned on for names in place of ids: to look one up is none of the documented operations. */
export const namesNeed: Capability = 'lookup-names';

/** What each adds, in a few words. */
export const capabilityWords: Readonly<Record<Capability, string>> = {
  'lookup-users': 'plans see users: who is absent, and who differs',
  'lookup-names': 'manifests name providers and groups by name',
  lists: 'read in pages what would take a request each',
  release: 'check manifests by the release that the service has',
  update: 'change what differs, where a run is allowed to: --allow update',
};

/** The lists that each reads of its own, and where the service has them. */
export const capabilityReads: Readonly<
  Record<Capability, readonly { readonly list: string; readonly path: string }[]>
> = {
  'lookup-users': [{ list: 'users', path: '/api/v3/core/users/' }],
  'lookup-names': [groups, providers],
  lists: [],
  release: [],
  update: [],
};

/** The permissions that each needs besides those of the documented operations, as the service calls them. */
export const capabilityPermissions: Readonly<Record<Capability, readonly string[]>> = {
  'lookup-users': ['authentik_core.view_user'],
  'lookup-names': ['authentik_core.view_group', 'authentik_core.view_provider'],
  lists: [], // what is listed is what can be looked up as well
  release: [],
  update: ['authentik_core.change_application', 'authentik_core.change_user'],
};

export function isCapability(name: string): name is Capability {
  return capabilities.some((capability) => capability === name);
}

/** What may be done beside creating what is missing. It takes the capability of this name, and the permission for the run. */
export type Permitted = Extract<Capability, 'update'>;

export const permitted: readonly Permitted[] = ['update'];
