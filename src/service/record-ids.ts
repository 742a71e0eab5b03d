import { lazy } from '../base/memoize.ts';
import { kinds } from '../kinds/all.ts';
import type { Exchange, HttpRequest } from './transport.ts';

/** The names of id fields that are not called `pk`, by the path of the list. */
const idFields = lazy(() =>
  kinds.flatMap(({ path, formerPath, family: { id, path: shared } }) =>
    id === 'pk'
      ? []
      : [
          [path, id] as const,
          [shared, id] as const,
          ...(formerPath ? [[formerPath.path, formerPath.id ?? id] as const] : []),
        ],
  ),
);

/** A transport that adds `pk` to each record whose id has another name. */
export function withRecordIds<Request extends HttpRequest>(
  send: (request: Request, signal?: AbortSignal) => Promise<Exchange>,
): (request: Request, signal?: AbortSignal) => Promise<Exchange> {
  return (request, signal) => {
    const found = idFields().find(([path]) => request.path.startsWith(path));
    const answer = send(request, signal);
    if (found === undefined) return answer;
    const [path, id] = found;
    const depth = isListed(request, path) ? 3 : 1;
    return answer.then((exchange) => withPks(exchange, id, depth));
  };
}

function withPks(exchange: Exchange, id: string, depth: number): Exchange {
  if (exchange.kind !== 'answered' || exchange.status >= 300) return exchange;
  return {
    ...exchange,
    body: withPk(exchange.body, id, depth),
    ...(exchange.asReceived !== undefined && { asReceived: withPk(exchange.asReceived, id, depth) }),
  };
}

function isListed({ method, path }: HttpRequest, list: string): boolean {
  return method === 'GET' && /^(?:\?|$)/.test(path.slice(list.length));
}

/** Changes the JSON as text, because parsing would round large numbers. */
function withPk(body: string, id: string, at: number): string {
  const key = JSON.stringify(id);
  let depth = 0;
  return body.replace(
    /"(?:[^"\\]|\\.)*"(?:\s*:\s*("[^"\\]*"|\d+))?|[{}[\]]/g,
    (token: string, value?: string) => {
      if (token === '{' || token === '[') depth += 1;
      else if (token === '}' || token === ']') depth -= 1;
      return depth === at && value !== undefined && token.startsWith(key) ? `"pk":${value},${token}` : token;
    },
  );
}
