import type { Problem } from '../base/diagnostic.ts';
import { failureReason } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { noOwnSecrets, ownVariables, type OwnSecrets } from '../base/own-secrets.ts';
import { escapeRegExp } from '../base/pattern.ts';
import { resolveFromFile, isBelow } from '../base/path-rules.ts';
import { type Template } from '../kinds/fields.ts';
import { readText } from '../yaml/read-text.ts';

/** A reference to where secrets come from. */
export type SecretReference = Extract<Template[number], { env: string } | { file: string }>;

export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly policy: ReferencePolicy;
  readonly readFile: ReadReferenced;
}

/** Reads a file, whose path is relative to the folder of the manifest, or says why it cannot. */
type ReadReferenced = (path: string, as: keyof ReferencedFiles) => Promise<string | Problem>;

/** The files of `${file:PATH}`, which no output shows, and those of `${text:PATH}`, which plans show. */
interface ReferencedFiles {
  readonly secret: Files;
  readonly text: Files;
}

/** The text of a reference, or why it has none. */
export async function readSecret(
  reference: SecretReference,
  { env, policy, readFile }: SecretSources,
): Promise<string | Problem> {
  const name = 'env' in reference ? reference.env : reference.file;
  const text = 'env' in reference ? readVariable(name, env, policy) : await readFile(name, 'secret');
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

/** Reads each file to which manifests refer once; `named` gets the paths. */
export function referencedFiles(
  files: ReferencedFiles,
  policy: ReferencePolicy,
  named: Set<string> = new Set(),
): (manifest: string) => ReadReferenced {
  const read = new Map<string, Promise<string | Problem>>();
  return (manifest) => (written, as) => {
    const path = resolveFromFile(manifest, written);
    named.add(path);
    const key = `${as}\0${path}\0${written}`; // a problem names the path as it is written
    const known = read.get(key) ?? readReferenced({ as, written, path, manifest }, files[as], policy);
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
const maxBytes = { secret: 64 * 1024, text: 1024 * 1024 } as const;

interface Referenced {
  readonly as: keyof ReferencedFiles;
  readonly written: string;
  readonly path: string;
  readonly manifest: string;
}

async function readReferenced(
  { as, written, path, manifest }: Referenced,
  files: Files,
  policy: ReferencePolicy,
): Promise<string | Problem> {
  try {
    if ((await files.kindOf(path)) === 'file') {
      const refused =
        (await refusedFile(path, as, policy, files)) ??
        (as === 'text' ? await notToBeShown(path, manifest, files) : undefined);
      if (refused) return refusal(written, refused);
    }
    const options = {
      maxBytes: maxBytes[as],
      ...(policy.ownSecrets && { secretFiles: policy.ownSecrets.files }),
    };
    const read = await readText(path, files, options);
    if (!('code' in read)) return read.text.replace(/\r?\n$/, '');
    return read.code === 'forbidden-file' ? refusal(written, read.detail) : unreadable(written, read.summary);
  } catch (error) {
    return unreadable(written, failureReason(error));
  }
}

/**
 * Why a plan may not show a file; nothing if it may. A pull request could otherwise have a plan print any file of the machine that
 * runs the pipeline, such as the token in `.git/config`.
 */
async function notToBeShown(path: string, manifest: string, files: Files): Promise<string | undefined> {
  const folder = await files.realPath(manifest.replace(/[^/]*$/, '') || '.');
  const realPath = await files.realPath(path);
  const project = await files.realPath('.');
  if (!isBelow(realPath, folder) && !isBelow(realPath, project))
    return 'Plans show such a text, so the file must be below the working directory or the folder of the manifest.';
  const above = folder.split('/');
  const steps = realPath.split('/');
  const apart = steps.findIndex((step, index) => step !== above[index]);
  if (!steps.slice(apart).some((step) => step.startsWith('.'))) return undefined;
  return 'Plans show such a text, so no part of its path may begin with a dot.';
}

/** The names that references of manifests may use. */
export interface ReferencePolicy {
  readonly ownSecrets?: OwnSecrets;
  /** The environment variables that may be named, `*` standing for any text; all by default. */
  readonly allowEnv?: readonly string[] | undefined;
  /** The files that may be named, and the folders in which they may lie; all by default. */
  readonly allowFiles?: readonly string[] | undefined;
  /** Like `allowFiles`, for files whose texts plans show. */
  readonly allowTexts?: readonly string[] | undefined;
}

const ownDetail =
  'It is a secret of rollcall itself; a manifest would send it to the service, where others can read it.';

/** Why a manifest may not refer to a variable; nothing when it may. */
function refusedVariable(
  name: string,
  { ownSecrets = noOwnSecrets, allowEnv }: ReferencePolicy,
): Problem | undefined {
  if ([...ownVariables, ...ownSecrets.variables].includes(name)) return refusal(name, ownDetail);
  if (allowEnv === undefined || allowEnv.some((pattern) => matches(pattern, name))) return undefined;
  return refusal(name, `If it should: add ${name} to allow_env in rollcall.yaml.`);
}

/** The setting that would allow an existing file; undefined if it is allowed. */
async function refusedFile(
  path: string,
  as: keyof ReferencedFiles,
  { allowFiles, allowTexts }: ReferencePolicy,
  files: Files,
): Promise<string | undefined> {
  const [setting, allowedPaths] =
    as === 'secret' ? (['allow_files', allowFiles] as const) : (['allow_texts', allowTexts] as const);
  if (allowedPaths === undefined) return undefined;
  const realPath = await files.realPath(path);
  for (const allowed of allowedPaths) {
    // A missing entry allows nothing.
    const realAllowed = await files.realPath(allowed).catch(() => undefined);
    if (realAllowed !== undefined && isBelow(realPath, realAllowed)) return undefined;
  }
  return `If it should: add it, or its folder, to ${setting} in rollcall.yaml.`;
}

/** Why a text may not be sent, wherever it comes from; nothing when it may. */
export function refusedText(
  name: string,
  text: string,
  { ownSecrets = noOwnSecrets }: ReferencePolicy,
): Problem | undefined {
  if (!ownSecrets.tokens.some((token) => text.includes(token))) return undefined;
  return refusal(name, `It holds the access token. ${ownDetail}`);
}

function refusal(name: string, detail: string): Problem {
  return { code: 'invalid-reference', summary: `a manifest may not refer to \`${name}\``, detail };
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => escapeRegExp(part));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
