import { readOrUsageError, undefinedOnUsageError, UsageError } from '../base/errors.ts';
import { standardInput } from '../base/files.ts';
import { isJsonObject, type JsonValue } from '../base/json.ts';
import { resolveFromFile } from '../base/path-rules.ts';
import { nonEmpty, environmentValue } from './environment.ts';
import { Secret } from './secret.ts';
import type { SettingSources } from './values.ts';

/** Reads the token from a flag, a file, the environment, or the place that rollcall.yaml names, in this order. */
export async function readToken(sources: SettingSources): Promise<Secret> {
  const { values, env, config, files } = sources;
  const { token: given, tokenFile: flag, nameOf } = values;
  if (given !== undefined) return checkToken(given, nameOf('token'));
  const token = nonEmpty(env['ROLLCALL_TOKEN']);
  const variable = nonEmpty(env['ROLLCALL_TOKEN_FILE']);
  if (flag === undefined && token !== undefined && variable !== undefined)
    throw new UsageError('ROLLCALL_TOKEN and ROLLCALL_TOKEN_FILE are both set', 'Unset one of the two.');
  const tokenFile = flag ?? variable;
  if (tokenFile !== undefined)
    return checkToken(await readTokenFile(tokenFile, files), `The file ${tokenFile}`);
  if (token !== undefined) return checkToken(token, 'ROLLCALL_TOKEN');
  const configured = await configuredToken(sources);
  if (configured !== undefined) return configured;
  throw new UsageError(
    'no access token is given',
    config.token_env === undefined
      ? `Set ROLLCALL_TOKEN, or name a file with ${nameOf('tokenFile')}.`
      : `Set the variable ${config.token_env}, which token_env names in the settings.`,
  );
}

/** The token from the variable or file that rollcall.yaml names; undefined if only an unset variable is named. */
async function configuredToken({ env, config, files }: SettingSources): Promise<Secret | undefined> {
  const { token_env: tokenEnv, token_file: tokenFile, hasTokenOutside } = config;
  const configuredTokens = tokenEnv === undefined ? undefined : nonEmpty(environmentValue(env, tokenEnv));
  if (tokenEnv !== undefined && configuredTokens !== undefined) return checkToken(configuredTokens, tokenEnv);
  if (tokenFile === undefined) return undefined;
  // Without this check, a change of rollcall.yaml could send any file of the machine to any URL.
  if (hasTokenOutside)
    throw new UsageError(
      `the file ${tokenFile}, which token_file names, is not below the folder of rollcall.yaml`,
      'The file is not read, because anyone who can change rollcall.yaml could send it to a URL of their own. Name the file with --token-file or ROLLCALL_TOKEN_FILE, or move it into that folder.',
    );
  return checkToken(await readTokenFile(tokenFile, files), `The file ${tokenFile}`);
}

/** Throws a UsageError if the token comes from a variable for all environments and is not the token of the chosen environment. */
export async function refuseTokenMismatch(token: Secret, sources: SettingSources): Promise<void> {
  const { values, env, config } = sources;
  const { token: given, tokenFile: flag, nameOf } = values;
  const { environment, token_env: tokenEnv, token_file: tokenFile } = config;
  const variable = ['ROLLCALL_TOKEN', 'ROLLCALL_TOKEN_FILE'].find(
    (name) => nonEmpty(env[name]) !== undefined,
  );
  const places = [
    // If rollcall.yaml names ROLLCALL_TOKEN, this variable may contain the token of any environment.
    ...(tokenEnv === undefined || tokenEnv === 'ROLLCALL_TOKEN' ? [] : [tokenEnv]),
    ...(tokenFile === undefined ? [] : [`the file ${tokenFile}`]),
  ];
  if (given !== undefined || flag !== undefined || variable === undefined || places.length === 0) return;
  // The file may be anywhere: its text is only compared, not sent.
  const ownPlace = await undefinedOnUsageError(() =>
    configuredToken({ ...sources, config: { ...config, hasTokenOutside: false } }),
  );
  if (ownPlace?.reveal() === token.reveal()) return;
  const tokenPlace = places.join(' or ');
  throw new UsageError(
    `${variable} is set, but the environment ${JSON.stringify(environment)} takes its token from ${tokenPlace}, which contains ${ownPlace ? 'a different' : 'no'} token`,
    `${ownPlace ? `Unset ${variable}` : `Set the token in ${tokenPlace}`}, or set ${nameOf('tokenFile')} to the path of a file that contains the right token.`,
  );
}

const maxTokenBytes = 64 * 1024;

async function readTokenFile(path: string, files: SettingSources['files']): Promise<string> {
  const bytes =
    path === standardInput ? files.readStandardInput(maxTokenBytes) : files.read(path, maxTokenBytes);
  return new TextDecoder().decode(await readOrUsageError('the token', path, bytes));
}

/** Checks that a token is one line of visible ASCII, and removes white space around it, usually a final newline. */
function checkToken(text: string, sourceName: string): Secret {
  const token = text.trim();
  if (token === '') throw new UsageError('the access token is empty', `${sourceName} contains nothing.`);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(
      'the access token contains characters that no token has',
      `${sourceName} must contain only the token, in one line.`,
    );
  return new Secret(token);
}

/** The places of the tokens of all environments. No manifest may send the token of another environment to the service. */
export interface TokenPlaces {
  readonly variables: readonly string[];
  readonly files: readonly string[];
}

export const noTokenPlaces: TokenPlaces = { variables: [], files: [] };

/** Finds the places of tokens in invalid files too, because a mistake elsewhere in the file must not expose a token. */
export function tokenPlaces(config: JsonValue, filename: string): TokenPlaces {
  const environments = isJsonObject(config) ? config['environments'] : undefined;
  const settingsObjects = isJsonObject(environments) ? Object.values(environments) : [];
  const valuesOfField = (field: string): string[] =>
    settingsObjects.flatMap((environment) => {
      const name = isJsonObject(environment) ? environment[field] : undefined;
      return typeof name === 'string' ? name : [];
    });
  return {
    variables: valuesOfField('token_env'),
    files: valuesOfField('token_file').map((path) => resolveFromFile(filename, path)),
  };
}
