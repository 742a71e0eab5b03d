import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Capability } from '../kinds/capability.ts';
import { targetId } from '../kinds/bindings.ts';
import type { Children, Parent } from '../kinds/children.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import type { LookUpTarget } from '../kinds/look-up-target.ts';
import { Evidence } from './evidence.ts';
import { classifyRecordAnswer, recordOf, classifyAnswer, type Answer } from './answer.ts';
import { pageRequest, type ListQuery, type Page, type PageQuery } from './page.ts';
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
import type { Transport } from './transport.ts';
import type { ObservedRecord } from './types.ts';
import { readBelow, readDependentsOf, type DocumentReading, type DependentsReading } from './read-below.ts';
import { readSelfOnce, type TokenUserReading } from './read-self.ts';
import { judgeAnswer, type JudgedAnswer, type ProvenAnswer } from './judged-answer.ts';
import {
  whatAnswersProve,
  createProofOf,
  type ReadProof,
  type UpdateProof,
  type WriteProof,
} from './what-answers-prove.ts';

/** The means to read records, with retries until the signal aborts. */
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

/** The result of a create, with the id of the new record and the sent fields that the answer contains. */
export type CreateResult = ProvenAnswer<WriteProof, 'created', Held>;

export type UpdateResult = ProvenAnswer<UpdateProof, 'updated', Held>;

export type DeleteResult = JudgedAnswer & {
  readonly proof: 'deleted' | Exclude<UpdateProof, 'updated' | 'vanished'>;
};

/**
 * The requests of rollcall. Each method sends a single request, and rejects only if it needs a capability that is not enabled. Only
 * `create` and some uses of `read` are documented operations.
 */
export interface Client {
  readonly evidence: Evidence;
  readonly readable: ReadableKinds;
  read(sought: LookUpTarget, signal?: AbortSignal): Promise<LookUpResult>;
  /** Whether records of this kind can be read in pages, which requires that the token can look them up. */
  canList(kind: Kind): boolean;
  readPage(list: ListQuery, page: PageQuery, signal?: AbortSignal): Promise<PageReading>;
  readById(related: Family, id: JsonValue, signal?: AbortSignal): Promise<RecordReading>;
  /** Reads the token's user once, then returns the stored result. */
  readSelf(signal?: AbortSignal): Promise<TokenUserReading>;
  /** The proof of an answer to a create if the token cannot look up the record. */
  unseenProof(answer: Answer): WriteProof;
  create(kind: Kind, name: string, fields: JsonObject): Promise<CreateResult>;
  update(kind: Kind, name: string, pk: string, fields: JsonObject): Promise<UpdateResult>;
  /** Sets the withheld fields of a record that this run created, which needs no capability. */
  finish(kind: Kind, name: string, pk: string, fields: JsonObject): Promise<UpdateResult>;
  bind(children: Children, parent: Parent, fields: JsonObject): Promise<CreateResult>;
  rebind(children: Children, pk: string, fields: JsonObject): Promise<UpdateResult>;
  /** Reads which records depend on a record. */
  readUses(kind: Kind, name: string, pk: string, signal?: AbortSignal): Promise<DependentsReading>;
  /** Reads the JSON object at a path below a record. */
  readBelow(
    kind: Kind,
    name: string,
    pk: string,
    path: string,
    signal?: AbortSignal,
  ): Promise<DocumentReading>;
  remove(kind: Kind, name: string, pk: string): Promise<DeleteResult>;
  /** Deletes a binding, which needs the given capability. */
  unbind(children: Children, pk: string, capability: 'update' | 'delete'): Promise<DeleteResult>;
}

