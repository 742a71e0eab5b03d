import type { Exchange } from '../../src/service/transport.ts';
import type { Send } from './session.ts';

const timeoutMs = 60_000;

/** A function that sends requests over the network. It does not follow redirects. */
export function overFetch(baseUrl: string, ownToken: string): Send {
  return async ({ method, path, body, token = ownToken }): Promise<Exchange> => {
    try {
      const response = await fetch(baseUrl + path, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          accept: 'application/json',
          'accept-language': 'en',
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body }),
      });
      return {
        kind: 'answered',
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    } catch (error) {
      return { kind: 'lost', error: error instanceof Error ? error : new Error(String(error)) };
    }
  };
}
