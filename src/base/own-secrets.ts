/** What rollcall itself keeps secret: no manifest may refer to it, and nothing that is shown holds it. */
export interface OwnSecrets {
  /** Environment variables, beside those that always are. */
  readonly variables: readonly string[];
  /** The real paths of files. */
  readonly files: ReadonlySet<string>;
  /** The secrets themselves, as far as they are known. */
  readonly texts: readonly string[];
  /** Tokens that no value of a manifest may hold, wherever it comes from: a copy would send the token out as well. */
  readonly tokens: readonly string[];
}

export const noOwnSecrets: OwnSecrets = { variables: [], files: new Set(), texts: [], tokens: [] };

/** The variables that are for rollcall alone, whatever the settings say. */
export const ownVariables = [
  'ROLLCALL_TOKEN',
  'ROLLCALL_CLIENT_KEY_PASSPHRASE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
] as const;

/** Shorter texts do not count as secrets: blanked out everywhere, they would make the output unreadable. */
export const shortestOwnSecret = 8;
