import { loadManifests } from '../../src/manifest/load-manifests.ts';
import { readRelease } from '../../src/kinds/release.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import { memoryFiles } from './memory-files.ts';

/** The resources of one manifest, m.yaml, for a release of the service if known. Throws its problems. */
export async function desired(
  text: string,
  env: Readonly<Record<string, string>> = {},
  release = '',
): Promise<readonly Resource[]> {
  const known = readRelease(release);
  const { resources, diagnostics } = await loadManifests(['m.yaml'], {
    files: memoryFiles({ 'm.yaml': text }),
    env,
    ...(known && { release: known }),
  });
  if (diagnostics.some(({ severity }) => severity === 'error'))
    throw new Error(JSON.stringify(diagnostics, null, 2));
  return resources;
}
