import { loadManifests, type LoadedManifests, type LoadOptions } from '../../src/manifest/load-manifests.ts';
import { readRelease, type Release } from '../../src/kinds/release.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import { memoryFiles } from './memory-files.ts';

interface TextOptions extends Omit<LoadOptions, 'files' | 'release'> {
  readonly release?: Release | undefined;
}

/** Loads a text as the manifest m.yaml. */
export function loadText(
  text: string | Uint8Array,
  { release, ...options }: TextOptions = {},
): Promise<LoadedManifests> {
  const files = memoryFiles({ 'm.yaml': text });
  return loadManifests(['m.yaml'], { ...options, files, ...(release && { release }) });
}

/** The resources of a text that is loaded as the manifest m.yaml, by the rules of a release if given. Throws if there are problems. */
export async function desired(
  text: string,
  env: Readonly<Record<string, string>> = {},
  release = '',
): Promise<readonly Resource[]> {
  const { resources, diagnostics } = await loadText(text, { env, release: readRelease(release) });
  if (diagnostics.some(({ severity }) => severity === 'error'))
    throw new Error(JSON.stringify(diagnostics, null, 2));
  return resources;
}
