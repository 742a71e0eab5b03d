import { kinds } from '../../src/kinds/all.ts';
import { Client } from '../../src/service/client.ts';
import { documentedOnly } from '../../src/service/documented-only.ts';
import type { Transport } from '../../src/service/transport.ts';

/** A client with `contract_only` that already knows which kinds cannot be looked up. */
export function documentedClient(send: Transport): Client {
  const client = new Client(documentedOnly(send));
  for (const kind of kinds)
    if (!kind.lookUp.isDocumented)
      client.readable.unreadable.set(kind, { proof: 'fault', answer: { kind: 'not_offered' } });
  return client;
}
