import { UsageError } from '../errors.ts';
import { loadManifests } from '../manifest/load-manifests.ts';
import { diagnosticsText } from '../report/diagnostics-text.ts';
import { createStyle } from '../report/style.ts';
import type { Resource } from '../resource.ts';
import type { Context } from './context.ts';

/** The desired resources; or, with the diagnostics on stderr, nothing. */
export async function readDesired(
  paths: readonly string[],
  context: Context,
): Promise<readonly Resource[] | undefined> {
  const { resources, diagnostics } = await loadManifests(demandPaths(paths), context.files);
  context.stderr.write(diagnosticsText(diagnostics, createStyle(context.stderr.colours)));
  return diagnostics.some(({ severity }) => severity === 'error') ? undefined : resources;
}

/** Without a path there is nothing to do, and doing nothing would look like success. */
export function demandPaths(paths: readonly string[]): readonly string[] {
  if (paths.length > 0) return paths;
  throw new UsageError('no manifest is named', 'Name files or folders of YAML, such as: manifests/');
}
