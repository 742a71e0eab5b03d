import { isJsonObject, type JsonObject } from '../base/json.ts';
import { jsonAnswerIn, type Exchange, type HttpRequest, type Transport } from './transport.ts';

export type TokenFinding =
  | {
      readonly kind: 'valid';
      readonly superuser: boolean;
    }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unknown' };

export interface WhoAmI {
  readonly finding: TokenFinding;
  /** The requests that were sent, each as METHOD PATH. */
  readonly asked: readonly string[];
}

export const ownUserPath = '/api/v3/core/users/me/';

const ownUserRequest: HttpRequest = { method: 'GET', path: ownUserPath };
const configuration: HttpRequest = { method: 'GET', path: '/api/v3/root/config/' };

/**
 * Finds out whether a token is valid and whether its user is a superuser. The requests are undocumented and change nothing. Since
 * 2023.10, `users/me` answers every valid token and refuses all others. `root/config` refuses a wrong token, but answers requests
 * without a token.
 */
export async function whoAmI(send: Transport, signal?: AbortSignal): Promise<WhoAmI> {
  const asked: string[] = [];
  const ask = async (request: HttpRequest): Promise<AuthAnswer> => {
    asked.push(`${request.method} ${request.path}`);
    return authAnswerOf(await send(request, signal));
  };
  const own = await ask(ownUserRequest);
  if (own.kind === 'refused') {
    const { kind } = await ask(configuration);
    const finding = kind === 'said' ? 'missing' : kind === 'refused' ? 'wrong' : 'unknown';
    return { asked, finding: { kind: finding } };
  }
  const user = own.kind === 'said' ? own.body['user'] : undefined;
  if (!isJsonObject(user)) return { asked, finding: { kind: 'unknown' } };
  return { asked, finding: { kind: 'valid', superuser: user['is_superuser'] === true } };
}

type AuthAnswer =
  | { readonly kind: 'said'; readonly body: JsonObject }
  | { readonly kind: 'refused' | 'nothing' };

function authAnswerOf(exchange: Exchange): AuthAnswer {
  const { status, body = {} } = jsonAnswerIn(exchange) ?? {};
  if (status === 200) return { kind: 'said', body };
  const isRefusal = status === 401 || status === 403;
  return { kind: isRefusal && typeof body['detail'] === 'string' ? 'refused' : 'nothing' };
}
