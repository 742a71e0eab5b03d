import type { Diagnostic } from '../diagnostic.ts';
import { UsageError } from '../errors.ts';
import { loadManifests, type LoadedManifests } from '../manifest/load-manifests.ts';
import { diagnosticsText } from '../report/diagnostics-text.ts';
import { createStyle } from '../report/style.ts';
import { validationText } from '../report/validation-text.ts';
import {
  readServiceSettings,
  type ServiceFlags,
  type ServiceSettings,
} from '../settings/service-settings.ts';
import { readSettings, type ProjectFlags, type Settings } from '../settings/settings.ts';
import type { Resource } from '../resource.ts';
import type { Context } from './context.ts';

/** Everything that is known before a request is sent. */
export interface Prepared {
  readonly resources: readonly Resource[];
  readonly service: ServiceSettings;
}

/** Reads settings and manifests; or, with the diagnostics on stderr, nothing. */
export async function prepare(
  paths: readonly string[],
  flags: ProjectFlags & ServiceFlags,
  context: Context,
): Promise<Prepared | undefined> {
  if (flags.tokenFile === '-' && paths.includes('-')) {
    throw new UsageError(
      'standard input cannot hold both the token and a manifest',
      'Name a file for one of the two.',
    );
  }
  const settings = await readSettings(flags, context.env, context.files);
  const { config } = settings;
  const service = config && (await readServiceSettings(flags, context.env, config, context.files));
  const loaded = await load(paths, flags, settings, context);
  if (service === undefined || hasErrors(loaded.diagnostics)) return explain(loaded, context);
  context.stderr.write(diagnosticsText(loaded.diagnostics, createStyle(context.stderr.colours)));
  return { resources: loaded.resources, service };
}

/** Reads the manifests that the command line names, or else those of the configuration, whatever is wrong with that. */
export async function load(
  paths: readonly string[],
  { strict }: ProjectFlags,
  { config, variables, diagnostics }: Settings,
  { files, env }: Context,
): Promise<LoadedManifests> {
  const named = paths.length > 0 ? paths : (config?.manifests ?? []);
  if (named.length === 0 && diagnostics.length === 0) {
    throw new UsageError(
      'no manifest is named',
      'Name files or folders of YAML, such as: manifests/. Or list them under `manifests` in rollcall.yaml.',
    );
  }
  const loaded = await loadManifests(named, {
    files,
    env,
    ...(variables && { variables }),
    ...(strict !== undefined && { strict }),
  });
  return { ...loaded, diagnostics: [...diagnostics, ...loaded.diagnostics] };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

function explain({ diagnostics, resources }: LoadedManifests, { stderr }: Context): undefined {
  const style = createStyle(stderr.colours);
  stderr.write(diagnosticsText(diagnostics, style) + validationText(diagnostics, resources, style));
}
