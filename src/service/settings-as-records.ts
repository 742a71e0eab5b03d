import { kinds } from '../kinds/all.ts';
import type { Exchange, Transport } from './transport.ts';

const pagination =
  '{"count":1,"current":1,"next":0,"previous":0,"start_index":1,"end_index":1,"total_pages":1}';

const settings = new Map(kinds.flatMap(({ path, single }) => (single === undefined ? [] : [[path, single]])));

/** A transport that gives settings an id, a name and a list, so that they look like any other record. */
export function withSettingsAsRecords(send: Transport): Transport {
  return (request, signal) => {
    const [path = '', query] = request.path.split('?', 2);
    const single = settings.get(path);
    const answer = send(request, signal);
    return single === undefined ? answer : answer.then((exchange) => asRecord(exchange, single, query));
  };
}

function asRecord(exchange: Exchange, single: string, query: string | undefined): Exchange {
  if (exchange.kind !== 'answered' || exchange.status !== 200) return exchange;
  // Changes the JSON as text, because parsing would round large numbers.
  const named = exchange.body.replace(/^\s*\{(?=\s*")/, `{"pk":"${single}","name":"${single}",`);
  const isPage = new URLSearchParams(query).has('page_size');
  const body =
    isPage && named !== exchange.body ? `{"pagination":${pagination},"results":[${named}]}` : named;
  return { ...exchange, body };
}