export function createClient(
  send: Transport,
  { capabilities = [] }: { readonly capabilities?: readonly Capability[] } = {},
): Client {
  const readable = new ReadableKinds();
  const readSelf = readSelfOnce(send);
  const evidence = new Evidence({ self: readSelf, send });
  const canUpdate = capabilities.includes('update');
  const sendFields = createFieldSender(send);
  return {
    evidence,
    readable,
    canList: (kind) => readable.canRead(kind),
    async read({ kind, name, within: id }, signal) {
      const { path, answers, isDocumented } = kind.lookUp;
      const { scope: field } = kind;
      const within = field === undefined || id === undefined ? undefined : { field, id };
      const asked = { shape: answers, identity: kind.identity, name, within };
      const exchange = await send({ method: 'GET', path: path(name, id) }, signal);
      const { answer, ...rest } = judgeAnswer(classifyRecordAnswer(exchange, kind, name, answers, within));
      if (isDocumented) evidence.note(answer);
      const proof = isDocumented ? evidence.proofOf(answer) : whatAnswersProve[answer.kind].read;
      if (proof === 'exists' || proof === 'absent') readable.markRead(kind);
      if (proof !== 'exists') return { proof, answer, ...rest };
      const exact = canUpdate ? withoutRoundedNumbers(exchange) : undefined;
      // classifyRecordAnswer has checked only the name and the `pk`, so any other field may be missing.
      return {
        proof,
        answer,
        ...rest,
        held: observeRecord(
          kind,
          {
            received: recordOf(exchange, answer, asked),
            shown: answer.body ?? {},
            exact: exact && recordOf(exact, answer, asked),
          },
          Object.keys(kind.fields),
        ),
      };
    },
    readPage: (...asked) => pageRead(send, canUpdate, ...asked),
    readById: (related, id, signal) => recordRead(send, related, id, signal),
    unseenProof: (answer) => createProofOf(answer.kind, false),
    readSelf,
    async create(kind, name, fields) {
      const exchange = await sendFields({ method: 'POST', path: kind.path }, kind, fields);
      const { answer, ...rest } = judgeAnswer(classifyRecordAnswer(exchange, kind, name));
      const proof = createProofOf(answer.kind, readable.canRead(kind));
      if (proof !== 'created') return { proof, answer, ...rest };
      return {
        proof,
        answer,
        ...rest,
        held: pickObserved(kind, recordOf(exchange, answer), answer.body ?? {}, Object.keys(fields)),
      };
    },
    async update(kind, name, pk, fields) {
      if (!canUpdate) throw new Error('an update needs the capability update');
      return this.finish(kind, name, pk, fields);
    },
    finish: (kind, name, pk, fields) => changed(sendFields, kind, name, pk, fields),
    bind: (...asked) => bound(send, ...asked),
    rebind: async (...asked) => {
      if (!canUpdate) throw new Error('an update needs the capability update');
      return rebound(send, ...asked);
    },
    unbind: async (children, pk, capability) => {
      if (!canUpdate || !capabilities.includes(capability))
        throw new Error(`this removal needs the capability ${capability}`);
      return unbound(send, children, pk);
    },
    readUses: (...asked) => readDependentsOf(send, ...asked),
    readBelow: (...asked) => readBelow(send, ...asked),
    async remove(kind, name, pk) {
      if (!capabilities.includes('delete')) throw new Error('a delete needs the capability delete');
      return removed(send, kind.update.path(name, pk));
    },
  };
}

async function changed(
  sendFields: ReturnType<typeof createFieldSender>,
  kind: Kind,
  name: string,
  pk: string,
  fields: JsonObject,
): Promise<UpdateResult> {
  const exchange = await sendFields({ method: 'PATCH', path: kind.update.path(name, pk) }, kind, fields);
  const { [kind.identity]: given } = fields;
  const { answer, stop, ...rest } = judgeAnswer(
    classifyRecordAnswer(exchange, kind, typeof given === 'string' ? given : name),
  );
  const { update } = whatAnswersProve[answer.kind];
  const stops = stop !== undefined && update !== 'denied' && { stop };
  if (update !== 'updated') return { proof: update, answer, ...rest, ...stops };
  const observed = pickObserved(
    kind,
    recordOf(exchange, answer),
    answer.body ?? {},
    Object.keys(kind.fields),
  );
  // Another record has taken the name in the meantime.
  if (observed.pk !== pk) return { proof: 'ambiguous', answer, ...rest };
  return { proof: update, answer, ...rest, held: observed };
}

