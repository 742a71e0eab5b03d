import { maxConsecutiveFailures } from './retries.ts';
import type { Exchange, Transport } from './transport.ts';

/** A transport for reads that sends nothing more to a service that hangs. It then repeats the last result, a timeout. */
export function stopAtSilence(send: Transport): Transport {
  let timeouts: readonly Exchange[] = [];
  return async (request, signal) => {
    const [timeout] = timeouts;
    if (timeout && timeouts.length >= maxConsecutiveFailures.lookUps) return timeout;
    const exchange = await send(request, signal);
    const isTimeout = exchange.kind === 'lost' && exchange.error.name === 'TimeoutError';
    timeouts = isTimeout ? [exchange, ...timeouts] : [];
    return exchange;
  };
}
