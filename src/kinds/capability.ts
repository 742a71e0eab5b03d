/** What rollcall can do beyond the three documented operations of the service. Each is off until it is turned on by its name. */
export const capabilities = ['lookup-users', 'lists', 'release', 'update'] as const;

export type Capability = (typeof capabilities)[number];

/** The permissions that each needs besides those of the documented operations, as the service calls them. */
export const capabilityPermissions: Readonly<Record<Capability, readonly string[]>> = {
  'lookup-users': ['authentik_core.view_user'],
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
