import { isJsonObject, parseJson, type JsonObject } from '../base/json.ts';
import { accesses, kinds, modelOf } from '../kinds/all.ts';
import { readAnswer } from './answer.ts';
import type { Exchange, HttpRequest, Transport } from './transport.ts';

/** What the service says of the token that a request carried. */
export type TokenFinding =
  /** It knows the token. */
  | {
      readonly kind: 'valid';
      /** Whether it is the token of a superuser, who may do everything. */
      readonly superuser: boolean;
      /** What the token may create, as permissions call it; left out where the service does not say. */
      readonly mayCreate: Readonly<Record<string, boolean>>;
      /** Whether it may create what lets people open something; left out where the service does not say. */
      readonly mayBind?: boolean;
      /** What nobody can create, as the licence of the service allows no changes of it. */
      readonly closed?: readonly string[];
    }
  /** It does not know the token. */
  | { readonly kind: 'wrong' }
  /** It saw no token. */
  | { readonly kind: 'missing' }
  /** Its answers do not say. */
  | { readonly kind: 'unknown' };

export interface WhoAmI {
  readonly finding: TokenFinding;
  /** What was asked for that, each as METHOD PATH, and the body of a POST. */
  readonly asked: readonly string[];
}

/** Says whose a valid token is. */
export const ownUserPath = '/api/v3/core/users/me/';

const me: HttpRequest = { method: 'GET', path: ownUserPath };
const configuration: HttpRequest = { method: 'GET', path: '/api/v3/root/config/' };

/**
 * Asks whose the token is and what it may create. These requests go beyond the three operations, and change nothing.
 *
 * From 2023.10 on, `users/me` answers every valid token and refuses all others. `root/config` refuses a wrong token, but
 * answers without one. OPTIONS lists POST only for those who may create. A POST of {} is refused in any case, as it lacks the name;
 * but from 2024.2 on, a licence that allows no changes is what it is refused for.
 */
export async function whoAmI(send: Transport, signal?: AbortSignal): Promise<WhoAmI> {
  const asked: string[] = [];
  const exchangeOf = async (request: HttpRequest): Promise<Exchange> => {
    asked.push([request.method, request.path, request.body ?? []].flat().join(' '));
    return send(request, signal);
  };
  const ask = async (request: HttpRequest): Promise<Said> => saidBy(await exchangeOf(request));
  const own = await ask(me);
  if (own.kind === 'refused') {
    const { kind } = await ask(configuration);
    const finding = kind === 'said' ? 'missing' : kind === 'refused' ? 'wrong' : 'unknown';
    return { asked, finding: { kind: finding } };
  }
  const user = own.kind === 'said' ? own.body['user'] : undefined;
  if (!isJsonObject(user)) return { asked, finding: { kind: 'unknown' } };
  const mayCreate: Record<string, boolean> = {};
  const closed: string[] = [];
  for (const kind of kinds) {
    const { path } = kind;
    const { type } = modelOf(kind);
    const may = mayPost(await ask({ method: 'OPTIONS', path }));
    if (may !== undefined) mayCreate[type] = may;
    if (may !== true) continue;
    const exchange = await exchangeOf({ method: 'POST', path, body: '{}' });
    if (readAnswer(exchange, kind, '').kind === 'read_only') closed.push(type);
  }
  let mayBind: boolean | undefined;
  for (const { path } of accesses()) mayBind = mayPost(await ask({ method: 'OPTIONS', path }));
  const finding = {
    kind: 'valid',
    superuser: user['is_superuser'] === true,
    mayCreate,
    ...(mayBind !== undefined && { mayBind }),
  } as const;
  return { asked, finding: closed.length === 0 ? finding : { ...finding, closed } };
}

/** What an answer says that should be JSON of the service's own. */
type Said = { readonly kind: 'said'; readonly body: JsonObject } | { readonly kind: 'refused' | 'nothing' };

function saidBy(exchange: Exchange): Said {
  const body = exchange.kind === 'answered' ? parseJson(exchange.body) : undefined;
  if (exchange.kind !== 'answered' || !isJsonObject(body)) return { kind: 'nothing' };
  if (exchange.status === 200) return { kind: 'said', body };
  const isRefusal = exchange.status === 401 || exchange.status === 403;
  return { kind: isRefusal && typeof body['detail'] === 'string' ? 'refused' : 'nothing' };
}

/** A proxy may answer OPTIONS itself. `renders` is in the answers of the service only. */
function mayPost(said: Said): boolean | undefined {
  if (said.kind !== 'said' || !('renders' in said.body)) return undefined;
  const actions = said.body['actions'];
  return isJsonObject(actions) && isJsonObject(actions['POST']);
}
