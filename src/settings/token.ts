import { UsageError } from '../errors.ts';
import type { Files } from '../files.ts';
import { Secret } from './secret.ts';

/** The token, from the file of a flag or of the environment, or from the environment itself. */
export async function readToken(
  tokenFile: string | undefined,
  token: string | undefined,
  files: Pick<Files, 'read' | 'readStandardInput'>,
): Promise<Secret> {
  if (tokenFile !== undefined) return checked(await readTokenFile(tokenFile, files), `The file ${tokenFile}`);
  if (token !== undefined && token !== '') return checked(token, 'ROLLCALL_TOKEN');
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
