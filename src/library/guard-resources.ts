import { nodeFiles } from '../terminal/node-files.ts';
import { UsageError } from '../base/errors.ts';
import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';
import type { OwnSecrets } from '../base/own-secrets.ts';
import { declaredFields, placeOf, type Resource } from '../kinds/resource.ts';
import { closedFiles, ownSecrets } from '../settings/own-secrets.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import { noTokenPlaces } from '../settings/token-places.ts';
import type { ServiceOptions } from './service.ts';

/**
 * Holds resources against what is kept secret of the service, which was not known yet when their manifests were read. Gives them with
 * those secrets to be blanked out. Rejects with a UsageError when they refer to them.
 */
export async function guardResources(
  resources: readonly Resource[],
  { clientCert, clientKey, caFile, env = process.env }: ServiceOptions,
  settings: ServiceSettings,
): Promise<readonly Resource[]> {
  const flags = {
    ...(clientCert !== undefined && { clientCert }),
    ...(clientKey !== undefined && { clientKey }),
    ...(caFile !== undefined && { caFile }),
  };
  const closed = await closedFiles(flags, env, noTokenPlaces, nodeFiles);
  const own = ownSecrets(flags, env, noTokenPlaces, closed, settings);
  for (const resource of resources) if (resource.references) await refuseOwn(resource, own);
  const widened = new Map<readonly string[], readonly string[]>();
  return resources.map((resource) => {
    const secrets = widened.get(resource.secrets) ?? [...new Set([...resource.secrets, ...own.texts])];
    widened.set(resource.secrets, secrets);
    return { ...resource, secrets };
  });
}

async function refuseOwn(resource: Resource, { files, tokens }: OwnSecrets): Promise<void> {
  const folder = placeOf(resource).filename.replace(/[^/]*$/, '');
  const parts = Object.values(resource.references ?? {}).flat();
  for (const part of parts) {
    if (typeof part === 'string' || !('file' in part)) continue;
    const path = part.file.startsWith('/') ? part.file : folder + part.file;
    const realPath = await nodeFiles.realPath(path).catch(() => undefined);
    if (realPath !== undefined && files.has(realPath)) throw refusal(resource);
  }
  for (const [, value] of declaredFields(resource)) if (holds(value, tokens)) throw refusal(resource);
}

function holds(value: JsonValue, texts: readonly string[]): boolean {
  if (typeof value === 'string') return texts.some((text) => value.includes(text));
  if (isJsonList(value)) return value.some((item) => holds(item, texts));
  return isJsonObject(value) && Object.values(value).some((inner) => holds(inner, texts));
}

function refusal({ address }: Resource): UsageError {
  return new UsageError(
    `${address} refers to what rollcall itself keeps secret`,
    'A manifest would send the token, or the key of the client certificate, to where others can read it.',
  );
}
