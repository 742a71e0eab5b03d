import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { requestIdIn, type Exchange } from './transport.ts';
import type { AnswerShape, Kind } from '../kinds/kind.ts';
import { sameUuid } from '../kinds/values.ts';
import { parseBody, isLookUpInList, type LookUpShape, type ParentId } from './body.ts';
import { pageIn } from './page.ts';

/** The kinds of answers, determined by status and fields only, because the service translates its messages. */
export type AnswerKind =
  /** 200 with the requested content: a record with its identity and `pk`, a page of a list, or the token's user. */
  | 'found'
  | 'created'
  | 'deleted'
  /** 200 with a list that does not contain the requested identity. */
  | 'not_listed'
  /** 200 with several records of the requested identity, for kinds whose names may repeat. */
  | 'several'
  /** Any other 2xx, or a 2xx without the requested content. */
  | 'unusable_success'
  /** 3xx, except 304. */
  | 'redirect'
  /** 400 whose only error is about the identity, such as the slug. */
  | 'identity_refused'
  /** 400 with errors about the identity and other fields. */
  | 'identity_and_more_refused'
  /** 400 with the service's code for an enterprise licence that allows no changes. */
  | 'read_only'
  /** Any other 400 with JSON. */
  | 'fields_refused'
  /** 400 without JSON, which the service itself never sends. */
  | 'unexplained_refusal'
  /** 401, 403. */
  | 'denied'
  /** 404 or 410 with the service's own JSON, which has a `detail`. For a page, this answer means that the list has fewer pages. */
  | 'not_found'
  /** 404, 405, 410 or 501 for an undocumented operation, or a request that `contract_only` prevented. */
  | 'not_offered'
  /** Any other 404 or 410: the service does not know the path. */
  | 'no_such_route'
  /** 405 without JSON: the service crashed during a POST. */
  | 'crash'
  /** 405 with JSON, 406, 411, 413, 414, 415, 422, 431. */
  | 'unprocessable'
  /** 409. */
  | 'clash'
  /** 408, and every 5xx but 503. */
  | 'failure'
  /** 503. */
  | 'unavailable'
  /** 421, 425, 429. */
  | 'slow_down'
  /** Any other status. */
  | 'unlisted'
  /** The request was not sent, for a reason that may disappear by itself. */
  | 'unreachable_for_now'
  /** The request was not sent, for a reason that somebody has to fix. */
  | 'unreachable'
  /** The request was sent, but no complete answer arrived. */
  | 'lost';

export interface Answer {
  readonly kind: AnswerKind;
  readonly status?: number;
  /** The body, if it is a JSON object, with rollcall's own secrets redacted. */
  readonly body?: JsonObject | undefined;
  readonly requestId?: string | undefined;
  readonly request?: string | undefined;
  readonly retryAfter?: string | undefined;
  /** The ids of the records, for `several`. */
  readonly ids?: readonly string[] | undefined;
  readonly redirectOrigin?: string | undefined;
  readonly error?: Error;
  /** How long rollcall waited for the service in vain, if there was an outage. */
  readonly waitedMs?: number;
  /** The content type of the answer and the keys of its JSON, for `no_such_route`. */
  readonly form?: string | undefined;
  /** True if a request over http:// failed as it would at a port that expects TLS. */
  readonly likeTlsPort?: true | undefined;
  /** True if the service had already answered the same request at the path of a later release. */
  readonly wasAnsweredBefore?: true;
}

/** Determines the kind of an answer to a request about a record. In a list, only records with the requested name matter. */
export function classifyRecordAnswer(
  exchange: Exchange,
  { identity, listing: { isUnique } }: Pick<Kind, 'identity' | 'listing'>,
  name: string,
  shape: AnswerShape = 'record',
  within?: ParentId,
): Answer {
  return classifyAnswer(exchange, { shape, identity, name, isUnique, within });
}

export type ExpectedAnswer =
  | {
      readonly shape: AnswerShape;
      readonly identity: string;
      readonly name: string;
      readonly isUnique: boolean;
      readonly within?: ParentId | undefined;
    }
  /** A page of a list; pages are numbered from 1. */
  | { readonly shape: 'page'; readonly number: number }
  | { readonly shape: 'id'; readonly id: JsonValue }
  | { readonly shape: 'self' }
  | { readonly shape: 'uses' }
  | { readonly shape: 'document' }
  | { readonly shape: 'nothing' };

export function classifyAnswer(exchange: Exchange, request: ExpectedAnswer): Answer {
  switch (exchange.kind) {
    case 'withheld':
      return { kind: 'not_offered' };
    case 'never_sent': {
      const { transient, ...failure } = exchange;
      return { ...failure, kind: transient ? 'unreachable_for_now' : 'unreachable' };
    }
    case 'lost':
      return exchange;
    case 'answered': {
      const { status, headers } = exchange;
      const json = parseBody(exchange.body, status, request);
      const body = isJsonObject(json) ? json : undefined;
      const received =
        exchange.asReceived === undefined ? json : parseBody(exchange.asReceived, status, request);
      const kind = kindOf(status, received, request);
      return {
        kind,
        status,
        body,
        ids: kind === 'several' ? idsIn(json) : undefined,
        requestId: requestIdIn(exchange),
        request: exchange.request,
        retryAfter: headers['retry-after'],
        form: kind === 'no_such_route' ? contentForm(headers['content-type'], json) : undefined,
        redirectOrigin: kind === 'redirect' ? originOf(headers['location']) : undefined,
        likeTlsPort: kind === 'unexplained_refusal' ? exchange.likeTlsPort : undefined,
      };
    }
  }
}

