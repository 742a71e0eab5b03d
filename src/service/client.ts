import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import type { Capability } from '../kinds/capability.ts';
import { targetId } from '../kinds/bindings.ts';
import type { Children, Parent } from '../kinds/children.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import type { LookUpTarget } from '../kinds/resource.ts';
import { ServiceEvidence } from './evidence.ts';
import { classifyRecordAnswer, recordOf, classifyAnswer, type Answer } from './answer.ts';
import { pagePath, type ListQuery, type Page, type PageQuery } from './page.ts';
import {
  withoutRoundedNumbers,
  pickObserved,
  recordsOnPage,
  observeRecord,
  type ListedRecord,
} from './records.ts';
import { ReadableKinds } from './readable-kinds.ts';
import { createFieldSender } from './send-fields.ts';
import type { Pacing } from './pacing.ts';
import type { Exchange, Transport } from './transport.ts';
import type { ObservedRecord } from './types.ts';
import { readSelfOnce, type TokenUserReading } from './read-self.ts';
import { judgeAnswer, readProven, type JudgedAnswer, type ProvenAnswer } from './judged-answer.ts';
import {
  whatAnswersProve,
  proofOfCreate,
  type ReadProof,
  type UpdateProof,
  type WriteProof,
} from './what-answers-prove.ts';

export interface ReadContext {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
}

export interface PageContext extends Omit<ReadContext, 'client'> {
  readonly client: Pick<Client, 'readPage'>;
}

interface Held {
  readonly held: ObservedRecord;
}

export type LookUpResult = ProvenAnswer<ReadProof, 'exists', Held>;

/** The result of reading one page of a list; `absent` means that the list has fewer pages. */
export type PageReading = ProvenAnswer<ReadProof, 'exists', { readonly page: Page<ListedRecord> }>;

export type RecordReading = ProvenAnswer<ReadProof, 'exists', { readonly record: ListedRecord }>;

export type DependentsReading = ProvenAnswer<ReadProof, 'exists', { readonly uses: readonly JsonObject[] }>;

export type DocumentReading = ProvenAnswer<ReadProof, 'exists', { readonly document: JsonObject }>;

/** The result of a create, with the id of the new record and the sent fields that the answer contains. */
export type CreateResult = ProvenAnswer<WriteProof, 'created', Held>;

export type UpdateResult = ProvenAnswer<UpdateProof, 'updated', Held>;

export type DeleteResult = JudgedAnswer & {
  readonly proof: 'deleted' | Exclude<UpdateProof, 'updated' | 'vanished'>;
};

/**
 * The client for the service's API. Each method sends a single request, and rejects only if it needs a capability that is not
 * enabled. Only `create` and some uses of `read` are documented operations.
 */
export class Client {
  readonly readable: ReadableKinds = new ReadableKinds();
  readonly evidence: ServiceEvidence;
  /** Reads the token's user once, then returns the stored result. */
  readonly readSelf: (signal?: AbortSignal) => Promise<TokenUserReading>;
  readonly #send: Transport;
  readonly #sendFields: ReturnType<typeof createFieldSender>;
  readonly #capabilities: readonly Capability[];

  constructor(
    send: Transport,
    { capabilities = [] }: { readonly capabilities?: readonly Capability[] } = {},
  ) {
    this.#send = send;
    this.#sendFields = createFieldSender(send);
    this.#capabilities = capabilities;
    this.readSelf = readSelfOnce(send);
    this.evidence = new ServiceEvidence({ self: this.readSelf, send });
  }

