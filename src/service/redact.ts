import type { Transport } from './transport.ts';

const shown = '(sensitive)';

/** Nothing shorter is a token; to blank out a short text everywhere would make answers unreadable. */
const shortest = 8;

/** A transport whose answers and errors do not hold the secret, even where the other side echoes it. */
export function redacting(send: Transport, secret: string): Transport {
  if (secret.length < shortest) return send;
  const inJson = JSON.stringify(secret).slice(1, -1);
  const clean = (text: string): string => text.replaceAll(secret, shown).replaceAll(inJson, shown);
  return async (request, signal) => {
    const exchange = await send(request, signal);
    if (exchange.kind !== 'answered') {
      exchange.error.message = clean(exchange.error.message);
      return exchange;
    }
    const headers = Object.fromEntries(
      Object.entries(exchange.headers).map(([name, value]) => [name, clean(value)]),
    );
    return { ...exchange, headers, body: clean(exchange.body) };
  };
}
