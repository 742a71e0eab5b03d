import type { Destination } from '../base/destination.ts';
import { unlessUsage } from '../base/errors.ts';
import { readBaseUrl } from './base-url.ts';
import { defaultConfigFile } from './config.ts';
import { nonEmpty, type Environment } from './environment.ts';

/** The service and configuration of a command, known without reading a file, so that it is the same however the command ends. */
export interface RunTarget extends Partial<Destination> {
  /** The path of rollcall.yaml, whether it exists or not. */
  readonly config: string;
}

/** The service is left out if only rollcall.yaml has it. */
export async function runTargetOf(
  given: { readonly url?: string; readonly env?: string; readonly config?: string },
  env: Environment,
): Promise<RunTarget> {
  const url = given.url ?? nonEmpty(env['ROLLCALL_URL']);
  const service = url === undefined ? undefined : await unlessUsage(async () => readBaseUrl(url, true));
  return {
    ...(service !== undefined && { service }),
    environment: given.env ?? nonEmpty(env['ROLLCALL_ENV']),
    config: given.config ?? defaultConfigFile,
  };
}
