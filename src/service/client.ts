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
export interface Client {
  readonly evidence: ServiceEvidence;
  readonly readable: ReadableKinds;
  read(sought: LookUpTarget, signal?: AbortSignal): Promise<LookUpResult>;
  readPage(list: ListQuery, page: PageQuery, signal?: AbortSignal): Promise<PageReading>;
  readById(related: Family, id: JsonValue, signal?: AbortSignal): Promise<RecordReading>;
  /** Reads the token's user once, then returns the stored result. */
  readSelf(signal?: AbortSignal): Promise<TokenUserReading>;
  /** What an answer to a create proves if the token cannot look up the record. */
  unseenProof(answer: Answer): WriteProof;
  create(kind: Kind, name: string, fields: JsonObject): Promise<CreateResult>;
  update(kind: Kind, name: string, pk: string, fields: JsonObject): Promise<UpdateResult>;
  /** Sets the withheld fields of a record that this run created. No capability is needed. */
  finish(kind: Kind, name: string, pk: string, fields: JsonObject): Promise<UpdateResult>;
  bind(children: Children, parent: Parent, fields: JsonObject): Promise<CreateResult>;
  rebind(children: Children, pk: string, fields: JsonObject): Promise<UpdateResult>;
  readUses(kind: Kind, name: string, pk: string, signal?: AbortSignal): Promise<DependentsReading>;
  readBelow(
    kind: Kind,
    name: string,
    pk: string,
    path: string,
    signal?: AbortSignal,
  ): Promise<DocumentReading>;
  remove(kind: Kind, name: string, pk: string): Promise<DeleteResult>;
  /** Deletes a binding. The given capability must be enabled. */
  unbind(children: Children, pk: string, capability: 'update' | 'delete'): Promise<DeleteResult>;
}

export function createClient(
  send: Transport,
  { capabilities = [] }: { readonly capabilities?: readonly Capability[] } = {},
): Client {
  const readable = new ReadableKinds();
  const readSelf = readSelfOnce(send);
  const evidence = new ServiceEvidence({ self: readSelf, send });
  const canUpdate = capabilities.includes('update');
  const sendFields = createFieldSender(send);
  const requireCapability = (capability: 'update' | 'delete'): void => {
    if (!capabilities.includes(capability))
      throw new Error(`this request needs the capability ${capability}`);
  };
  return {
    evidence,
    readable,
    async read({ kind, name, within: id }, signal) {
      const { path, answers, isDocumented } = kind.lookUp;
      const { scope: field } = kind;
      const within = field === undefined || id === undefined ? undefined : { field, id };
      const expected = { shape: answers, identity: kind.identity, name, within };
      const exchange = await send({ method: 'GET', path: path(name, id) }, signal);
      const { answer, stop } = judgeAnswer(classifyRecordAnswer(exchange, kind, name, answers, within));
      if (isDocumented) evidence.note(answer);
      if (isDocumented && answer.kind === 'found') evidence.noteFound(name);
      const proof = isDocumented ? evidence.proofOf(answer) : whatAnswersProve[answer.kind].read;
      if (proof === 'exists' || proof === 'absent') readable.shown.add(kind);
      if (proof === 'exists' && !isDocumented) readable.hasUndocumentedData = true;
      if (proof !== 'exists') return { answer, stop, proof };
      const exact = canUpdate ? withoutRoundedNumbers(exchange) : undefined;
      // classifyRecordAnswer has checked only the name and the `pk`, so any other field may be missing.
      const record = {
        received: recordOf(exchange, answer, expected),
        shown: answer.body ?? {},
        exact: exact && recordOf(exact, answer, expected),
      };
      return { answer, stop, proof, held: observeRecord(kind, record) };
    },
    ...undocumentedReads(send, readable, canUpdate),
    unseenProof: (answer) => proofOfCreate(answer.kind, false),
    readSelf,
    async create(kind, name, fields) {
      const exchange = await sendFields({ method: 'POST', path: kind.path }, kind, fields);
      const { answer, stop } = judgeAnswer(classifyRecordAnswer(exchange, kind, name));
      const proof = proofOfCreate(answer.kind, !readable.unreadable.has(kind));
      if (proof !== 'created') return { answer, stop, proof };
      const record = recordOf(exchange, answer);
      const held = pickObserved(kind, record, answer.body ?? {}, Object.keys(fields));
      return { answer, stop, proof, held };
    },
    async update(...change) {
      requireCapability('update');
      return this.finish(...change);
    },
    finish: (...change) => changed(sendFields, ...change),
    bind: (...binding) => bound(send, ...binding),
    async rebind(children, pk, fields) {
      requireCapability('update');
      return rebound(send, bindingPath(children, pk), pk, fields);
    },
    async unbind(children, pk, capability) {
      requireCapability('update');
      requireCapability(capability);
      return deleted(send, bindingPath(children, pk));
    },
    async remove(kind, name, pk) {
      requireCapability('delete');
      return deleted(send, kind.update.path(name, pk));
    },
  };
}