/** Returns the record in an answer, for comparison. The record may contain secrets, so redact it before printing any part. */
export function recordOf(
  exchange: Exchange,
  { body = {} }: Answer,
  request: LookUpShape = { shape: 'record' },
): JsonObject {
  if (exchange.kind !== 'answered' || exchange.asReceived === undefined) return body;
  const json = parseBody(exchange.asReceived, exchange.status, request);
  return isJsonObject(json) ? json : body;
}

function kindOf(status: number, json: JsonValue | undefined, request: ExpectedAnswer): AnswerKind {
  const body = isJsonObject(json) ? json : undefined;
  if (status >= 200 && status < 300) {
    if (isLookUpInList(request) && status === 200 && json === null) return 'not_listed';
    if (request.shape === 'nothing') return status === 204 ? 'deleted' : 'unusable_success';
    if (request.shape === 'uses' && status === 200 && json !== undefined && isJsonList(json)) return 'found';
    if (areSeveralMatches(request, status, json)) return 'several';
    if (status === 200 && hasRequestedContent(request, body)) return 'found';
    if (status === 201 && isCreatedRecord(request, body)) return 'created';
    return 'unusable_success';
  }
  if (status >= 300 && status < 400 && status !== 304) return 'redirect';
  switch (status) {
    case 400:
      if (json === undefined) return 'unexplained_refusal';
      if (body?.['code'] === 'denied_license') return 'read_only';
      if (!body || !('identity' in request) || !Object.hasOwn(body, request.identity))
        return 'fields_refused';
      // `code` is not a field.
      return Object.keys(body).every((key) => key === request.identity || key === 'code')
        ? 'identity_refused'
        : 'identity_and_more_refused';
    case 404:
    case 410:
      if (request.shape !== 'record' && !mayBeMissing(request)) return 'not_offered';
      return mayBeMissing(request) && typeof body?.['detail'] === 'string' ? 'not_found' : 'no_such_route';
    case 405:
      if (request.shape !== 'record') return 'not_offered';
      return json === undefined ? 'crash' : 'unprocessable';
    case 501:
      return request.shape === 'record' ? 'failure' : 'not_offered';
    default:
      return kindsOfStatuses.get(status) ?? (status >= 500 ? 'failure' : 'unlisted');
  }
}

const kindsOfStatuses: ReadonlyMap<number, AnswerKind> = new Map(
  (
    [
      ['denied', 401, 403],
      ['unprocessable', 406, 411, 413, 414, 415, 422, 431],
      ['failure', 408],
      ['clash', 409],
      ['slow_down', 421, 425, 429],
      ['unavailable', 503],
    ] as const
  ).flatMap(([kind, ...statuses]) => statuses.map((status) => [status, kind] as const)),
);

function contentForm(contentType: string = '', json: JsonValue | undefined): string {
  const [mediaType = ''] = contentType.split(';');
  const keys = isJsonObject(json) ? Object.keys(json).toSorted() : [];
  return JSON.stringify([mediaType.trim().toLowerCase(), json !== undefined, ...keys]);
}

function hasRequestedContent(request: ExpectedAnswer, body: JsonObject | undefined): boolean {
  switch (request.shape) {
    case 'record':
    case 'list':
    case 'search':
      return body?.[request.identity] === request.name && isValidPk(body['pk']);
    case 'page':
      return pageIn(body, request.number) !== undefined;
    case 'id':
      return sameUuid(body?.['pk'] ?? null, request.id);
    case 'self':
      return isJsonObject(body?.['user']);
    case 'document':
      return body !== undefined;
    case 'uses':
    case 'nothing':
      return false;
  }
}

/** The `pk` is not checked, because an answer to a create does not always contain it. */
function isCreatedRecord(request: ExpectedAnswer, body: JsonObject | undefined): boolean {
  return hasRequestedContent(request, body?.['pk'] === undefined ? { ...body, pk: request.shape } : body);
}

/** Every record must have the requested identity, because the service ignores unknown filters. */
function areSeveralMatches(request: ExpectedAnswer, status: number, json: JsonValue | undefined): boolean {
  if (!isLookUpInList(request) || !('identity' in request) || request.isUnique || status !== 200)
    return false;
  if (json === undefined || !isJsonList(json)) return false;
  const areOfName = json.every((value) => isJsonObject(value) && hasRequestedContent(request, value));
  return areOfName && new Set(idsIn(json)).size === json.length;
}

function idsIn(json: JsonValue | undefined): string[] {
  const records = json !== undefined && isJsonList(json) ? json : [];
  return records.map((value) => textOf(isJsonObject(value) ? value['pk'] : null));
}

/** Whether a 404 can mean that the record is absent. A list always exists, even if it is empty, and so does its first page. */
function mayBeMissing(request: ExpectedAnswer): boolean {
  if (request.shape === 'page') return request.number > 1;
  return request.shape === 'record' || request.shape === 'id' || request.shape === 'nothing';
}

/** Whether a value can be a `pk`, which is a UUID for applications and an integer for users. */
export function isValidPk(pk: JsonValue | undefined): boolean {
  return (typeof pk === 'string' && pk !== '') || typeof pk === 'number';
}

function originOf(location: string | undefined): string | undefined {
  if (location === undefined || !URL.canParse(location)) return undefined;
  return new URL(location).origin;
}

export function isAnswered({ status, wasAnsweredBefore }: Answer): boolean {
  return status !== undefined || wasAnsweredBefore === true;
}

/** Whether the answer says that the token itself is not accepted. */
export function isUnauthenticated({ status }: Answer): boolean {
  return status === 401;
}

const closedCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export function isClosedConnection(error: (Error & { code?: unknown }) | undefined): boolean {
  return closedCodes.has(error?.code);
}

export function isTimeout({ kind, error }: Answer): boolean {
  return kind === 'lost' && error?.name === 'TimeoutError';
}
