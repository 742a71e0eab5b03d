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

export function isCapability(name: string): name is Capability {
  return capabilities.some((capability) => capability === name);
}

/** What may be done beside creating what is missing. It takes the capability of this name, and the permission for the run. */
export type Permitted = Extract<Capability, 'update'>;

export const permitted: readonly Permitted[] = ['update'];