async function bound(
  send: Transport,
  children: Children,
  parent: Parent,
  fields: JsonObject,
): Promise<CreateResult> {
  const { path } = children;
  const body = JSON.stringify({ target: targetId(children, parent), ...fields });
  const exchange = await send({ method: 'POST', path, body });
  const asked = { shape: 'record', identity: 'target', name: parent.pk, isUnique: true } as const;
  const { answer, ...rest } = judgeAnswer(classifyAnswer(exchange, asked));
  const proof = createProofOf(answer.kind, true);
  if (proof !== 'created') return { proof, answer, ...rest };
  return { proof, answer, ...rest, held: { pk: textOf(answer.body?.['pk']), fields: {} } };
}

/** Ignores the content of the answer, because the binding is read again later. */
async function rebound(
  send: Transport,
  { path }: Children,
  pk: string,
  fields: JsonObject,
): Promise<UpdateResult> {
  const body = JSON.stringify(fields);
  const exchange = await send({ method: 'PATCH', path: `${path}${encodeURIComponent(pk)}/`, body });
  const { answer, ...rest } = judgeAnswer(classifyAnswer(exchange, { shape: 'id', id: pk }));
  const { update } = whatAnswersProve[answer.kind];
  if (update !== 'updated') return { proof: update, answer, ...rest };
  return { proof: update, answer, ...rest, held: { pk, fields: {} } };
}

function unbound(send: Transport, { path }: Children, pk: string): Promise<DeleteResult> {
  return deleted(send, `${path}${encodeURIComponent(pk)}/`);
}

async function deleted(send: Transport, path: string): Promise<DeleteResult> {
  const exchange = await send({ method: 'DELETE', path });
  const { answer, ...rest } = judgeAnswer(classifyAnswer(exchange, { shape: 'nothing' }));
  const { update } = whatAnswersProve[answer.kind];
  if (answer.kind === 'deleted') return { proof: 'deleted', answer };
  // A 404 counts as deleted, because the record was there when it was read before.
  const proof = update === 'vanished' ? 'deleted' : update === 'updated' ? 'ambiguous' : update;
  return { proof, answer, ...rest };
}

async function recordRead(
  send: Transport,
  { path, byName }: Family,
  id: JsonValue,
  signal: AbortSignal | undefined,
): Promise<RecordReading> {
  const leftOut = new URLSearchParams(byName.queryById).toString();
  const text = `${path}${encodeURIComponent(textOf(id))}/${leftOut && `?${leftOut}`}`;
  const exchange = await send({ method: 'GET', path: text }, signal);
  const { answer, ...rest } = judgeAnswer(classifyAnswer(exchange, { shape: 'id', id }));
  const proof = whatAnswersProve[answer.kind].read;
  if (proof !== 'exists') return { proof, answer, ...rest };
  const record = { received: recordOf(exchange, answer), shown: answer.body ?? {} };
  return { proof, answer, ...rest, record };
}

async function pageRead(
  send: Transport,
  canUpdate: boolean,
  list: ListQuery,
  page: PageQuery,
  signal: AbortSignal | undefined,
): Promise<PageReading> {
  const exchange = await send(pageRequest(list, page), signal);
  const { answer, ...rest } = judgeAnswer(classifyAnswer(exchange, { shape: 'page', number: page.number }));
  const proof = whatAnswersProve[answer.kind].read;
  if (proof !== 'exists') return { proof, answer, ...rest };
  return { proof, answer, ...rest, page: recordsOnPage(exchange, answer, page.number, canUpdate) };
}

/** Reports a denial only for this record, because permissions can be limited to single records. */
async function removed(send: Transport, path: string): Promise<DeleteResult> {
  const { stop, ...deleting } = await deleted(send, path);
  return { ...deleting, ...(stop !== undefined && deleting.proof !== 'denied' && { stop }) };
}
