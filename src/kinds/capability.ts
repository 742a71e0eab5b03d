/** What rollcall can do beyond reading and creating. Each is off until it is turned on by its name, and takes a permission for the run. */
export const capabilities = ['update', 'delete'] as const;

export type Capability = (typeof capabilities)[number];

export function isCapability(name: string): name is Capability {
  return capabilities.some((capability) => capability === name);
}

/** What a run may bring about only where somebody has decided that: --allow open-login. */
export const risks = ['open-login', 'way-in', 'lockout'] as const;

export type Risk = (typeof risks)[number];

export function isRisk(name: string): name is Risk {
  return risks.some((risk) => risk === name);
}

/** How far a run goes beyond the three documented operations of the service. */
export interface Reach {
  /** Not at all: nothing else is sent. */
  readonly contractOnly: boolean;
  readonly capabilities: readonly Capability[];
}

const readOnes: ReadonlySet<string> = new Set(['lookup-users', 'lookup-names', 'lists', 'release']);

/** What to say of a name that was once a capability: what is read is no question any more. */
export function formerCapability(name: string): string | undefined {
  return readOnes.has(name)
    ? 'Delete it: everything that the token may read is read anyway. `contract_only: true` or --contract-only limits rollcall to the three documented operations.'
    : undefined;
}
