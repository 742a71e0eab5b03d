import { memoizePerKey } from '../base/memoize.ts';
import type { Exchange, Transport } from './transport.ts';

/** A transport that cancels its requests when the signal aborts, and sends no requests afterwards. */
export function abortableTransport(send: Transport, signal: AbortSignal): Transport {
  const requestsUnderWay = onAbort(signal);
  return (request, ownSignal) =>
    new Promise<Exchange>((resolve, reject) => {
      if (signal.aborted) {
        resolve({ kind: 'never_sent', error: new GivenUpError(), transient: false });
        return;
      }
      const giveUp = (): void => resolve({ kind: 'lost', error: new GivenUpError() });
      const end = (exchange: Exchange): void => {
        requestsUnderWay.delete(giveUp);
        resolve(exchange);
      };
      requestsUnderWay.add(giveUp);
      send(request, ownSignal).then(end, reject);
    });
}

/** The user interrupted a second time, so rollcall no longer waits for the answer. */
export class GivenUpError extends Error {
  override readonly name = 'GivenUpError';

  constructor() {
    super('rollcall gave up the request');
  }
}

/** The functions to call when a signal aborts, with a single listener for all of them. */
export const onAbort: (signal: AbortSignal) => Set<() => void> = memoizePerKey((signal: AbortSignal) => {
  const calls = new Set<() => void>();
  signal.addEventListener('abort', () => {
    for (const call of calls) call();
  });
  return calls;
});
