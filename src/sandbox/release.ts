/** The releases that the sandbox can be, oldest first. */
export const sandboxReleases = ['2023.10', '2025.12', '2026.2', '2026.5', '2026.8'] as const;
export type SandboxRelease = (typeof sandboxReleases)[number];

/** What the oldest takes, the later ones take too, but for a few slugs. */
export const defaultRelease: SandboxRelease = '2023.10';

/** What one release does in its own way. */
export interface Rules {
  readonly version: string;
  readonly json: string;
  /** By what of a request its answers vary. */
  readonly vary: string;
  /**
   * Whether it has what came by the end of 2025: icons and roles as fields, times of users, more in its records and lists; the right
   * to change one record is enough to change it; and without a token, one is a user without rights where a single record is asked for.
   */
  readonly isLate: boolean;
  readonly reservedSlugs: ReadonlySet<string>;
  /** The properties of a user that a template in a launch URL can name. */
  readonly launchUrlKeys: readonly string[];
  /** How many records a page holds unless the request says, and at most. */
  readonly pages: { readonly size: number; readonly most: number };
  /** Whether it has what came with requests for access: a list of what can be requested, and attributes that are demanded. */
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
