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
    const view = await readViewRight(kind, send);
    const create = createRight(await send({ method: 'OPTIONS', path: kind.path }));
    rights.set(kind, { view, create });
  }
  return rights;
}

/** The lists that the token may not view. Requests only lists whose rights are not known. */
export async function unviewableLists<List extends Pick<Kind, 'path'>>(
  lists: readonly List[],
  known: ReadonlyMap<Kind, KindRights>,
  send: Transport,
): Promise<readonly List[]> {
  const views = new Map(Array.from(known, ([{ path }, { view }]) => [path, view]));
  const denied: List[] = [];
  for (const list of lists)
    if ((views.get(list.path) ?? (await readViewRight(list, send))) === 'may not') denied.push(list);
  return denied;
}

async function readViewRight({ path }: Pick<Kind, 'path'>, send: Transport): Promise<TokenRight> {
  const exchange = await send({ method: 'GET', path: `${path}?page_size=1` });
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
