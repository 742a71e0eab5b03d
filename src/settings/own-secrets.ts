import { standardInput, type Files } from '../base/files.ts';
import { shortestOwnSecret, type OwnSecrets } from '../base/own-secrets.ts';
import { nonEmpty, valueOf, type Environment } from './environment.ts';
import type { Secret } from './secret.ts';
import { secretsOf, type ServiceSettings } from './service-settings.ts';
import type { TokenPlaces } from './token.ts';
import type { Values } from './values.ts';

/** The real paths of the files that hold what rollcall keeps secret. */
export async function closedFiles(
  {
    tokenFile,
    clientCert,
    clientKey,
    caFile,
  }: Pick<Values, 'tokenFile' | 'clientCert' | 'clientKey' | 'caFile'>,
  env: Environment,
  tokens: TokenPlaces,
  files: Pick<Files, 'realPath'>,
): Promise<ReadonlySet<string>> {
  const named = [tokenFile, nonEmpty(env['ROLLCALL_TOKEN_FILE']), clientCert, clientKey, caFile];
  const closed = new Set<string>();
  for (const path of [...named, ...tokens.files]) {
    if (path === undefined || path === standardInput) continue;
    try {
      closed.add(await files.realPath(path));
    } catch {
      // What is not there cannot be read as anything else either.
    }
  }
  return closed;
}

/** What is known of the service, or the token alone. */
export type KnownSecrets = Partial<ServiceSettings> & { readonly token?: Secret };

/** All that rollcall keeps secret, as far as it is known. */
export function ownSecrets(
  { headers = [] }: Pick<Values, 'headers'>,
  env: Environment,
  tokens: TokenPlaces,
  closed: ReadonlySet<string>,
  known: KnownSecrets,
): OwnSecrets {
  const valuesOf = (variables: readonly string[]): string[] =>
    variables.flatMap((name) => nonEmpty(valueOf(env, name)?.trim()) ?? []).filter((value) => isLong(value));
  const held = valuesOf(['ROLLCALL_TOKEN', ...tokens.variables]);
  const used = known.token ? [known.token.reveal()] : [];
  return {
    variables: [...tokens.variables, ...headers.flatMap(({ variables = {} }) => Object.keys(variables))],
    files: closed,
    texts: [
      ...new Set([...held, ...valuesOf(['ROLLCALL_CLIENT_KEY_PASSPHRASE']), ...secretsOf(known)]),
    ].filter((text) => isLong(text)),
    tokens: [...new Set([...held, ...used])].filter((token) => isLong(token)),
  };
}

function isLong({ length }: string): boolean {
  return length >= shortestOwnSecret;
}
