import { isJsonObject, parseJson } from '../base/json.ts';
import { kindsReadWith } from '../kinds/all.ts';
import { capabilities, type Capability } from '../kinds/capability.ts';
import type { Exchange, HttpRequest, Transport } from './transport.ts';

/** Whether a token may read what a capability reads, as far as the service says. */
export type ReadRight =
  | { readonly kind: 'may' }
  /** It may not read these. */
  | { readonly kind: 'may not'; readonly lists: readonly string[] }
  | { readonly kind: 'unknown' };

export interface ReadRights {
  /** Of those capabilities that read something of their own. */
  readonly rights: ReadonlyMap<Capability, ReadRight>;
  /** What was asked for that, each as METHOD PATH. */
  readonly asked: readonly string[];
}

/** Asks for the smallest page of each list that a capability reads. It is none of the documented operations, and changes nothing. */
export async function capabilityRights(send: Transport, signal?: AbortSignal): Promise<ReadRights> {
  const asked: string[] = [];
  const rights = new Map<Capability, ReadRight>();
  for (const capability of capabilities) {
    const read = kindsReadWith(capability);
    const denied: string[] = [];
    let isKnown = true;
    for (const { list, path } of read) {
      const request: HttpRequest = { method: 'GET', path: `${path}?page_size=1` };
      asked.push(`${request.method} ${request.path}`);
      const may = mayRead(await send(request, signal));
      if (may === undefined) isKnown = false;
      else if (!may) denied.push(list);
    }
    if (read.length === 0) continue;
    if (denied.length > 0) rights.set(capability, { kind: 'may not', lists: denied });
    else rights.set(capability, { kind: isKnown ? 'may' : 'unknown' });
  }
  return { rights, asked };
}

function mayRead(exchange: Exchange): boolean | undefined {
  if (exchange.kind !== 'answered') return undefined;
  const body = parseJson(exchange.body);
  if (!isJsonObject(body)) return undefined;
  if (exchange.status === 200 && 'results' in body) return true;
  return exchange.status === 403 && typeof body['detail'] === 'string' ? false : undefined;
}
