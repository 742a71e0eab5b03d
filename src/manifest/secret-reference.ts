import type { Problem } from '../diagnostic.ts';
import type { Files } from '../files.ts';
import type { Template } from '../resource.ts';
import { readText } from '../yaml/read-text.ts';

/** A reference to where secrets come from. */
export type SecretReference = Exclude<Template[number], string>;

export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further variables that no manifest may refer to: they hold what is for rollcall alone. */
  readonly withheld?: readonly string[];
  /** Reads a file whose path is taken from the folder of the manifest. Rejects when it cannot be read. */
  readonly readFile: (path: string) => Promise<string>;
}

/** What is for rollcall alone. */
const ownSecrets: readonly string[] = [
  'ROLLCALL_TOKEN',
  'ROLLCALL_CLIENT_KEY_PASSPHRASE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
];

/** The text that a reference stands for, or why there is none. */
export async function readSecret(
  reference: SecretReference,
  { env, withheld = [], readFile }: SecretSources,
): Promise<string | Problem> {
  if ('env' in reference) {
    if ([...ownSecrets, ...withheld].includes(reference.env)) {
      return {
        code: 'invalid-reference',
        summary: `a manifest may not refer to \`${reference.env}\``,
        detail:
          'It is what rollcall itself keeps secret; a manifest would send it to where others can read it.',
      };
    }
    return (
      (Object.hasOwn(env, reference.env) ? env[reference.env] : undefined) ?? {
        code: 'unresolved-reference',
        summary: `the environment variable \`${reference.env}\` is not set`,
        detail: 'Set it where rollcall runs.',
      }
    );
  }
  try {
    return (await readFile(reference.file)).replace(/\r?\n$/, '');
  } catch (error) {
    return {
      code: 'unresolved-reference',
      summary: `the file \`${reference.file}\` cannot be read`,
      detail: `${error instanceof Error ? error.message : String(error)}\nThe path is taken from the folder of the manifest.`,
    };
  }
}

/** Reads the files of `${file:PATH}`, each once: for each manifest, from its folder. */
export function secretFiles(files: Files): (manifest: string) => SecretSources['readFile'] {
  const read = new Map<string, Promise<string>>();
  return (manifest) => {
    const folder = manifest.replace(/[^/]*$/, '');
    return (path) => {
      const whole = path.startsWith('/') ? path : folder + path;
      const known = read.get(whole) ?? readSecretFile(whole, files);
      read.set(whole, known);
      return known;
    };
  };
}

/** A secret is a line or a key, not a document. */
const maxSecretBytes = 64 * 1024;

async function readSecretFile(path: string, files: Files): Promise<string> {
  const text = await readText(path, files, maxSecretBytes);
  if ('code' in text) throw new Error(text.summary);
  return text.text;
}
