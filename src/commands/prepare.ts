import type { Diagnostic } from '../diagnostic.ts';
import { UsageError } from '../errors.ts';
import { loadManifests, type LoadedManifests } from '../manifest/load-manifests.ts';
import { select, type Shard } from '../manifest/select.ts';
import type { PlanScope } from '../plan/types.ts';
import { diagnosticsText } from '../report/diagnostics-text.ts';
import { createStyle } from '../report/style.ts';
import { validationText } from '../report/validation-text.ts';
import { headerVariables } from '../settings/headers.ts';
import {
  readServiceSettings,
  type ServiceFlags,
  type ServiceSettings,
} from '../settings/service-settings.ts';
import { readSettings, type ProjectFlags, type Settings } from '../settings/settings.ts';
import type { Resource } from '../resource.ts';
import { didYouMean } from '../suggestion.ts';
import type { Context } from './context.ts';

/** Which of the declared resources a run is about. */
export interface ScopeFlags {
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly shard?: string;
}

/** Everything that is known before a request is sent. */
export type Prepared = {
  readonly diagnostics: readonly Diagnostic[];
  readonly filenames: readonly string[];
} & (
  | {
      readonly kind: 'ready';
      readonly resources: readonly Resource[];
      readonly scope?: PlanScope;
      /** All that the manifests declare. */
      readonly declared: readonly Resource[];
      readonly service: ServiceSettings;
    }
  | {
      readonly kind: 'invalid';
      /** None when rollcall.yaml is faulty. */
      readonly service?: ServiceSettings;
    }
);

/** Reads settings and manifests, and says on stderr what is wrong with them. */
export async function prepare(
  paths: readonly string[],
  flags: ProjectFlags & ServiceFlags & ScopeFlags,
  context: Context,
): Promise<Prepared> {
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
  const { diagnostics, filenames } = loaded;
  if (service === undefined || hasErrors(diagnostics)) {
    explain(loaded, context);
    return { kind: 'invalid', diagnostics, filenames, ...(service && { service }) };
  }
  const warnings = diagnosticsText(diagnostics, createStyle(context.stderr.colours));
  if (warnings !== '') context.stderr.write(`${warnings}\n`);
  return { kind: 'ready', ...selected(loaded.resources, flags), service, diagnostics, filenames };
}

/** Reads the manifests that the command line names, or else those of the configuration, whatever is wrong with that. */
export async function load(
  paths: readonly string[],
  { strict, header = [] }: ProjectFlags & Pick<ServiceFlags, 'header'>,
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
    withheld: [...(config?.tokenEnv === undefined ? [] : [config.tokenEnv]), ...headerVariables(header)],
  });
  return { ...loaded, diagnostics: [...diagnostics, ...loaded.diagnostics] };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

/** The resources that a run is about. Throws a UsageError when the flags leave nothing over, or name nothing. */
export function selected(
  declared: readonly Resource[],
  { target = [], exclude = [], shard: written }: ScopeFlags,
): { resources: readonly Resource[]; declared: readonly Resource[]; scope?: PlanScope } {
  if (target.length + exclude.length === 0 && written === undefined) return { resources: declared, declared };
  const shard = written === undefined ? undefined : shardOf(written);
  const { resources, unmatched } = select(declared, { target, exclude, ...(shard && { shard }) });
  if (unmatched.length > 0) {
    throw new UsageError(
      `no declared resource has an address like ${unmatched.join(' or ')}`,
      didYouMean(unmatched[0] ?? '', [
        'application.*',
        'user.*',
        ...declared.map(({ address }) => address),
      ]) ?? 'Addresses are application.SLUG and user.USERNAME; * stands for any text, ? for one character.',
    );
  }
  if (resources.length === 0 && shard === undefined)
    throw new UsageError('--target and --exclude leave nothing over', 'Exclude less.');
  const scope = { target, exclude, ...(shard && { shard }), declared: declared.length };
  return { resources, declared, scope };
}

function shardOf(written: string): Shard {
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(written) ?? []).map(Number);
  if (index >= 1 && index <= count) return { index, count };
  throw new UsageError(
    `--shard cannot be ${JSON.stringify(written)}`,
    'Write it as I/N, such as 1/8: the first of eight. I goes from 1 to N.',
  );
}

function explain({ diagnostics, resources }: LoadedManifests, { stderr }: Context): void {
  const style = createStyle(stderr.colours);
  stderr.write(diagnosticsText(diagnostics, style) + validationText(diagnostics, resources, style));
}
