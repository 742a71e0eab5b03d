import { withService, type Service } from '../run/connect.ts';
import type { ServiceContext } from '../run/context.ts';
import { nodeService } from '../terminal/node-context.ts';
import { nodeFiles } from '../terminal/node-files.ts';
import type { Environment } from '../settings/environment.ts';
import { readServiceSettings } from '../settings/service-settings.ts';
import { toolVersion } from '../base/tool-version.ts';

/** How to reach the service. What is left out is taken from the environment, as the commands take it. */
export interface ServiceOptions {
  /** Its base URL; else `ROLLCALL_URL`. */
  readonly url?: string | undefined;
  /** Else `ROLLCALL_TOKEN`, or the file that `ROLLCALL_TOKEN_FILE` names. */
  readonly token?: string | undefined;
  /** How long one request may take, in whole seconds from 1 to 3600; 60 by default. */
  readonly timeoutSeconds?: number;
  /**
   * How long to wait for a service that goes away or is starting, in whole seconds up to 86400; 60 by default, 0 for not at
   * all. Where it is given, a service that has not answered yet is waited for as well.
   */
  readonly waitSeconds?: number;
  /** How many requests are under way at a time, at the most; else `ROLLCALL_CONCURRENCY`, or 16. */
  readonly concurrency?: number;
  /** A PEM file of authorities to trust as well. */
  readonly caFile?: string;
  /** A PEM file to show to a service that asks for it, and its key if that is in another file. */
  readonly clientCert?: string;
  readonly clientKey?: string;
  /** Headers of each request, by name. Their values are treated like the token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Allows `http://` to other hosts than this one: the token is sent unencrypted. */
  readonly insecureHttp?: boolean;
  /** What is read in place of the environment of the process, for all of the above and for the proxy. */
  readonly env?: Environment;
  /** When it aborts, nothing more is begun; what is under way is settled. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs something with a connection to the service, as the commands do, but silently. Rejects with a UsageError when the options are wrong. */
export async function withServiceOf<Result>(
  options: ServiceOptions,
  use: (service: Service, context: ServiceContext) => Promise<Result>,
): Promise<Result> {
  const { url, token, timeoutSeconds, waitSeconds, concurrency, env = process.env } = options;
  const { caFile, clientCert, clientKey, headers = {}, insecureHttp } = options;
  const settings = await readServiceSettings(
    {
      quiet: true,
      ...(url !== undefined && { url }),
      ...(timeoutSeconds !== undefined && { timeout: String(timeoutSeconds) }),
      ...(waitSeconds !== undefined && { wait: String(waitSeconds) }),
      ...(concurrency !== undefined && { concurrency: String(concurrency) }),
      ...(caFile !== undefined && { caFile }),
      ...(clientCert !== undefined && { clientCert }),
      ...(clientKey !== undefined && { clientKey }),
      header: Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(insecureHttp !== undefined && { insecureHttp }),
    },
    {
      ...env,
      ROLLCALL_LOG: '',
      ...(token !== undefined && { ROLLCALL_TOKEN: token, ROLLCALL_TOKEN_FILE: '' }),
    },
    { manifests: [], vars: {} },
    nodeFiles,
  );
  // A signal for this run alone, so that its listeners do not stay on the caller's signal after the run.
  const signal = AbortSignal.any(options.signal ? [options.signal] : []);
  const context: ServiceContext = {
    ...nodeService,
    stderr: { write: () => {}, isTerminal: false, colours: false },
    interruptible: () => ({ signal, urgent: new AbortController().signal }),
    toolVersion: toolVersion(),
  };
  return withService(settings, context, (service) => use(service, context));
}
