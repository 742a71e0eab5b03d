import { standardInput, type Files } from '../base/files.ts';
import { shortestOwnSecret, type OwnSecrets } from '../base/own-secrets.ts';
import { nonEmpty, valueOf, type Environment } from './environment.ts';
import { headerVariables } from './headers.ts';
import { secretsOf, type ServiceFlags, type ServiceSettings } from './service-settings.ts';
import type { TokenPlaces } from './token-places.ts';

/** The flags that name what rollcall keeps secret. */
export type SecretFlags = Pick<ServiceFlags, 'tokenFile' | 'clientCert' | 'clientKey' | 'caFile' | 'header'>;

/** The real paths of the files that hold what rollcall keeps secret. */
export async function closedFiles(
  { tokenFile, clientCert, clientKey, caFile }: SecretFlags,
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

/** All that rollcall keeps secret, as far as it is known: without a service to talk to, that is what the environment holds. */
export function ownSecrets(
  { header = [] }: SecretFlags,
  env: Environment,
  tokens: TokenPlaces,
  closed: ReadonlySet<string>,
  service?: ServiceSettings,
): OwnSecrets {
  const valuesOf = (variables: readonly string[]): string[] =>
    variables.flatMap((name) => nonEmpty(valueOf(env, name)?.trim()) ?? []).filter((value) => isLong(value));
  const held = valuesOf(['ROLLCALL_TOKEN', ...tokens.variables]);
  const shown = service ? secretsOf(service).filter((secret) => isLong(secret)) : [];
  return {
    variables: [...tokens.variables, ...headerVariables(header)],
    files: closed,
    texts: [...new Set([...held, ...valuesOf(['ROLLCALL_CLIENT_KEY_PASSPHRASE']), ...shown])],
    tokens: [...new Set(service ? [...held, service.token.reveal()] : held)].filter((token) => isLong(token)),
  };
}

function isLong({ length }: string): boolean {
  return length >= shortestOwnSecret;
}
