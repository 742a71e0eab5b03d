/** Changes that are off until enabled by name, and that also need the run's permission. */
export const capabilities = ['update', 'delete'] as const;

export type Capability = (typeof capabilities)[number];

export function isCapability(name: string): name is Capability {
  return capabilities.some((capability) => capability === name);
}

/** Risky results that a run refuses unless it accepts them: --allow open-login. */
export const risks = ['open-login', 'way-in', 'lockout'] as const;

export type Risk = (typeof risks)[number];

export function isRisk(name: string): name is Risk {
  return risks.some((risk) => risk === name);
}

export interface Reach {
  /** Whether only documented operations are sent. */
  readonly contractOnly: boolean;
  readonly capabilities: readonly Capability[];
}

const formerReadCapabilities: ReadonlySet<string> = new Set([
  'lookup-users',
  'lookup-names',
  'lists',
  'release',
]);

/** Advice for the name of a capability of an earlier version; its reads are always enabled now. */
export function formerCapability(name: string): string | undefined {
  return formerReadCapabilities.has(name)
    ? 'Delete it: everything that the token may read is read anyway. `contract_only: true` or --contract-only limits rollcall to the three documented operations.'
    : undefined;
}
