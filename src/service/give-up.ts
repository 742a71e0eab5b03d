import type { Exchange, Transport } from './transport.ts';

/** A transport that gives up every request when the signal aborts, and sends none any more. */
export function givingUp(send: Transport, signal: AbortSignal): Transport {
  const underWay = new Set<() => void>();
  signal.addEventListener('abort', () => {
    for (const giveUp of underWay) giveUp();
  });
  return (request, ownSignal) =>
    new Promise<Exchange>((resolve) => {
      if (signal.aborted) {
        resolve({ kind: 'never_sent', error: givenUp(), transient: false });
        return;
      }
      const giveUp = (): void => resolve({ kind: 'lost', error: givenUp() });
      underWay.add(giveUp);
      void send(request, ownSignal).then((exchange) => {
        underWay.delete(giveUp);
        resolve(exchange);
        return exchange;
      });
    });
}

function givenUp(): Error {
  return new Error('it was given up');
}
