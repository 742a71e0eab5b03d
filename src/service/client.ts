import { textOf, type JsonObject } from '../base/json.ts';
import type { Kind, ReadableKind } from '../kinds/kind.ts';
import { readAnswer, recordOf, type Answer } from './answer.ts';
import type { HttpRequest, Transport } from './transport.ts';
import type { HeldRecord } from './types.ts';
import { whatAnswersProve, writeProofOf, type ReadProof, type WriteProof } from './what-answers-prove.ts';

/** What one read came to. Only `exists` carries what the service holds. */
export type Reading =
  | { readonly proof: 'exists'; readonly held: HeldRecord; readonly answer: Answer }
  | { readonly proof: Exclude<ReadProof, 'exists'>; readonly answer: Answer };

/** What one create came to. Only `created` carries the new id, and those of the sent fields that came back. */
export type Writing =
  | { readonly proof: 'created'; readonly held: HeldRecord; readonly answer: Answer }
  | { readonly proof: Exclude<WriteProof, 'created'>; readonly answer: Answer };

/** What rollcall asks of the service. Each call sends one request, once, and never rejects. */
export interface Client {
  read(kind: ReadableKind, name: string, signal?: AbortSignal): Promise<Reading>;
  create(kind: Kind, name: string, fields: JsonObject): Promise<Writing>;
}

export function createClient(send: Transport): Client {
  return {
    async read(kind, name, signal) {
      const request: HttpRequest = { method: 'GET', path: kind.retrieve(name) };
      const exchange = await send(request, signal);
      const answer = readAnswer(exchange, kind, name);
      const proof = whatAnswersProve[answer.kind].read;
      if (proof !== 'exists') return { proof, answer };
      // Read leniently: readAnswer demands the name and the `pk`, and nothing else.
      return { proof, answer, held: heldIn(recordOf(exchange, answer), answer, Object.keys(kind.fields)) };
    },
    async create(kind, name, fields) {
      const request: HttpRequest = { method: 'POST', path: kind.path, body: JSON.stringify(fields) };
      const exchange = await send(request);
      const answer = readAnswer(exchange, kind, name);
      const proof = writeProofOf(answer.kind, kind);
      if (proof !== 'created') return { proof, answer };
      return { proof, answer, held: heldIn(recordOf(exchange, answer), answer, Object.keys(fields)) };
    },
  };
}

function heldIn(record: JsonObject, { body = {} }: Answer, names: readonly string[]): HeldRecord {
  const pick = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
  return { pk: textOf(body['pk']), fields: pick(record), ...(record !== body && { shown: pick(body) }) };
}
