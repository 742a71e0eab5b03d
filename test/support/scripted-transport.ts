import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';

export interface ScriptedTransport {
  readonly send: Transport;
  readonly requests: readonly HttpRequest[];
}

/** A transport that returns these exchanges in turn, and fails after the last. */
export function scriptedTransport(...exchanges: readonly Exchange[]): ScriptedTransport {
  const requests: HttpRequest[] = [];
  return {
    requests,
    send: async (request) => {
      const exchange = exchanges[requests.length];
      requests.push(request);
      if (exchange === undefined)
        throw new Error(`no answer is scripted for ${request.method} ${request.path}`);
      return exchange;
    },
  };
}

export function answered(status: number, body: unknown = '', headers: Record<string, string> = {}): Exchange {
  return { kind: 'answered', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

export const lost: Exchange = { kind: 'lost', error: new Error('the connection was reset') };
export const refused: Exchange = {
  kind: 'never_sent',
  error: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  transient: true,
};
