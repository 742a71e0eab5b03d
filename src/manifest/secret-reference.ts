import type { Problem } from '../base/diagnostic.ts';
import { reasonOf } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { beside } from '../base/path-rules.ts';
import type { Template } from '../kinds/fields.ts';
import { readText } from '../yaml/read-text.ts';
import {
  refusal,
  refusedFile,
  refusedText,
  refusedVariable,
  type ReferencePolicy,
} from './reference-policy.ts';

/** A reference to where secrets come from. */
export type SecretReference = Exclude<Template[number], string>;

export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly policy: ReferencePolicy;
  /** Reads a file whose path is taken from the folder of the manifest, or tells why that cannot be. */
  readonly readFile: (path: string) => Promise<string | Problem>;
}

/** The text that a reference stands for, or why there is none. */
export async function readSecret(
  reference: SecretReference,
  { env, policy, readFile }: SecretSources,
): Promise<string | Problem> {
  const name = 'env' in reference ? reference.env : reference.file;
  const text = 'env' in reference ? readVariable(name, env, policy) : await readFile(name);
  return typeof text === 'string' ? (refusedText(name, text, policy) ?? text) : text;
}

function readVariable(name: string, env: SecretSources['env'], policy: ReferencePolicy): string | Problem {
  const refused = refusedVariable(name, policy);
  if (refused) return refused;
  return (
    (Object.hasOwn(env, name) ? env[name] : undefined) ?? {
      code: 'unresolved-reference',
      summary: `the environment variable \`${name}\` is not set`,
      detail: 'Set it where rollcall runs.',
    }
  );
}

/** Reads the files of `${file:PATH}`, each once: for each manifest, from its folder. `named` is told which they are. */
export function secretFiles(
  files: Files,
  policy: ReferencePolicy,
  named: Set<string> = new Set(),
): (manifest: string) => SecretSources['readFile'] {
  const read = new Map<string, Promise<string | Problem>>();
  return (manifest) => (path) => {
    const whole = beside(manifest, path);
    named.add(whole);
    const key = `${whole}\0${path}`; // what is wrong with it is said of the path as it is written
    const known = read.get(key) ?? readSecretFile(path, whole, files, policy);
    read.set(key, known);
    return known;
  };
}

function unreadable(path: string, why: string): Problem {
  return {
    code: 'unresolved-reference',
    summary: `the file \`${path}\` cannot be read`,
    detail: `${why}\nThe path is taken from the folder of the manifest.`,
  };
}

/** A secret is a line or a key, not a document. */
const maxSecretBytes = 64 * 1024;

async function readSecretFile(
  written: string,
  path: string,
  files: Files,
  policy: ReferencePolicy,
): Promise<string | Problem> {
  try {
    if ((await files.kindOf(path)) === 'file') {
      const refused = await refusedFile(path, policy, files);
      if (refused) return refusal(written, refused);
    }
    const options = { maxBytes: maxSecretBytes, ...(policy.own && { closed: policy.own.files }) };
    const read = await readText(path, files, options);
    if (!('code' in read)) return read.text.replace(/\r?\n$/, '');
    return read.code === 'forbidden-file' ? refusal(written, read.detail) : unreadable(written, read.summary);
  } catch (error) {
    return unreadable(written, reasonOf(error));
  }
}
