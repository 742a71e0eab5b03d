import { kinds } from '../kinds/all.ts';
import type { Exchange, HttpRequest, Transport } from './transport.ts';

const movedKinds = kinds.flatMap(({ path, formerPath }) =>
  formerPath === undefined ? [] : [{ path, was: formerPath.path }],
);

/** If the service does not know a path, this transport uses the path of earlier releases for the rest of the run. */
export function withFormerPaths(send: Transport): Transport {
  const earlier = new Set<string>();
  return (request, signal) => {
    const kind = movedKinds.find(({ path }) => request.path.startsWith(path));
    return kind === undefined ? send(request, signal) : sendMoved(kind, request, signal);
  };

  async function sendMoved(
    kind: (typeof movedKinds)[number],
    request: HttpRequest,
    signal: AbortSignal | undefined,
  ): Promise<Exchange> {
    const former = { ...request, path: kind.was + request.path.slice(kind.path.length) };
    if (earlier.has(kind.path)) return send(former, signal);
    const answer = await send(request, signal);
    if (!isUnknownPath(answer) || signal?.aborted) return answer;
    const second = await send(former, signal);
    if (isUnknownPath(second)) return answer;
    // A create that succeeded may be answered with a 405, so the 405 is returned if the second request had no effect.
    if (request.method !== 'GET' && isRefusedMethod(answer) && hadNoEffect(second))
      return { ...answer, headers: { ...answer.headers, ...retryAfterOf(second) } };
    if (second.kind === 'answered' && isOfService(second)) earlier.add(kind.path);
    return second.kind === 'never_sent' || second.kind === 'lost'
      ? { ...second, wasAnsweredBefore: true }
      : second;
  }
}

type Answered = Exchange & { readonly kind: 'answered' };

function isOfService({ status, headers }: Answered): boolean {
  return status < 500 && !asksToSlowDown.has(status) && isJson(headers);
}

const asksToSlowDown: ReadonlySet<number> = new Set([421, 425, 429]);

function hadNoEffect(exchange: Exchange): boolean {
  return (
    exchange.kind === 'never_sent' || (exchange.kind === 'answered' && asksToSlowDown.has(exchange.status))
  );
}

function retryAfterOf(exchange: Exchange): Answered['headers'] {
  const asked = exchange.kind === 'answered' ? exchange.headers['retry-after'] : undefined;
  return asked === undefined ? {} : { 'retry-after': asked };
}

/** Whether the service does not know the path. The 404 for an unknown path has no JSON, unlike the 404 for an absent record. */
function isUnknownPath(exchange: Exchange): boolean {
  if (exchange.kind !== 'answered' || ![404, 405].includes(exchange.status)) return false;
  return !isJson(exchange.headers);
}

function isRefusedMethod(exchange: Exchange): exchange is Answered & { readonly status: 405 } {
  return exchange.kind === 'answered' && exchange.status === 405;
}

function isJson(headers: Readonly<Record<string, string | undefined>>): boolean {
  return headers['content-type']?.startsWith('application/json') === true;
}