function undocumentedReads(
  send: Transport,
  readable: ReadableKinds,
  canUpdate: boolean,
): Pick<Client, 'readPage' | 'readById' | 'readUses' | 'readBelow'> {
  return {
    readPage: (list, page, signal) => {
      const expected = { shape: 'page', number: page.number } as const;
      return readProven(send, pagePath(list, page), expected, signal, (answer, exchange) => {
        readable.hasUndocumentedData = true;
        return { page: recordsOnPage(exchange, answer, page.number, canUpdate) };
      });
    },
    readById: (family, id, signal) =>
      readProven(send, recordPath(family, id), { shape: 'id', id }, signal, (answer, exchange) => ({
        record: { received: recordOf(exchange, answer), shown: answer.body ?? {} },
      })),
    readUses: ({ update }, name, pk, signal) => {
      const path = `${update.path(name, pk)}used_by/`;
      return readProven(send, path, { shape: 'uses' }, signal, (_answer, exchange) => ({
        uses: dependentsIn(exchange),
      }));
    },
    readBelow: ({ update }, name, pk, path, signal) =>
      readProven(send, `${update.path(name, pk)}${path}`, { shape: 'document' }, signal, ({ body = {} }) => ({
        document: body,
      })),
  };
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

async function changed(
  sendFields: ReturnType<typeof createFieldSender>,
  kind: Kind,
  name: string,
  pk: string,
  fields: JsonObject,
): Promise<UpdateResult> {
  const exchange = await sendFields({ method: 'PATCH', path: kind.update.path(name, pk) }, kind, fields);
  const { [kind.identity]: newName } = fields;
  const answer = classifyRecordAnswer(exchange, kind, typeof newName === 'string' ? newName : name);
  const { proof, ...judged } = judgeUpdate(answer);
  if (proof !== 'updated') return { ...judged, proof };
  const record = recordOf(exchange, answer);
  const held = pickObserved(kind, record, answer.body ?? {});
  // Another record has taken the name in the meantime.
  return held.pk === pk ? { ...judged, proof, held } : { ...judged, proof: 'ambiguous' };
}

async function bound(
  send: Transport,
  children: Children,
  parent: Parent,
  fields: JsonObject,
): Promise<CreateResult> {
  const body = JSON.stringify({ target: targetId(children, parent), ...fields });
  const exchange = await send({ method: 'POST', path: children.path, body });
  const expected = { shape: 'record', identity: 'target', name: parent.pk, isUnique: true } as const;
  const judged = judgeAnswer(classifyAnswer(exchange, expected));
  const proof = proofOfCreate(judged.answer.kind, true);
  if (proof !== 'created') return { ...judged, proof };
  return { ...judged, proof, held: { pk: textOf(judged.answer.body?.['pk']), fields: {} } };
}

/** Ignores the content of the answer, because the binding is read again later. */
async function rebound(send: Transport, path: string, pk: string, fields: JsonObject): Promise<UpdateResult> {
  const exchange = await send({ method: 'PATCH', path, body: JSON.stringify(fields) });
  const { proof, ...judged } = judgeUpdate(classifyAnswer(exchange, { shape: 'id', id: pk }));
  return proof === 'updated' ? { ...judged, proof, held: { pk, fields: {} } } : { ...judged, proof };
}

async function deleted(send: Transport, path: string): Promise<DeleteResult> {
  const exchange = await send({ method: 'DELETE', path });
  const { proof, ...judged } = judgeUpdate(classifyAnswer(exchange, { shape: 'nothing' }));
  if (judged.answer.kind === 'deleted') return { ...judged, proof: 'deleted' };
  // A 404 may come from a gateway that did not forward the request.
  return { ...judged, proof: proof === 'updated' || proof === 'vanished' ? 'ambiguous' : proof };
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
