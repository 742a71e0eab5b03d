/** The secrets of rollcall itself, such as its token: no manifest may use them, and no output contains them. */
export interface OwnSecrets {
  /** Environment variables that contain secrets, in addition to `ownVariables`. */
  readonly variables: readonly string[];
  readonly files: ReadonlySet<string>;
  readonly texts: readonly string[];
  /** Tokens that no value of a manifest may contain, because such a value would be sent to the service. */
  readonly tokens: readonly string[];
}

export const noOwnSecrets: OwnSecrets = { variables: [], files: new Set(), texts: [], tokens: [] };

/** Variables that only rollcall may use, whatever the settings are. */
export const ownVariables = [
  'ROLLCALL_TOKEN',
  'ROLLCALL_CLIENT_KEY_PASSPHRASE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
] as const;

/** Shorter strings do not count as secrets, because redacting them everywhere would make the output unreadable. */
export const shortestOwnSecret = 8;
