import type { Destination } from '../base/destination.ts';
import { unlessUsage } from '../base/errors.ts';
import { readBaseUrl } from './base-url.ts';
import { defaultConfigFile } from './config.ts';
import { nonEmpty, type Environment } from './environment.ts';

/** Which roll a command is to call, known without reading a file: so it is the same however the command ends. */
export interface Roll extends Partial<Destination> {
  /** Where rollcall.yaml is, or would be. */
  readonly config: string;
}

/** The service is left out where only rollcall.yaml says it. */
export async function rollOf(
  given: { readonly url?: string; readonly env?: string; readonly config?: string },
  env: Environment,
): Promise<Roll> {
  const url = given.url ?? nonEmpty(env['ROLLCALL_URL']);
  const service = url === undefined ? undefined : await unlessUsage(async () => readBaseUrl(url, true));
  return {
    ...(service !== undefined && { service }),
    environment: given.env ?? nonEmpty(env['ROLLCALL_ENV']),
    config: given.config ?? defaultConfigFile,
  };
}
