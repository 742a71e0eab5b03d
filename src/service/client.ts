import { textOf, type JsonObject } from '../base/json.ts';
import type { Capability } from '../kinds/capability.ts';
import { canBeRead, serviceFields, type Kind } from '../kinds/kind.ts';
import { readAnswer, recordOf, type Answer } from './answer.ts';
import type { HttpRequest, Transport } from './transport.ts';
import type { HeldRecord } from './types.ts';
import {
  whatAnswersProve,
  writeProofOf,
  type Proof,
  type ReadProof,
  type WriteProof,
} from './what-answers-prove.ts';

/** What one read came to. Only `exists` carries what the service holds. */
export type Reading = Understood &
  (
    | { readonly proof: 'exists'; readonly held: HeldRecord }
    | { readonly proof: Exclude<ReadProof, 'exists'> }
  );

/** What one create came to. Only `created` carries the new id, and those of the sent fields that came back. */
export type Writing = Understood &
  (
    | { readonly proof: 'created'; readonly held: HeldRecord }
    | { readonly proof: Exclude<WriteProof, 'created'> }
  );

interface Understood {
  readonly answer: Answer;
  /** What is not to be attempted any more after this answer. */
  readonly stop?: NonNullable<Proof['stop']>;
}

/** What rollcall asks of the service. */
export interface Client {
  /** Whether a record of this kind can be looked up, with what is turned on. */
  canRead(kind: Kind): boolean;
  /** Sends one request, once. Rejects only where this kind cannot be read. */
  read(kind: Kind, name: string, signal?: AbortSignal): Promise<Reading>;
  /** Sends one request, once, and never rejects. */
  create(kind: Kind, name: string, fields: JsonObject): Promise<Writing>;
}

export function createClient(send: Transport, turnedOn: readonly Capability[] = []): Client {
  const canRead = (kind: Kind): boolean => canBeRead(kind, turnedOn);
  return {
    canRead,
    async read(kind, name, signal) {
      if (!canRead(kind)) throw new Error(`without ${kind.lookUp.needs}, ${kind.list} are not looked up`);
      const { path, answers } = kind.lookUp;
      const exchange = await send({ method: 'GET', path: path(name) }, signal);
      const { answer, ...rest } = understood(readAnswer(exchange, kind, name, answers));
      const proof = whatAnswersProve[answer.kind].read;
      if (proof !== 'exists') return { proof, answer, ...rest };
      // readAnswer has checked the name and the `pk`. All other fields may be missing.
      return {
        proof,
        answer,
        ...rest,
        held: heldIn(recordOf(exchange, answer, answers), answer, Object.keys(kind.fields)),
      };
    },
    async create(kind, name, declared) {
      const fields = serviceFields(kind, declared);
      const request: HttpRequest = { method: 'POST', path: kind.path, body: JSON.stringify(fields) };
      const exchange = await send(request);
      const { answer, ...rest } = understood(readAnswer(exchange, kind, name));
      const proof = writeProofOf(answer.kind, canRead(kind));
      if (proof !== 'created') return { proof, answer, ...rest };
      return {
        proof,
        answer,
        ...rest,
        held: heldIn(recordOf(exchange, answer), answer, Object.keys(fields)),
      };
    },
  };
}

function understood(answer: Answer): Understood {
  const { stop } = whatAnswersProve[answer.kind];
  return { answer, ...(stop && { stop }) };
}

function heldIn(record: JsonObject, { body = {} }: Answer, names: readonly string[]): HeldRecord {
  const pick = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
  return { pk: textOf(body['pk']), fields: pick(record), ...(record !== body && { shown: pick(body) }) };
}
