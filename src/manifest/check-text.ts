import type { Diagnostic } from '../base/diagnostic.ts';
import { standardInput, type Files } from '../base/files.ts';
import { namesNeed } from '../kinds/name-of-one.ts';
import { loadManifests } from './load-manifests.ts';

/** The errors of a manifest that is in no file yet, where names may stand in place of ids: of what writes one, the last check. */
export async function errorsOf(text: string, files: Files): Promise<Diagnostic[]> {
  const { diagnostics } = await loadManifests([standardInput], {
    files: { ...files, readStandardInput: async () => new TextEncoder().encode(text) },
    keep: () => false,
    capabilities: [namesNeed],
  });
  return diagnostics.filter(({ severity }) => severity === 'error');
}
