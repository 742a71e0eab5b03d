import { cleanDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { loadManifests, type LoadedManifests } from '../manifest/load-manifests.ts';
import { select, type Selection, type Shard } from '../manifest/select.ts';
import type { PlanScope } from '../plan/plan.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import { text } from '../report/formats/text.ts';
import { validationReport } from '../report/report.ts';
import { Redactor } from '../base/redactor.ts';
import { ownSecrets, type SecretFlags } from '../settings/own-secrets.ts';
import {
  readServiceSettings,
  type ServiceFlags,
  type ServiceSettings,
} from '../settings/service-settings.ts';
import { readSettings, type ProjectFlags, type Settings } from '../settings/settings.ts';
import { kinds, listed } from '../kinds/all.ts';
import type { Resource } from '../kinds/resource.ts';
import { didYouMean } from '../base/suggestion.ts';
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
  const selection = selectionOf(flags);
  const settings = await readSettings(flags, context.env, context.files, paths);
  const { config } = settings;
  const service = config && (await readServiceSettings(flags, context.env, config, context.files));
  const loaded = await load(paths, flags, settings, context, service);
  const { resources, filenames } = loaded;
  const diagnostics = withoutOthersWarnings(loaded.diagnostics, selection);
  const shown = flags.quiet ? diagnostics.filter(isError) : diagnostics;
  const style = createStyle(context.stderr.colours);
  if (service === undefined || hasErrors(diagnostics)) {
    const report = validationReport({ ...loaded, diagnostics: shown });
    context.stderr.write(text(report, { ...context, style }));
    return { kind: 'invalid', diagnostics, filenames, ...(service && { service }) };
  }
  if (shown.length > 0) context.stderr.write(`${diagnosticsText(shown, style)}\n`);
  return { kind: 'ready', ...selected(resources, flags), service, diagnostics, filenames };
}

/** Leaves out the warnings about resources that the run is not about. Errors stay: they end the run in any case. */
function withoutOthersWarnings(
  diagnostics: readonly Diagnostic[],
  selection: Selection,
): readonly Diagnostic[] {
  const warned = diagnostics.flatMap(({ address, severity }) =>
    address !== undefined && severity === 'warning' ? [{ address }] : [],
  );
  const ofRun = new Set(select(warned, selection).items.map(({ address }) => address));
  return diagnostics.filter(
    (diagnostic) => isError(diagnostic) || diagnostic.address === undefined || ofRun.has(diagnostic.address),
  );
}

/** Reads the manifests that the command line names, or else those of the configuration, whatever is wrong with that. */
export async function load(
  paths: readonly string[],
  flags: ProjectFlags & SecretFlags,
  { config, variables, diagnostics, tokens, closed }: Settings,
  { files, env }: Context,
  service?: ServiceSettings,
): Promise<LoadedManifests> {
  const { strict } = flags;
  const own = ownSecrets(flags, env, tokens, closed, service);
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
    own,
    ...(config?.allowEnv && { allowEnv: config.allowEnv }),
    ...(config?.allowFiles && { allowFiles: config.allowFiles }),
  });
  const redactor = new Redactor(own.texts);
  const ofSettings = diagnostics.map((diagnostic) => cleanDiagnostic(diagnostic, redactor));
  return { ...loaded, diagnostics: [...ofSettings, ...loaded.diagnostics] };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(isError);
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

const addressForms = listed(kinds.map(({ type, identity }) => `${type}.${identity.toUpperCase()}`));

/** The resources that a run is about. Throws a UsageError when the flags leave nothing over, or name nothing. */
export function selected(
  declared: readonly Resource[],
  flags: ScopeFlags,
): { resources: readonly Resource[]; declared: readonly Resource[]; scope?: PlanScope } {
  const selection = selectionOf(flags);
  const { target, exclude, shard } = selection;
  if (target.length + exclude.length === 0 && shard === undefined) return { resources: declared, declared };
  const { items: resources, unmatched } = select(declared, selection);
  if (unmatched.length > 0) {
    throw new UsageError(
      `no declared resource has an address like ${unmatched.join(' or ')}`,
      didYouMean(unmatched[0] ?? '', [
        ...kinds.map(({ type }) => `${type}.*`),
        ...declared.map(({ address }) => address),
      ]) ?? `Addresses are ${addressForms}; * stands for any text, ? for one character.`,
    );
  }
  if (resources.length === 0 && shard === undefined)
    throw new UsageError('--target and --exclude leave out every resource', 'Exclude less.');
  return { resources, declared, scope: { ...selection, declared: declared.length } };
}

function selectionOf({ target = [], exclude = [], shard }: ScopeFlags): Selection {
  return { target, exclude, ...(shard !== undefined && { shard: shardOf(shard) }) };
}

function shardOf(written: string): Shard {
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(written) ?? []).map(Number);
  if (index >= 1 && index <= count) return { index, count };
  throw new UsageError(
    `--shard cannot be ${JSON.stringify(written)}`,
    'Write it as I/N, such as 1/8: the first of eight. I goes from 1 to N.',
  );
}
