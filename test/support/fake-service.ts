import { parseJson, textOf, isJsonObject, type JsonObject } from '../../src/base/json.ts';
import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';
import { answered } from './scripted-transport.ts';

/** A service that accepts everything, and may be changed between two runs. */
export interface FakeService {
  readonly send: Transport;
  readonly requests: HttpRequest[];
  /** The bodies of all creates, as sent. */
  readonly creates: () => string[];
  /** The applications by slug. */
  readonly applications: Map<string, JsonObject>;
}

/** `turns` returns the number of turns of the event loop that pass before a request is answered. */
export function fakeService(
  applications: Readonly<Record<string, JsonObject>> = {},
  turns: (request: HttpRequest) => number = () => 0,
): FakeService {
  const held = new Map(Object.entries(applications));
  const requests: HttpRequest[] = [];
  return {
    applications: held,
    requests,
    creates: () => requests.filter(({ method }) => method === 'POST').map(({ body = '' }) => body),
    send: async (request) => {
      requests.push(request);
      for (let turn = turns(request); turn > 0; turn -= 1)
        await new Promise((resolve) => setImmediate(resolve));
      return answerTo(request, held);
    },
  };
}

function answerTo({ method, path, body = '' }: HttpRequest, held: Map<string, JsonObject>): Exchange {
  if (method === 'GET') {
    const slug = decodeURIComponent(path.split('/').at(-2) ?? '');
    const fields = held.get(slug);
    return fields === undefined
      ? answered(404, { detail: 'Not found.' })
      : answered(200, { pk: `pk-${slug}`, slug, ...fields });
  }
  const sent = parseJson(body);
  const fields = isJsonObject(sent) ? sent : {};
  if (path.includes('/applications/')) held.set(textOf(fields['slug']), fields);
  return answered(201, { ...fields, pk: 'pk-new' });
}
