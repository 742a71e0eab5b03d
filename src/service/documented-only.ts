import { createdByContract, kinds } from '../kinds/all.ts';
import type { HttpRequest, Transport } from './transport.ts';

/** A transport for `contract_only`, which sends only the three documented operations. */
export function documentedOnly(send: Transport): Transport {
  return async (request, signal) => {
    if (isDocumented(request)) return send(request, signal);
    // Manifests that need other write requests are refused before anything is sent.
    if (request.method !== 'GET' && request.method !== 'OPTIONS')
      throw new Error(`contract_only does not send ${request.method} ${request.path}`);
    return { kind: 'withheld' };
  };
}

/** Whether a request creates an application or a user, or retrieves an application by its slug. */
function isDocumented({ method, path }: HttpRequest): boolean {
  if (method === 'POST') return createdByContract.some((kind) => kind.path === path);
  return (
    method === 'GET' &&
    kinds.some(
      ({ lookUp, path: list }) =>
        lookUp.isDocumented && path.startsWith(list) && /^[^/?]+\/$/.test(path.slice(list.length)),
    )
  );
}
