import { isJsonObject, parseJson } from '../base/json.ts';
import { modelOf, readBeyond } from '../kinds/all.ts';
import type { Exchange, HttpRequest, Transport } from './transport.ts';

/** Whether a token may read a list, as far as the service says. */
export type ReadRight = 'may' | 'may not' | 'unknown';

export interface ReadRights {
  /** Of what no documented operation reads: by list. */
  readonly rights: ReadonlyMap<string, ReadRight>;
  /** What was asked for that, each as METHOD PATH. */
  readonly asked: readonly string[];
}

/** Asks for the smallest page of each list. It is none of the documented operations, and changes nothing. */
export async function readRights(send: Transport, signal?: AbortSignal): Promise<ReadRights> {
  const asked: string[] = [];
  const rights = new Map<string, ReadRight>();
  for (const each of readBeyond) {
    const { list } = modelOf(each);
    const { path } = each;
    const request: HttpRequest = { method: 'GET', path: `${path}?page_size=1` };
    asked.push(`${request.method} ${request.path}`);
    rights.set(list, rightBy(await send(request, signal)));
  }
  return { rights, asked };
}

function rightBy(exchange: Exchange): ReadRight {
  const body = exchange.kind === 'answered' ? parseJson(exchange.body) : undefined;
  if (exchange.kind !== 'answered' || !isJsonObject(body)) return 'unknown';
  if (exchange.status === 200 && 'results' in body) return 'may';
  return exchange.status === 403 && typeof body['detail'] === 'string' ? 'may not' : 'unknown';
}
