import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { didYouMean } from '../base/suggestion.ts';
import { loadManifests, type LoadedManifests, type LoadOptions } from '../manifest/load-manifests.ts';
import { manifestPaths, type Settings } from '../settings/settings.ts';
import type { RunEnvironment } from './world.ts';

/** Reads and checks settings and manifests, and returns all problems. Throws a UsageError if no manifest is named. */
export async function checkManifests(
  settings: Settings,
  { files, env }: Pick<RunEnvironment, 'files' | 'env'>,
  options: Pick<LoadOptions, 'secrets' | 'isCheckOnly' | 'isWarningReported' | 'release'> = {},
): Promise<LoadedManifests> {
  const { config, configFile, variables, release, diagnostics } = settings;
  const loaded = await loadManifests(manifestPaths(settings), {
    ...settings.policy,
    files,
    env,
    strict: settings.strict,
    hide: settings.hide,
    contractOnly: settings.contractOnly,
    allowsOpenLogin: settings.acceptedRisks?.includes('open-login') === true,
    ...(release && { release }),
    ...options,
    ...(configFile !== undefined && { settingsFile: configFile }),
    ...(variables && { variables }),
    ...(config?.choices && { choices: config.choices }),
  });
  const found = [...diagnostics, ...loaded.diagnostics];
  return {
    ...loaded,
    diagnostics: [...found, ...(hasErrors(found) ? [] : unusedVariables(settings, loaded))],
  };
}

/**
 * Reports variables of --var that no manifest uses. Files of variables and rollcall.yaml may contain more variables than a run
 * needs, so a variable of an environment is reported only if its name is like that of a variable that the environment does not set.
 */
function unusedVariables(
  { givenVariables, config, strict, nameOf }: Settings,
  { variables }: Pick<LoadedManifests, 'variables'>,
): Diagnostic[] {
  const own = new Set(config?.ownVars);
  const unset = [...variables].filter((name) => !own.has(name));
  const named = [
    ...givenVariables.map((name) => [name, nameOf('variables')] as const),
    ...[...own].filter((name) => didYouMean(name, unset)).map((name) => [name, 'rollcall.yaml'] as const),
  ];
  return named
    .filter(([name]) => !variables.has(name))
    .map(([name, source]) => ({
      ...diagnosticFor(undefined, {
        code: 'unused-variable',
        summary: `no manifest refers to the variable \`${name}\` of ${source}`,
        detail: didYouMean(name, variables) ?? 'Correct the name, or leave the variable out.',
      }),
      severity: strict ? 'error' : 'warning',
    }));
}

export type FindOverwrittenInputs = (inputs: readonly string[]) => Promise<readonly Diagnostic[]>;

export function inputFilesOf(
  { files, policy }: Settings,
  manifests?: Pick<LoadedManifests, 'filenames' | 'referencedFiles'>,
): readonly string[] {
  const { filenames = [], referencedFiles = [] } = manifests ?? {};
  return [...files, ...policy.ownSecrets.files, ...filenames, ...referencedFiles];
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}
