import type { Problem } from '../base/diagnostic.ts';
import type { Files } from '../base/files.ts';
import { noOwnSecrets, ownVariables, type OwnSecrets } from '../base/own-secrets.ts';
import { literal } from '../base/pattern.ts';
import { beside, isBelow } from '../base/path-rules.ts';
import { writtenValue } from '../kinds/fields.ts';
import { placeOf, type Resource } from '../kinds/resource.ts';

/** What the references of manifests may name. */
export interface ReferencePolicy {
  /** Closed to them in any case. */
  readonly own?: OwnSecrets;
  /** The environment variables that may be named, `*` standing for any text; all by default. */
  readonly allowEnv?: readonly string[] | undefined;
  /** The files that may be named, and the folders in which they may lie; all by default. */
  readonly allowFiles?: readonly string[] | undefined;
}

const ownDetail =
  'It is what rollcall itself keeps secret; a manifest would send it to where others can read it.';

/** Why a manifest may not refer to a variable; nothing when it may. */
export function refusedVariable(
  name: string,
  { own = noOwnSecrets, allowEnv }: ReferencePolicy,
): Problem | undefined {
  if ([...ownVariables, ...own.variables].includes(name)) return refusal(name, ownDetail);
  if (allowEnv === undefined || allowEnv.some((pattern) => matches(pattern, name))) return undefined;
  return refusal(name, `If it should: add ${name} to allow_env in rollcall.yaml.`);
}

/** What to do so that a manifest may refer to a file that is there; nothing when it may. */
export async function refusedFile(
  path: string,
  { allowFiles }: ReferencePolicy,
  files: Files,
): Promise<string | undefined> {
  if (allowFiles === undefined) return undefined;
  const realPath = await files.realPath(path);
  for (const allowed of allowFiles) {
    // What is not there allows nothing.
    const realAllowed = await files.realPath(allowed).catch(() => undefined);
    if (realAllowed !== undefined && isBelow(realPath, realAllowed)) return undefined;
  }
  return 'If it should: add it, or its folder, to allow_files in rollcall.yaml.';
}

/** Why a text may not be sent, wherever it comes from; nothing when it may. */
export function refusedText(
  name: string,
  text: string,
  { own = noOwnSecrets }: ReferencePolicy,
): Problem | undefined {
  if (!own.tokens.some((token) => text.includes(token))) return undefined;
  return refusal(name, `It holds the access token. ${ownDetail}`);
}

/** The files that the references of a resource name. */
export function filesNamedBy(resource: Resource): string[] {
  return Object.values(resource.fields)
    .flatMap(({ mask }) => Object.values(mask?.sensitive ?? {}).flat())
    .flatMap((part) =>
      typeof part === 'object' && 'file' in part ? beside(placeOf(resource).filename, part.file) : [],
    );
}

/** Whether a resource that was read already refers to what rollcall keeps secret, or holds a token. */
export async function refersToOwn(
  resource: Resource,
  { files: closed, tokens }: OwnSecrets,
  files: Pick<Files, 'realPath'>,
): Promise<boolean> {
  for (const path of filesNamedBy(resource)) {
    const realPath = await files.realPath(path).catch(() => undefined);
    if (realPath !== undefined && closed.has(realPath)) return true;
  }
  const text = JSON.stringify(Object.keys(resource.fields).map((name) => writtenValue(resource, name)));
  return tokens.some((token) => text.includes(JSON.stringify(token).slice(1, -1)));
}

export function refusal(name: string, detail: string): Problem {
  return { code: 'invalid-reference', summary: `a manifest may not refer to \`${name}\``, detail };
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => literal(part));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
