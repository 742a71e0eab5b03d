/** What rollcall can do beyond the three documented operations of the service. Each is off until it is turned on by its name. */
export const capabilities = ['lookup-users', 'lists', 'release'] as const;

export type Capability = (typeof capabilities)[number];

export function isCapability(name: string): name is Capability {
  return capabilities.some((capability) => capability === name);
}
