import { textOf, type JsonObject } from '../base/json.ts';
import type { Application } from '../kinds/resource.ts';
import { readAnswer, recordOf, type Answer } from './answer.ts';
import type { HttpRequest, Transport } from './transport.ts';
import type { ApplicationRequest, Held, ObservedApplication, Operation, UserRequest } from './types.ts';
import { proofOf, type ReadProof, type WriteProof } from './what-answers-prove.ts';

/** What one retrieve came to. Only `exists` carries an application. */
export type Reading =
  | { readonly proof: 'exists'; readonly application: ObservedApplication; readonly answer: Answer }
  | { readonly proof: Exclude<ReadProof, 'exists'>; readonly answer: Answer };

/** What one create came to. Only `created` carries the new id, and those of the sent fields that came back. */
export type Writing =
  | { readonly proof: 'created'; readonly pk: string; readonly held: Held; readonly answer: Answer }
  | { readonly proof: Exclude<WriteProof, 'created'>; readonly answer: Answer };

/** The three operations of the service. Each call sends one request, once, and never rejects. */
export interface Client {
  retrieveApplication(slug: string, signal?: AbortSignal): Promise<Reading>;
  createApplication(fields: ApplicationRequest): Promise<Writing>;
  createUser(fields: UserRequest): Promise<Writing>;
}

const applications = '/api/v3/core/applications/';
const users = '/api/v3/core/users/';

export function createClient(send: Transport): Client {
  async function ask(
    operation: Operation,
    identity: string,
    request: HttpRequest,
    signal?: AbortSignal,
  ): Promise<Asked> {
    const exchange = await send(request, signal);
    const answer = readAnswer(exchange, operation, identity);
    return { answer, record: recordOf(exchange, answer) };
  }

  return {
    async retrieveApplication(slug, signal) {
      const path = `${applications}${encodeURIComponent(slug)}/`;
      const { answer, record } = await ask('retrieveApplication', slug, { method: 'GET', path }, signal);
      const proof = proofOf(answer.kind, 'retrieveApplication');
      return proof === 'exists'
        ? { proof, answer, application: observed(record, answer) }
        : { proof, answer };
    },
    async createApplication(fields) {
      const request = { method: 'POST', path: applications, body: JSON.stringify(fields) } as const;
      return writing(await ask('createApplication', fields.slug, request), 'createApplication', fields);
    },
    async createUser(fields) {
      const request = { method: 'POST', path: users, body: JSON.stringify(fields) } as const;
      return writing(await ask('createUser', fields.username, request), 'createUser', fields);
    },
  };
}

interface Asked {
  readonly answer: Answer;
  readonly record: JsonObject;
}

function writing(
  { answer, record }: Asked,
  operation: 'createApplication' | 'createUser',
  sent: ApplicationRequest | UserRequest,
): Writing {
  const proof = proofOf(answer.kind, operation);
  if (proof !== 'created') return { proof, answer };
  return { proof, answer, pk: textOf(answer.body?.['pk']), held: heldIn(record, answer, Object.keys(sent)) };
}

/** The request fields of an application: what can be declared, and so what can be compared. */
const comparable = {
  slug: true,
  name: true,
  provider: true,
  backchannel_providers: true,
  open_in_new_tab: true,
  meta_launch_url: true,
  meta_description: true,
  meta_publisher: true,
  policy_engine_mode: true,
  group: true,
} satisfies Record<keyof Application, true>;

/** Reads leniently: only the identity and the `pk` are demanded, by readAnswer. */
function observed(record: JsonObject, answer: Answer): ObservedApplication {
  return {
    pk: textOf(answer.body?.['pk']),
    slug: textOf(record['slug']),
    ...heldIn(record, answer, Object.keys(comparable)),
  };
}

function heldIn(record: JsonObject, { body = {} }: Answer, names: readonly string[]): Held {
  const pick = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
  return { fields: pick(record), ...(record !== body && { shown: pick(body) }) };
}