  async read({ kind, name, within: id }: LookUpTarget, signal?: AbortSignal): Promise<LookUpResult> {
    const { path, answers, isDocumented } = kind.lookUp;
    const { scope: field } = kind;
    const within = field === undefined || id === undefined ? undefined : { field, id };
    const expected = { shape: answers, identity: kind.identity, name, within };
    const exchange = await this.#send({ method: 'GET', path: path(name, id) }, signal);
    const { answer, stop } = judgeAnswer(classifyRecordAnswer(exchange, kind, name, answers, within));
    if (isDocumented) this.evidence.note(answer);
    if (isDocumented && answer.kind === 'found') this.evidence.noteFound(name);
    const proof = isDocumented ? this.evidence.proofOf(answer) : whatAnswersProve[answer.kind].read;
    if (proof === 'exists' || proof === 'absent') this.readable.shown.add(kind);
    if (proof === 'exists' && !isDocumented) this.readable.hasUndocumentedData = true;
    if (proof !== 'exists') return { answer, stop, proof };
    const exact = this.#canUpdate ? withoutRoundedNumbers(exchange) : undefined;
    // classifyRecordAnswer has checked only the name and the `pk`, so any other field may be missing.
    const record = {
      received: recordOf(exchange, answer, expected),
      shown: answer.body ?? {},
      exact: exact && recordOf(exact, answer, expected),
    };
    return { answer, stop, proof, held: observeRecord(kind, record) };
  }

