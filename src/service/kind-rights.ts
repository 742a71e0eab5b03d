import { isJsonObject } from '../base/json.ts';
import type { Kind } from '../kinds/kind.ts';
import { jsonAnswerIn, type Exchange, type Transport } from './transport.ts';

export type TokenRight = 'may' | 'may not' | 'unknown';

export interface KindRights {
  readonly view: TokenRight;
  readonly create: TokenRight;
}

/**
 * For each kind, requests the smallest page of its list, and asks with OPTIONS whether the token may create a record. Both
 * requests are undocumented and change nothing, whereas a POST might create a record.
 */
export async function readKindRights(
  kinds: readonly Kind[],
  send: Transport,
): Promise<ReadonlyMap<Kind, KindRights>> {
  const rights = new Map<Kind, KindRights>();
  for (const kind of kinds) {
    const view = viewRight(await send({ method: 'GET', path: `${kind.path}?page_size=1` }));
    const create = createRight(await send({ method: 'OPTIONS', path: kind.path }));
    rights.set(kind, { view, create });
  }
  return rights;
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
