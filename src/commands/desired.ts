import { UsageError } from '../errors.ts';
import { loadManifests } from '../manifest/load-manifests.ts';
import { diagnosticsText } from '../report/diagnostics-text.ts';
import { createStyle } from '../report/style.ts';
import { validationText } from '../report/validation-text.ts';
import type { Resource } from '../resource.ts';
import type { Context } from './context.ts';

/** The desired resources; or, with the diagnostics on stderr, nothing. */
export async function readDesired(
  paths: readonly string[],
  context: Context,
): Promise<readonly Resource[] | undefined> {
  const { resources, diagnostics } = await loadManifests(demandPaths(paths), context.files);
  const style = createStyle(context.stderr.colours);
  context.stderr.write(diagnosticsText(diagnostics, style));
  if (!diagnostics.some(({ severity }) => severity === 'error')) return resources;
  context.stderr.write(validationText(diagnostics, resources, style));
  return undefined;
}

/** Standard input can be read once: by the token or by a manifest. */
export function refuseSharedInput(
  paths: readonly string[],
  { tokenFile }: { readonly tokenFile?: string },
): void {
  if (tokenFile === '-' && paths.includes('-')) {
    throw new UsageError(
      'standard input cannot hold both the token and a manifest',
      'Name a file for one of the two.',
    );
  }
}

/** Without a path there is nothing to do, and doing nothing would look like success. */
export function demandPaths(paths: readonly string[]): readonly string[] {
  if (paths.length > 0) return paths;
  throw new UsageError('no manifest is named', 'Name files or folders of YAML, such as: manifests/');
}
