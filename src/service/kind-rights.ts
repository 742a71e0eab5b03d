import { isJsonObject, parseJson } from '../base/json.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Exchange, HttpRequest, Transport } from './transport.ts';

export type Right = 'may' | 'may not' | 'unknown';

/** A token's rights to the records of a kind. */
export interface KindRights {
  readonly view: Right;
  readonly create: Right;
}

/** A token's rights by kind, and the requests that were sent, each as METHOD PATH. */
export interface KindRightsReading {
  readonly rights: ReadonlyMap<Kind, KindRights>;
  readonly asked: readonly string[];
}

/**
 * Requests the smallest page of each kind's list, and asks by OPTIONS whether a record may be created. These are not documented
 * operations and change nothing; a trial POST might create a record.
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

function viewRight(exchange: Exchange): Right {
  const body = exchange.kind === 'answered' ? parseJson(exchange.body) : undefined;
  if (exchange.kind !== 'answered' || !isJsonObject(body)) return 'unknown';
  if (exchange.status === 200 && 'results' in body) return 'may';
  return exchange.status === 403 && typeof body['detail'] === 'string' ? 'may not' : 'unknown';
}

/**
 * Only for tokens that may create does the OPTIONS answer include POST. A proxy may answer OPTIONS itself, but only the service's
 * answers contain `renders`.
 */
function createRight(exchange: Exchange): Right {
  const body = exchange.kind === 'answered' ? parseJson(exchange.body) : undefined;
  if (exchange.kind !== 'answered' || exchange.status !== 200 || !isJsonObject(body) || !('renders' in body))
    return 'unknown';
  const { actions } = body;
  return isJsonObject(actions) && isJsonObject(actions['POST']) ? 'may' : 'may not';
}
