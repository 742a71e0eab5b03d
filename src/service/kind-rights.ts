import { isJsonObject } from '../base/json.ts';
import type { Kind } from '../kinds/kind.ts';
import { jsonAnswerIn, type Exchange, type HttpRequest, type Transport } from './transport.ts';

export type TokenRight = 'may' | 'may not' | 'unknown';

export interface KindRights {
  readonly view: TokenRight;
  readonly create: TokenRight;
}

/** The rights of a token by kind, and the requests that showed them, each as METHOD PATH. */
export interface KindRightsReading {
  readonly rights: ReadonlyMap<Kind, KindRights>;
  readonly asked: readonly string[];
}

/**
 * For each kind, requests the smallest page of its list, and asks with OPTIONS whether the token may create a record. Both
 * requests are undocumented and change nothing, whereas a POST might create a record.
 */
export async function readKindRights(
  kinds: readonly Kind[],
  send: Transport,
  signal?: AbortSignal,
): Promise<KindRightsReading> {
  const asked: string[] = [];
  const ask = async (request: HttpRequest): Promise<Exchange> => {
    asked.push(`${request.method} ${request.path}`);
    return send(request, signal);
  };
  const rights = new Map<Kind, KindRights>();
  for (const kind of kinds) {
    const view = viewRight(await ask({ method: 'GET', path: `${kind.path}?page_size=1` }));
    const create = createRight(await ask({ method: 'OPTIONS', path: kind.path }));
    rights.set(kind, { view, create });
  }
  return { rights, asked };
}

function viewRight(exchange: Exchange): TokenRight {
  const { status, body = {} } = jsonAnswerIn(exchange) ?? {};
  if (status === 200 && 'results' in body) return 'may';
  return status === 403 && typeof body['detail'] === 'string' ? 'may not' : 'unknown';
}

/** The answer to OPTIONS contains POST only if the token may create a record. An answer without `renders` comes from a proxy. */
function createRight(exchange: Exchange): TokenRight {
  const { status, body = {} } = jsonAnswerIn(exchange) ?? {};
  if (status !== 200 || !('renders' in body)) return 'unknown';
  const { actions } = body;
  return isJsonObject(actions) && isJsonObject(actions['POST']) ? 'may' : 'may not';
}