  readPage(list: ListQuery, page: PageQuery, signal?: AbortSignal): Promise<PageReading> {
    const expected = { shape: 'page', number: page.number } as const;
    return readProven(this.#send, pagePath(list, page), expected, signal, (answer, exchange) => {
      this.readable.hasUndocumentedData = true;
      return { page: recordsOnPage(exchange, answer, page.number, this.#canUpdate) };
    });
  }

  readById(family: Family, id: JsonValue, signal?: AbortSignal): Promise<RecordReading> {
    const expected = { shape: 'id', id } as const;
    return readProven(this.#send, recordPath(family, id), expected, signal, (answer, exchange) => ({
      record: { received: recordOf(exchange, answer), shown: answer.body ?? {} },
    }));
  }

  readUses({ update }: Kind, name: string, pk: string, signal?: AbortSignal): Promise<DependentsReading> {
    const path = `${update.path(name, pk)}used_by/`;
    return readProven(this.#send, path, { shape: 'uses' }, signal, (_answer, exchange) => ({
      uses: dependentsIn(exchange),
    }));
  }

  readBelow(
    { update }: Kind,
    name: string,
    pk: string,
    below: string,
    signal?: AbortSignal,
  ): Promise<DocumentReading> {
    const path = update.path(name, pk) + below;
    return readProven(this.#send, path, { shape: 'document' }, signal, ({ body = {} }) => ({
      document: body,
    }));
  }

  /** What an answer to a create proves if the token cannot look up the record. */
  unseenProof(answer: Answer): WriteProof {
    return proofOfCreate(answer.kind, false);
  }

  async create(kind: Kind, name: string, fields: JsonObject): Promise<CreateResult> {
    const exchange = await this.#sendFields({ method: 'POST', path: kind.path }, kind, fields);
    const { answer, stop } = judgeAnswer(classifyRecordAnswer(exchange, kind, name));
    // A name that is taken within its parent is an error of both fields together.
    const mayBeTaken = kind.scope !== undefined && Object.hasOwn(answer.body ?? {}, 'non_field_errors');
    const is = answer.kind === 'fields_refused' && mayBeTaken ? 'identity_and_more_refused' : answer.kind;
    const proof = proofOfCreate(is, !this.readable.unreadable.has(kind));
    if (proof !== 'created') return { answer, stop, proof };
    const record = recordOf(exchange, answer);
    const held = pickObserved(kind, record, answer.body ?? {}, Object.keys(fields));
    return { answer, stop, proof, held };
  }

  async update(kind: Kind, name: string, pk: string, fields: JsonObject): Promise<UpdateResult> {
    this.#require('update');
    return this.finish(kind, name, pk, fields);
  }

  /** Sets the withheld fields of a record that this run created. No capability is needed. */
  async finish(kind: Kind, name: string, pk: string, fields: JsonObject): Promise<UpdateResult> {
    const request = { method: 'PATCH', path: kind.update.path(name, pk) } as const;
    const exchange = await this.#sendFields(request, kind, fields);
    const { [kind.identity]: newName } = fields;
    const answer = classifyRecordAnswer(exchange, kind, typeof newName === 'string' ? newName : name);
    const { proof, ...judged } = judgeUpdate(answer);
    if (proof !== 'updated') return { ...judged, proof };
    const record = recordOf(exchange, answer);
    const held = pickObserved(kind, record, answer.body ?? {});
    // Another record has taken the name in the meantime.
    return held.pk === pk ? { ...judged, proof, held } : { ...judged, proof: 'ambiguous' };
  }

  async bind(children: Children, parent: Parent, fields: JsonObject): Promise<CreateResult> {
    const body = JSON.stringify({ target: targetId(children, parent), ...fields });
    const exchange = await this.#send({ method: 'POST', path: children.path, body });
    const expected = { shape: 'record', identity: 'target', name: parent.pk, isUnique: true } as const;
    const judged = judgeAnswer(classifyAnswer(exchange, expected));
    const proof = proofOfCreate(judged.answer.kind, true);
    if (proof !== 'created') return { ...judged, proof };
    return { ...judged, proof, held: { pk: textOf(judged.answer.body?.['pk']), fields: {} } };
  }

  /** Changes a binding. Ignores the content of the answer, because the binding is read again later. */
  async rebind(children: Children, pk: string, fields: JsonObject): Promise<UpdateResult> {
    this.#require('update');
    const path = bindingPath(children, pk);
    const exchange = await this.#send({ method: 'PATCH', path, body: JSON.stringify(fields) });
    const { proof, ...judged } = judgeUpdate(classifyAnswer(exchange, { shape: 'id', id: pk }));
    return proof === 'updated' ? { ...judged, proof, held: { pk, fields: {} } } : { ...judged, proof };
  }

  /** Deletes a binding. The given capability must be enabled. */
  async unbind(children: Children, pk: string, capability: 'update' | 'delete'): Promise<DeleteResult> {
    this.#require('update');
    this.#require(capability);
    return this.#delete(bindingPath(children, pk));
  }

  async remove(kind: Kind, name: string, pk: string): Promise<DeleteResult> {
    this.#require('delete');
    return this.#delete(kind.update.path(name, pk));
  }

  async #delete(path: string): Promise<DeleteResult> {
    const exchange = await this.#send({ method: 'DELETE', path });
    const { proof, ...judged } = judgeUpdate(classifyAnswer(exchange, { shape: 'nothing' }));
    if (judged.answer.kind === 'deleted') return { ...judged, proof: 'deleted' };
    // A 404 may come from a gateway that did not forward the request.
    return { ...judged, proof: proof === 'updated' || proof === 'vanished' ? 'ambiguous' : proof };
  }

  get #canUpdate(): boolean {
    return this.#capabilities.includes('update');
  }

  #require(capability: 'update' | 'delete'): void {
    if (!this.#capabilities.includes(capability))
      throw new Error(`this request needs the capability ${capability}`);
  }
}

/**
 * A denial does not stop other changes, because permissions can be limited to single records. An answer that permits a
 * retry does not stop other changes either.
 */
function judgeUpdate(answer: Answer): JudgedAnswer & { readonly proof: UpdateProof } {
  const { update: proof, stop } = whatAnswersProve[answer.kind];
  const isOfRequest = proof === 'denied' || proof === 'not_applied';
  return { answer, proof, ...(stop && !isOfRequest && { stop }) };
}

function bindingPath({ path }: Children, pk: string): string {
  return `${path}${encodeURIComponent(pk)}/`;
}

function recordPath({ path, queryById }: Family, id: JsonValue): string {
  const leftOut = new URLSearchParams(queryById).toString();
  return `${path}${encodeURIComponent(textOf(id))}/${leftOut && `?${leftOut}`}`;
}

function dependentsIn(exchange: Exchange): readonly JsonObject[] {
  const uses = exchange.kind === 'answered' ? parseJson(exchange.body) : undefined;
  return isJsonList(uses) ? uses.filter((use) => isJsonObject(use)) : [];
}
