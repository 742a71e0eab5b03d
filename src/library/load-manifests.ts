import { nodeFiles } from '../terminal/node-files.ts';
import { hasErrors } from '../run/prepare.ts';
import type { JsonObject } from '../base/json.ts';
import { loadManifests as load } from '../manifest/load-manifests.ts';
import { loadFormats } from '../report/formats/all.ts';
import type { Environment } from '../settings/environment.ts';
import { closedFiles, ownSecrets } from '../settings/own-secrets.ts';
import { noTokenPlaces } from '../settings/token-places.ts';
import { Manifests, type InvalidManifests, type ValidManifests } from './manifests.ts';

export interface LoadOptions {
  /** What `${var:NAME}` stands for; nothing has a value by default. */
  readonly variables?: JsonObject;
  /** What `${env:NAME}` stands for; the environment of the process by default. */
  readonly env?: Environment;
  /** The variables that `${env:NAME}` may name, `*` standing for any text; all by default. */
  readonly allowEnv?: readonly string[];
  /** The files that `${file:PATH}` may name, and folders in which they may lie; all by default. */
  readonly allowFiles?: readonly string[];
  /** Whether a warning is an error. */
  readonly strict?: boolean;
}

/**
 * Reads and checks manifests: files, folders (every `*.yaml` and `*.yml` below), globs, or `-` for standard input.
 * Sends nothing. What is wrong with the manifests is in the diagnostics, all of it; nothing is thrown for it.
 */
export async function loadManifests(
  paths: string | readonly string[],
  { variables = {}, env = process.env, strict = false, ...allowed }: LoadOptions = {},
): Promise<ValidManifests | InvalidManifests> {
  const named = typeof paths === 'string' ? [paths] : paths;
  const closed = await closedFiles({}, env, noTokenPlaces, nodeFiles);
  const own = ownSecrets({}, env, noTokenPlaces, closed);
  const read = await load(named, { files: nodeFiles, variables, env, strict, own, ...allowed });
  // Now, because what renders a report does not wait.
  const loaded = { ...read, formats: await loadFormats() };
  return hasErrors(loaded.diagnostics) ? new Manifests('invalid', loaded) : new Manifests('valid', loaded);
}
