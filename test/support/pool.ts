import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';

/** A transport that counts simultaneous requests, and answers each a moment later. */
export function countingTransport(answer: (request: HttpRequest) => Exchange): {
  readonly send: Transport;
  readonly requests: readonly HttpRequest[];
  readonly mostAtOnce: () => number;
} {
  const requests: HttpRequest[] = [];
  let underWay = 0;
  let most = 0;
  return {
    requests,
    mostAtOnce: () => most,
    send: async (request) => {
      requests.push(request);
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return answer(request);
    },
  };
}
