import { kinds } from '../kinds/all.ts';
import type { Exchange, HttpRequest, Transport } from './transport.ts';

const movedKinds = kinds.flatMap(({ path, formerPath }) =>
  formerPath === undefined ? [] : [{ path, was: formerPath.path }],
);

/** If the service does not know a path, this transport uses the path of earlier releases. It uses what was answered once for the rest of the run. */
export function withFormerPaths(send: Transport): Transport {
  const known = new Map<string, 'present' | 'former'>();
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
    if (known.get(kind.path) === 'former') return send(former, signal);
    const answer = await send(request, signal);
    if (hasKnownPath(answer)) known.set(kind.path, 'present');
    if (!isUnknownPath(answer) || known.get(kind.path) === 'present' || signal?.aborted) return answer;
    const second = await send(former, signal);
    if (isUnknownPath(second)) return answer;
    // A create that succeeded may be answered with a 405, so the 405 is returned if the second request had no effect.
    if (request.method !== 'GET' && answer.status === 405 && hadNoEffect(second))
      return { ...answer, headers: { ...answer.headers, ...retryAfterOf(second) } };
    if (hasKnownPath(second)) known.set(kind.path, 'former');
    return second.kind === 'never_sent' || second.kind === 'lost'
      ? { ...second, wasAnsweredBefore: true }
      : second;
  }
}

type Answered = Exchange & { readonly kind: 'answered' };

/** Whether the answer comes from the service itself, and not from a proxy that is overloaded or cannot reach the service. */
function hasKnownPath(exchange: Exchange): boolean {
  return exchange.kind === 'answered' && exchange.status < 500 && !asksToWait(exchange) && isJson(exchange);
}

function asksToWait({ status }: Answered): boolean {
  return [421, 425, 429].includes(status);
}

function hadNoEffect(exchange: Exchange): boolean {
  return exchange.kind === 'never_sent' || (exchange.kind === 'answered' && asksToWait(exchange));
}

function retryAfterOf(exchange: Exchange): Answered['headers'] {
  const asked = exchange.kind === 'answered' ? exchange.headers['retry-after'] : undefined;
  return asked === undefined ? {} : { 'retry-after': asked };
}

/** Whether the service does not know the path. The 404 for an unknown path has no JSON, unlike the 404 for an absent record. */
function isUnknownPath(exchange: Exchange): exchange is Answered {
  return exchange.kind === 'answered' && [404, 405].includes(exchange.status) && !isJson(exchange);
}

function isJson({ headers }: Answered): boolean {
  return headers['content-type']?.startsWith('application/json') === true;
}
