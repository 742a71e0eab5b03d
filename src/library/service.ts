import { haltDiagnostics } from '../report/words/halts.ts';
import { UsageError } from '../base/errors.ts';
import type { OwnSecrets } from '../base/own-secrets.ts';
import { toolVersion } from '../base/package-file.ts';
import type { Resource } from '../kinds/resource.ts';
import { refersToOwn } from '../manifest/secret-reference.ts';
import type { Job } from '../run/world.ts';
import type { Environment } from '../settings/environment.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import { readSettings } from '../settings/settings.ts';
import { noConfig, type NameOf } from '../settings/values.ts';
import { nodeService } from '../terminal/node-context.ts';
import { nodeFiles } from '../terminal/node-files.ts';

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
  /** What goes beyond reading and creating: `update`; else `ROLLCALL_CAPABILITIES`, or nothing. */
  readonly capabilities?: readonly string[];
  /** Whether nothing is sent but the three documented operations of the service; else `ROLLCALL_CONTRACT_ONLY`, or not. */
  readonly contractOnly?: boolean;
  /** What may be done beside creating what is missing: `update`, with the capability of that name. Nothing by default. */
  readonly allow?: readonly string[] | undefined;
  /** A PEM file of authorities to trust as well. */
  readonly caFile?: string;
  /** A PEM file to show to a service that asks for it, and its key if that is in another file. */
  readonly clientCert?: string;
  readonly clientKey?: string;
  /** Headers of each request, by name. Their values are sent as they are, and treated like the token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Allows `http://` to other hosts than this one: the token is sent unencrypted. */
  readonly insecureHttp?: boolean;
  /** What is read in place of the environment of the process, for all of the above and for the proxy. */
  readonly env?: Environment;
  /** When it aborts, nothing more is begun; what is under way is settled. */
  readonly signal?: AbortSignal | undefined;
}

/** A program has options, and no flags. */
export const nameOf: NameOf = (value) => (value === 'tokenFile' ? 'ROLLCALL_TOKEN_FILE' : value);

/** The settings that options and the environment say. Rejects with a UsageError when they are wrong. */
export async function settingsOf(
  options: ServiceOptions,
): Promise<{ readonly service: ServiceSettings; readonly own: OwnSecrets }> {
  const { env = process.env, headers = {}, signal: _, ...given } = options;
  const values = {
    ...given,
    headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
    config: noConfig,
    nameOf,
  };
  const { service, policy } = await readSettings(values, { env, files: nodeFiles }, 'service');
  if (service === undefined) throw new Error('no rollcall.yaml was read, so none can be faulty');
  return { service, own: policy.own };
}

/** A job whose events go to `emit` alone. */
export function jobFor(
  { env = process.env, signal: stop }: ServiceOptions,
  emit: Job['emit'] = () => {},
): Job {
  // A signal for this run alone, so that its listeners do not stay on the caller's signal after the run.
  const signal = AbortSignal.any(stop ? [stop] : []);
  return {
    ...nodeService,
    env,
    files: nodeFiles,
    interruptible: () => ({ signal, urgent: new AbortController().signal }),
    toolVersion: toolVersion(),
    emit,
    haltWords: haltDiagnostics,
  };
}

/**
 * Resources with what is kept secret of the service to be blanked out as well: it was not known yet when their manifests were read.
 * Rejects with a UsageError when they refer to it.
 */
export async function guarded(resources: readonly Resource[], own: OwnSecrets): Promise<readonly Resource[]> {
  const widened = new Map<readonly string[], readonly string[]>();
  const safe: Resource[] = [];
  for (const resource of resources) {
    if (await refersToOwn(resource, own, nodeFiles)) {
      throw new UsageError(
        `${resource.address} refers to what rollcall itself keeps secret`,
        'A manifest would send the token, or the key of the client certificate, to where others can read it.',
      );
    }
    const secrets = widened.get(resource.secrets) ?? [...new Set([...resource.secrets, ...own.texts])];
    widened.set(resource.secrets, secrets);
    safe.push({ ...resource, secrets });
  }
  return safe;
}
