export const sandboxReleases = ['2023.10', '2025.12', '2026.2', '2026.5', '2026.8'] as const;
export type SandboxRelease = (typeof sandboxReleases)[number];

/** Later releases accept everything that the oldest accepts, except a few slugs. */
export const defaultRelease: SandboxRelease = '2023.10';

/** The behaviour of one release. */
export interface Rules {
  readonly version: string;
  readonly json: string;
  /** The Vary header of its answers. */
  readonly vary: string;
  /**
   * Whether it has the changes up to the end of 2025: icons and roles as fields, times of users, more fields in records and
   * lists; the permission to change one record suffices; and without a token, a single record is requested as a user without
   * permissions.
   */
  readonly isLate: boolean;
  readonly reservedSlugs: ReadonlySet<string>;
  /** User properties in templates of launch URLs. */
  readonly launchUrlKeys: readonly string[];
  readonly pages: { readonly size: number; readonly most: number };
  /** Whether it has access requests: a list of what can be requested, and required attributes. */
  readonly hasRequests: boolean;
}

const everyKeys = ['username', 'name', 'email', 'path', 'type', 'uuid', 'attributes'];

const late: Omit<Rules, 'version' | 'json'> = {
  vary: 'Accept-Language, Cookie',
  isLate: true,
  reservedSlugs: new Set(['authorize', 'token', 'device', 'userinfo', 'introspect', 'revoke']),
  launchUrlKeys: [...everyKeys, 'pk', 'uid'],
  pages: { size: 20, most: 100 },
  hasRequests: false,
};

const with2026: Omit<Rules, 'version'> = { ...late, json: 'application/json' };

export const rulesOf: Readonly<Record<SandboxRelease, Rules>> = {
  '2023.10': {
    version: '2023.10.7',
    json: 'application/json',
    vary: 'Cookie',
    isLate: false,
    reservedSlugs: new Set(),
    launchUrlKeys: [...everyKeys, 'id'],
    pages: { size: 100, most: Infinity },
    hasRequests: false,
  },
  '2025.12': { ...late, version: '2025.12.4', json: 'application/json; charset=utf-8' },
  '2026.2': { ...with2026, version: '2026.2.2' },
  '2026.5': { ...with2026, version: '2026.5.6' },
  '2026.8': { ...with2026, version: '2026.8.3', hasRequests: true },
};
