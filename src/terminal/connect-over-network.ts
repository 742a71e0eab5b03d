import type { Connection } from '../service/transport.ts';
import { undiciTransport } from '../service/undici-transport.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';

/** Connects to a service over the network. This is the only place where secrets become plain text. */
export function connectOverNetwork(settings: ServiceSettings): Connection {
  const { baseUrl, token, timeoutMs, proxy, certificates, client } = settings;
  const authorization = proxy?.authorization?.reveal();
  return undiciTransport({
    baseUrl,
    timeoutMs,
    authorization: `Bearer ${token.reveal()}`,
    ...(proxy && { proxy: { origin: proxy.origin, ...(authorization !== undefined && { authorization }) } }),
    headers: Object.fromEntries(settings.headers.map(({ name, value }) => [name, value.reveal()])),
    ...(certificates && { certificates }),
    ...(client && { client: { certificate: client.certificate, key: client.key.reveal() } }),
  });
}
