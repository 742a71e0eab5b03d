/** Kinds of changes that must be enabled by name in the settings and allowed again for each run. */
export const capabilities = ['update', 'delete'] as const;

export type Capability = (typeof capabilities)[number];

export function isCapability(name: string): name is Capability {
  return capabilities.some((capability) => capability === name);
}

/** Dangerous changes that rollcall refuses unless a run allows them, as with --allow open-login. */
export const risks = ['open-login', 'way-in', 'lockout'] as const;

export type Risk = (typeof risks)[number];

export function isRisk(name: string): name is Risk {
  return risks.some((risk) => risk === name);
}

export interface AllowedOperations {
  readonly contractOnly: boolean;
  readonly capabilities: readonly Capability[];
}

const formerReadCapabilities: ReadonlySet<string> = new Set([
  'lookup-users',
  'lookup-names',
  'lists',
  'release',
]);

/** Advice for a capability that earlier versions of rollcall required and that is now always enabled. */
export function formerCapability(name: string): string | undefined {
  return formerReadCapabilities.has(name)
    ? 'Delete it: rollcall always reads everything that the token may read. `contract_only: true` or --contract-only limits rollcall to the three documented operations.'
    : undefined;
}
