import { maxConsecutiveFailures } from './retries.ts';
import type { Transport } from './transport.ts';

/** The reason why a read was not sent. It counts as a timeout, so the read is not tried again. */
export class UnaskedError extends Error {
  override name = 'TimeoutError';
}

/** A transport for reads that sends nothing more to a service that hangs. */
export function stopAtSilence(send: Transport): Transport {
  let timeouts = 0;
  return async (request, signal) => {
    if (timeouts >= maxConsecutiveFailures.lookUps) return { kind: 'lost', error: new UnaskedError() };
    const exchange = await send(request, signal);
    const isTimeout = exchange.kind === 'lost' && exchange.error.name === 'TimeoutError';
    timeouts = isTimeout ? timeouts + 1 : 0;
    return exchange;
  };
}
