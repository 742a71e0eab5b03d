import { readOrRefuse, UsageError } from '../base/errors.ts';
import { standardInput, type Files } from '../base/files.ts';
import { isJsonObject, type JsonValue } from '../base/json.ts';
import { beside } from '../base/path-rules.ts';
import { nonEmpty, valueOf, type Environment } from './environment.ts';
import { Secret } from './secret.ts';
import type { ChosenConfig, Values } from './values.ts';

/** The token: as it is given or from the file that is, from the environment, or from where rollcall.yaml says. */
export async function readToken(
  { token: given, tokenFile: flag, nameOf }: Pick<Values, 'token' | 'tokenFile' | 'nameOf'>,
  env: Environment,
  config: Pick<ChosenConfig, 'tokenEnv' | 'tokenFile'>,
  files: Pick<Files, 'read' | 'readStandardInput'>,
): Promise<Secret> {
  if (given !== undefined) return checked(given, nameOf('token'));
  const token = nonEmpty(env['ROLLCALL_TOKEN']);
  const variable = nonEmpty(env['ROLLCALL_TOKEN_FILE']);
  if (flag === undefined && token !== undefined && variable !== undefined) {
    throw new UsageError('ROLLCALL_TOKEN and ROLLCALL_TOKEN_FILE are both set', 'Unset one of the two.');
  }
  const tokenFile = flag ?? variable;
  if (tokenFile !== undefined) return checked(await readTokenFile(tokenFile, files), `The file ${tokenFile}`);
  if (token !== undefined) return checked(token, 'ROLLCALL_TOKEN');
  const configured = config.tokenEnv === undefined ? undefined : nonEmpty(valueOf(env, config.tokenEnv));
  if (config.tokenEnv !== undefined && configured !== undefined) return checked(configured, config.tokenEnv);
  if (config.tokenFile !== undefined) {
    return checked(await readTokenFile(config.tokenFile, files), `The file ${config.tokenFile}`);
  }
  if (config.tokenEnv !== undefined) {
    throw new UsageError(
      'no access token is given',
      `Set ${config.tokenEnv}, which token_env names in the settings.`,
    );
  }
  throw new UsageError(
    'no access token is given',
    `Set ROLLCALL_TOKEN, or name a file with ${nameOf('tokenFile')}.`,
  );
}

/** No token is longer. */
const maxTokenBytes = 64 * 1024;

async function readTokenFile(
  path: string,
  files: Pick<Files, 'read' | 'readStandardInput'>,
): Promise<string> {
  const bytes =
    path === standardInput ? files.readStandardInput(maxTokenBytes) : files.read(path, maxTokenBytes);
  return new TextDecoder().decode(await readOrRefuse('the token', path, bytes));
}

/** A token is one line of visible ASCII; what surrounds it is usually a newline at the end of the file. */
function checked(text: string, where: string): Secret {
  const token = text.trim();
  if (token === '') throw new UsageError('the access token is empty', `${where} holds nothing.`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError(
      'the access token holds characters that no token has',
      `${where} should hold the token alone, in one line.`,
    );
  }
  return new Secret(token);
}

/** Where rollcall.yaml has the tokens of its environments, of all of them: the manifests of one may not send that of another. */
export interface TokenPlaces {
  readonly variables: readonly string[];
  readonly files: readonly string[];
}

export const noTokenPlaces: TokenPlaces = { variables: [], files: [] };

/** Read as leniently as can be: what is wrong elsewhere in the file opens no token. */
export function tokenPlaces(config: JsonValue, filename: string): TokenPlaces {
  const environments = isJsonObject(config) ? config['environments'] : undefined;
  const all = isJsonObject(environments) ? Object.values(environments) : [];
  const named = (field: string): string[] =>
    all.flatMap((environment) => {
      const name = isJsonObject(environment) ? environment[field] : undefined;
      return typeof name === 'string' ? name : [];
    });
  return {
    variables: named('token_env'),
    files: named('token_file').map((path) => beside(filename, path)),
  };
}
