import type { Problem } from '../base/diagnostic.ts';
import { failureReason } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { noOwnSecrets, ownVariables, type OwnSecrets } from '../base/own-secrets.ts';
import { escapeRegExp } from '../base/pattern.ts';
import { resolveFromFile, isBelow } from '../base/path-rules.ts';
import { type ReferenceTemplate } from '../kinds/fields.ts';
import { readText } from '../yaml/read-text.ts';

export type SecretReference = Extract<ReferenceTemplate[number], { env: string } | { file: string }>;

export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly policy: ReferencePolicy;
  readonly readFile: ReadReferenced;
}

/** Reads a file by a path relative to the folder of the manifest. */
type ReadReferenced = (path: string, use: keyof ReferencedFiles) => Promise<string | Problem>;

/** `secret` is for `${file:PATH}`, which no output shows; `text` is for `${text:PATH}`, which plans show. */
interface ReferencedFiles {
  readonly secret: Files;
  readonly text: Files;
}

export async function readSecret(
  reference: SecretReference,
  { env, policy, readFile }: SecretSources,
): Promise<string | Problem> {
  const name = 'env' in reference ? reference.env : reference.file;
  const text = 'env' in reference ? readVariable(name, env, policy) : await readFile(name, 'secret');
  return typeof text === 'string' ? (forbiddenTextProblem(name, text, policy) ?? text) : text;
}

function readVariable(name: string, env: SecretSources['env'], policy: ReferencePolicy): string | Problem {
  const refused = forbiddenVariableProblem(name, policy);
  if (refused) return refused;
  return (
    (Object.hasOwn(env, name) ? env[name] : undefined) ?? {
      code: 'unresolved-reference',
      summary: `the environment variable \`${name}\` is not set`,
      detail: 'Set it where rollcall runs.',
    }
  );
}

/** Reads each referenced file only once, and adds its path to `paths`. */
export function referencedFiles(
  files: ReferencedFiles,
  policy: ReferencePolicy,
  paths: Set<string> = new Set(),
): (manifest: string) => ReadReferenced {
  const read = new Map<string, Promise<string | Problem>>();
  return (manifest) => (writtenPath, use) => {
    const path = resolveFromFile(manifest, writtenPath);
    paths.add(path);
    const key = `${use}\0${path}\0${writtenPath}`; // messages contain the path as written
    const known =
      read.get(key) ?? readReferenced({ use, written: writtenPath, path, manifest }, files[use], policy);
    read.set(key, known);
    return known;
  };
}

function unreadableFile(path: string, reason: string): Problem {
  return {
    code: 'unresolved-reference',
    summary: `the file \`${path}\` cannot be read`,
    detail: `${reason}\nRelative paths start at the folder of the manifest.`,
  };
}

/** The maximum size of a file in bytes. A secret is only a line or a key, not a document. */
const maxBytes = { secret: 64 * 1024, text: 1024 * 1024 } as const;

interface Referenced {
  readonly use: keyof ReferencedFiles;
  readonly written: string;
  readonly path: string;
  readonly manifest: string;
}

async function readReferenced(
  { use, written, path, manifest }: Referenced,
  files: Files,
  policy: ReferencePolicy,
): Promise<string | Problem> {
  try {
    if ((await files.kindOf(path)) === 'file') {
      const refused =
        (await forbiddenFileSetting(path, use, policy, files)) ??
        (use === 'text' ? await hiddenFileReason(path, manifest, files) : undefined);
      if (refused) return refusal(written, refused);
    }
    const options = {
      maxBytes: maxBytes[use],
      ...(policy.ownSecrets && { secretFiles: policy.ownSecrets.files }),
    };
    const read = await readText(path, files, options);
    if (!('code' in read)) return read.text.replace(/\r?\n$/, '');
    return read.code === 'forbidden-file'
      ? refusal(written, read.detail)
      : unreadableFile(written, read.summary);
  } catch (error) {
    return unreadableFile(written, failureReason(error));
  }
}

/** Why a plan must not show a file. Without this check, a pull request could print files with secrets, such as `.git/config`. */
async function hiddenFileReason(path: string, manifest: string, files: Files): Promise<string | undefined> {
  const folder = await files.realPath(manifest.replace(/[^/]*$/, '') || '.');
  const realPath = await files.realPath(path);
  const project = await files.realPath('.');
  if (!isBelow(realPath, folder) && !isBelow(realPath, project))
    return 'Plans show the content of such a file, so the file must be below the working directory or the folder of the manifest.';
  const folderSteps = folder.split('/');
  const steps = realPath.split('/');
  const apart = steps.findIndex((step, index) => step !== folderSteps[index]);
  if (!steps.slice(apart).some((step) => step.startsWith('.'))) return undefined;
  return 'Plans show the content of such a file, so no part of its path may begin with a dot.';
}

export interface ReferencePolicy {
  readonly ownSecrets?: OwnSecrets;
  /** The allowed environment variables, by default all; `*` matches any text. */
  readonly allowEnv?: readonly string[] | undefined;
  readonly allowFiles?: readonly string[] | undefined;
  /** The allowed files for `${text:PATH}`, whose content plans show. */
  readonly allowTexts?: readonly string[] | undefined;
}

const ownSecretDetail =
  'It is a secret of rollcall itself; a manifest would send it to the service, where others can read it.';

function forbiddenVariableProblem(
  name: string,
  { ownSecrets = noOwnSecrets, allowEnv }: ReferencePolicy,
): Problem | undefined {
  if ([...ownVariables, ...ownSecrets.variables].includes(name)) return refusal(name, ownSecretDetail);
  if (allowEnv === undefined || allowEnv.some((pattern) => matchesPattern(pattern, name))) return undefined;
  return refusal(name, `To allow the reference, add ${name} to allow_env in rollcall.yaml.`);
}

/** The setting that forbids an existing file; undefined if the file is allowed. */
async function forbiddenFileSetting(
  path: string,
  use: keyof ReferencedFiles,
  { allowFiles, allowTexts }: ReferencePolicy,
  files: Files,
): Promise<string | undefined> {
  const [setting, allowedPaths] =
    use === 'secret' ? (['allow_files', allowFiles] as const) : (['allow_texts', allowTexts] as const);
  if (allowedPaths === undefined) return undefined;
  const realPath = await files.realPath(path);
  for (const allowed of allowedPaths) {
    // If a path in the setting does not exist, that path allows no file.
    const realAllowed = await files.realPath(allowed).catch(() => undefined);
    if (realAllowed !== undefined && isBelow(realPath, realAllowed)) return undefined;
  }
  return `To allow the reference, add the file or its folder to ${setting} in rollcall.yaml.`;
}

/** Why a string must not be sent, wherever it comes from; undefined if it may be sent. */
export function forbiddenTextProblem(
  name: string,
  text: string,
  { ownSecrets = noOwnSecrets }: ReferencePolicy,
): Problem | undefined {
  if (!ownSecrets.tokens.some((token) => text.includes(token))) return undefined;
  return refusal(name, `It contains the access token. ${ownSecretDetail}`);
}

function refusal(name: string, detail: string): Problem {
  return { code: 'invalid-reference', summary: `a manifest may not refer to \`${name}\``, detail };
}

function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => escapeRegExp(part));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
