import { UsageError } from '../errors.ts';
import type { Files } from '../files.ts';
import { nonEmpty, type Environment } from './environment.ts';
import { Secret } from './secret.ts';

/** The token: from the file that the flag names, or from the environment. */
export async function readToken(
  flag: string | undefined,
  env: Environment,
  files: Pick<Files, 'read' | 'readStandardInput'>,
): Promise<Secret> {
  const token = nonEmpty(env['ROLLCALL_TOKEN']);
  const variable = nonEmpty(env['ROLLCALL_TOKEN_FILE']);
  if (flag === undefined && token !== undefined && variable !== undefined) {
    throw new UsageError('ROLLCALL_TOKEN and ROLLCALL_TOKEN_FILE are both set', 'Unset one of the two.');
  }
  const tokenFile = flag ?? variable;
  if (tokenFile !== undefined) return checked(await readTokenFile(tokenFile, files), `The file ${tokenFile}`);
  if (token !== undefined) return checked(token, 'ROLLCALL_TOKEN');
  throw new UsageError('no access token is given', 'Set ROLLCALL_TOKEN, or name a file with --token-file.');
}

async function readTokenFile(
  path: string,
  files: Pick<Files, 'read' | 'readStandardInput'>,
): Promise<string> {
  try {
    const bytes = await (path === '-' ? files.readStandardInput() : files.read(path));
    return new TextDecoder().decode(bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError('the token file cannot be read', why, { cause: error });
  }
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
