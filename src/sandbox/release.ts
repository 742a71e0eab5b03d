export const sandboxReleases = ['2023.10', '2025.12', '2026.2', '2026.5', '2026.8'] as const;
export type SandboxRelease = (typeof sandboxReleases)[number];

/** The default is the oldest release: except for a few slugs, later releases accept all requests that the oldest accepts. */
export const defaultRelease: SandboxRelease = '2023.10';

export interface ReleaseRules {
  readonly version: string;
  readonly json: string;
  readonly vary: string;
  /** Whether the release is 2025.12 or later. */
  readonly isFrom2025: boolean;
  readonly reservedSlugs: ReadonlySet<string>;
  readonly launchUrlKeys: readonly string[];
  readonly pageLimits: { readonly size: number; readonly most: number };
  readonly hasRequests: boolean;
}

const commonKeys = ['username', 'name', 'email', 'path', 'type', 'uuid', 'attributes'];

const lateRules: Omit<ReleaseRules, 'version' | 'json'> = {
  vary: 'Accept-Language, Cookie',
  isFrom2025: true,
  reservedSlugs: new Set(['authorize', 'token', 'device', 'userinfo', 'introspect', 'revoke']),
  launchUrlKeys: [...commonKeys, 'pk', 'uid'],
  pageLimits: { size: 20, most: 100 },
  hasRequests: false,
};

const rulesOf2026: Omit<ReleaseRules, 'version'> = { ...lateRules, json: 'application/json' };

export const rulesOf: Readonly<Record<SandboxRelease, ReleaseRules>> = {
  '2023.10': {
    version: '2023.10.7',
    json: 'application/json',
    vary: 'Cookie',
    isFrom2025: false,
    reservedSlugs: new Set(),
    launchUrlKeys: [...commonKeys, 'id'],
    pageLimits: { size: 100, most: Infinity },
    hasRequests: false,
  },
  '2025.12': { ...lateRules, version: '2025.12.4', json: 'application/json; charset=utf-8' },
  '2026.2': { ...rulesOf2026, version: '2026.2.2' },
  '2026.5': { ...rulesOf2026, version: '2026.5.6' },
  '2026.8': { ...rulesOf2026, version: '2026.8.3', hasRequests: true },
};
