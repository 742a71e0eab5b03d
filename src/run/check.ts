import type { Diagnostic } from '../base/diagnostic.ts';
import { loadManifests, type LoadedManifests } from '../manifest/load-manifests.ts';
import { manifestsOf, type Settings } from '../settings/settings.ts';
import type { World } from './world.ts';

/**
 * Reads and checks the manifests; what is wrong with the settings is among the diagnostics. `secrets` says whether what `${env:NAME}`
 * and `${file:PATH}` in them stand for is read. Throws a UsageError when no manifest is named.
 */
export async function check(
  settings: Settings,
  { files, env }: Pick<World, 'files' | 'env'>,
  secrets: 'read' | 'assumed' = 'read',
): Promise<LoadedManifests> {
  const { configFile, variables, strict, policy, diagnostics } = settings;
  const loaded = await loadManifests(manifestsOf(settings), {
    ...policy,
    files,
    env,
    strict,
    secrets,
    ...(configFile !== undefined && { settingsFile: configFile }),
    ...(variables && { variables }),
  });
  return { ...loaded, diagnostics: [...diagnostics, ...loaded.diagnostics] };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}
