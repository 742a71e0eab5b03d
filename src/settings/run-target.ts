import type { Destination } from '../base/destination.ts';
import { undefinedOnUsageError } from '../base/errors.ts';
import { readBaseUrl } from './base-url.ts';
import { defaultConfigFile } from './config.ts';
import { nonEmpty, type EnvironmentVariables } from './environment.ts';

/** The service and configuration that are known before any file is read. Reports of failures contain this target. */
export interface RunTarget extends Partial<Destination> {
  /** The path of rollcall.yaml, whether it exists or not. */
  readonly config: string;
}

/** If only rollcall.yaml names the service, the target has no service. */
export async function runTargetOf(
  flags: { readonly url?: string; readonly env?: string; readonly config?: string },
  env: EnvironmentVariables,
): Promise<RunTarget> {
  const url = flags.url ?? nonEmpty(env['ROLLCALL_URL']);
  const service =
    url === undefined ? undefined : await undefinedOnUsageError(async () => readBaseUrl(url, true));
  return {
    ...(service !== undefined && { service }),
    environment: flags.env ?? nonEmpty(env['ROLLCALL_ENV']),
    config: flags.config ?? defaultConfigFile,
  };
}
