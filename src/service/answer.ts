import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Exchange } from './transport.ts';
import type { AnswerShape, Kind } from '../kinds/kind.ts';
import { sameUuid } from '../kinds/values.ts';
import { bodyIn, isLookUpInList, type NamedShape } from './body.ts';
import { pageIn } from './page.ts';

/**
 * The kinds of answer; what each proves is in what-answers-prove.ts.
 * Nothing here rests on the wording of a message: the service translates its texts.
 */
export type AnswerKind =
  /** 200, and what was asked for: the asked identity and a `pk`, the asked page of a list, or whose token it is. */
  | 'found'
  /** 201, and the asked identity. */
  | 'created'
  /** 204: what was to be deleted is gone. */
  | 'deleted'
  /** 200, and a list of all that have the asked identity: none. */
  | 'not_listed'
  /** 200, and a list of several that all have the asked identity, where the service may hold such. */
  | 'several'
  /** Any other 2xx, or one of these that does not carry what was asked for. */
  | 'unusable_success'
  /** 3xx. */
  | 'redirect'
  /** 400, JSON, and the identity (such as the slug) is the only field at fault. */
  | 'identity_refused'
  /** 400, JSON, with the code that the service has for an enterprise licence that allows no changes. */
  | 'read_only'
  /** Any other 400 with JSON. */
  | 'fields_refused'
  /** 400 without JSON: not the service's own. */
  | 'unexplained_refusal'
  /** 401, 403. */
  | 'denied'
  /** 404 or 410 with the service's own JSON: an object with a `detail`. Of a list, for a page beyond its end. */
  | 'not_found'
  /** 404, 405, 410 or 501 to what is no documented operation: what answers there does not have it. Or it was withheld. */
  | 'not_offered'
  /** Any other 404 or 410: no such route. */
  | 'no_such_route'
  /** 405 without JSON: how a crash inside a POST looks. */
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
  /** Any status that is not listed. */
  | 'unlisted'
  /** Never sent, for a cause that may go away. */
  | 'unreachable_for_now'
  /** Never sent, for a cause that will not go away on its own. */
  | 'unreachable'
  /** Sent, and no whole answer came. */
  | 'lost';

/** What an exchange means. */
export interface Answer {
  readonly kind: AnswerKind;
  readonly status?: number;
  /** The body, when it is a JSON object; the secrets that rollcall sent are blanked out. */
  readonly body?: JsonObject;
  /** The service's own id of the request. */
  readonly requestId?: string;
  readonly retryAfter?: string;
  /** With `several`: the ids of those. */
  readonly ids?: readonly string[];
  /** The origin that a redirect points to. */
  readonly redirectOrigin?: string;
  /** Why no answer came. */
  readonly error?: Error;
  /** How long rollcall waited for the service after it, without success. */
  readonly waitedMs?: number;
  /** With `no_such_route`: the content type of the answer, and the keys of its JSON. */
  readonly form?: string;
  /** With `lost` and `unexplained_refusal`: over http://, a port that expects TLS does the same. */
  readonly likeTlsPort?: true;
}

/**
 * Returns which kind of answer an exchange is, where it is about the record of some kind with this name. Of a list, only the one
 * record in it matters.
 */
export function readAnswer(
  exchange: Exchange,
  { identity, listing: { isUnique } }: Pick<Kind, 'identity' | 'listing'>,
  name: string,
  shape: AnswerShape = 'record',
): Answer {
  return sortedAnswer(exchange, { shape, identity, name, isUnique });
}

/** What is asked about, and how it is answered. */
type Asked =
  | {
      readonly shape: AnswerShape;
      readonly identity: string;
      readonly name: string;
      readonly isUnique: boolean;
    }
  /** The page of a list that has this number, from 1. */
  | { readonly shape: 'page'; readonly number: number }
  /** The record that has this `pk`. */
  | { readonly shape: 'id'; readonly id: JsonValue }
  /** Whose token it is. */
  | { readonly shape: 'self' }
  /** What hangs on a record. */
  | { readonly shape: 'uses' }
  /** That a record is gone. */
  | { readonly shape: 'nothing' };

/** Returns which kind of answer an exchange is. */
export function sortedAnswer(exchange: Exchange, asked: Asked): Answer {
  switch (exchange.kind) {
    case 'withheld':
      return { kind: 'not_offered' };
    case 'never_sent':
      return { kind: exchange.transient ? 'unreachable_for_now' : 'unreachable', error: exchange.error };
    case 'lost':
      return { kind: 'lost', error: exchange.error, ...(exchange.likeTlsPort && { likeTlsPort: true }) };
    case 'answered': {
      const { status, headers } = exchange;
      const json = bodyIn(exchange.body, status, asked);
      const body = isJsonObject(json) ? json : undefined;
      const received = exchange.asReceived === undefined ? json : bodyIn(exchange.asReceived, status, asked);
      const kind = kindOf(status, received, asked);
      return {
        kind,
        status,
        ...(body && { body }),
        ...(kind === 'several' && { ids: idsIn(json) }),
        ...given('requestId', headers['x-authentik-id']),
        ...given('retryAfter', headers['retry-after']),
        ...given('form', kind === 'no_such_route' ? formOf(headers['content-type'], json) : undefined),
        ...given('redirectOrigin', kind === 'redirect' ? originOf(headers['location']) : undefined),
        ...(kind === 'unexplained_refusal' && exchange.likeTlsPort && { likeTlsPort: true }),
      };
    }
  }
}

/** The record that an answer carries, to compare with. It may hold secrets: blank them out before a part of it is shown. */
export function recordOf(
  exchange: Exchange,
  { body = {} }: Answer,
  asked: NamedShape = { shape: 'record' },
): JsonObject {
  if (exchange.kind !== 'answered' || exchange.asReceived === undefined) return body;
  const json = bodyIn(exchange.asReceived, exchange.status, asked);
  return isJsonObject(json) ? json : body;
}

function kindOf(status: number, json: JsonValue | undefined, asked: Asked): AnswerKind {
  const body = isJsonObject(json) ? json : undefined;
  if (status >= 200 && status < 300) {
    if (isLookUpInList(asked) && status === 200 && json === null) return 'not_listed';
    if (asked.shape === 'nothing') return status === 204 ? 'deleted' : 'unusable_success';
    if (asked.shape === 'uses' && status === 200 && json !== undefined && isJsonList(json)) return 'found';
    if (isSeveral(asked, status, json)) return 'several';
    if (status === 200 && isAskedFor(asked, body)) return 'found';
    if (status === 201 && isMadeOf(asked, body)) return 'created';
    return 'unusable_success';
  }
  if (status >= 300 && status < 400) return 'redirect';
  switch (status) {
    case 400:
      if (json === undefined) return 'unexplained_refusal';
      if (body?.['code'] === 'denied_license') return 'read_only';
      return body && 'identity' in asked && onlyFieldAtFault(body) === asked.identity
        ? 'identity_refused'
        : 'fields_refused';
    case 401:
    case 403:
      return 'denied';
    case 404:
    case 410:
      if (asked.shape !== 'record' && !mayBeMissing(asked)) return 'not_offered';
      return mayBeMissing(asked) && typeof body?.['detail'] === 'string' ? 'not_found' : 'no_such_route';
    case 405:
      if (asked.shape !== 'record') return 'not_offered';
      return json === undefined ? 'crash' : 'unprocessable';
    case 501:
      return asked.shape === 'record' ? 'failure' : 'not_offered';
    case 406:
    case 411:
    case 413:
    case 414:
    case 415:
    case 422:
    case 431:
      return 'unprocessable';
    case 409:
      return 'clash';
    case 408:
      return 'failure';
    case 503:
      return 'unavailable';
    case 421:
    case 425:
    case 429:
      return 'slow_down';
    default:
      return status >= 500 ? 'failure' : 'unlisted';
  }
}

function formOf(contentType: string = '', json: JsonValue | undefined): string {
  const [mediaType = ''] = contentType.split(';');
  const keys = isJsonObject(json) ? Object.keys(json).toSorted() : [];
  return JSON.stringify([mediaType.trim().toLowerCase(), json !== undefined, ...keys]);
}

function isAskedFor(asked: Asked, body: JsonObject | undefined): boolean {
  switch (asked.shape) {
    case 'record':
    case 'list':
    case 'search':
      return body?.[asked.identity] === asked.name && isIdentifier(body['pk']);
    case 'page':
      return pageIn(body, asked.number) !== undefined;
    case 'id':
      return sameUuid(body?.['pk'] ?? null, asked.id);
    case 'self':
      return isJsonObject(body?.['user']);
    case 'uses':
    case 'nothing':
      return false;
  }
}

/** The contract requires no id in the answer to every create. */
function isMadeOf(asked: Asked, body: JsonObject | undefined): boolean {
  return isAskedFor(asked, body?.['pk'] === undefined ? { ...body, pk: asked.shape } : body);
}

/** The service ignores a filter that it does not know: then there are others among them. */
function isSeveral(asked: Asked, status: number, json: JsonValue | undefined): boolean {
  if (!isLookUpInList(asked) || !('identity' in asked) || asked.isUnique || status !== 200) return false;
  if (json === undefined || !isJsonList(json)) return false;
  const areOfName = json.every((one) => isJsonObject(one) && isAskedFor(asked, one));
  return areOfName && new Set(idsIn(json)).size === json.length;
}

function idsIn(json: JsonValue | undefined): string[] {
  const records = json !== undefined && isJsonList(json) ? json : [];
  return records.map((one) => textOf(isJsonObject(one) ? one['pk'] : null));
}

/** A list is always there, if it is an empty one, and so is its first page. */
function mayBeMissing(asked: Asked): boolean {
  if (asked.shape === 'page') return asked.number > 1;
  return asked.shape === 'record' || asked.shape === 'id' || asked.shape === 'nothing';
}

/** The contract allows a `code` beside the fields; it says nothing of which field is at fault. */
function onlyFieldAtFault(body: JsonObject): string | undefined {
  const fields = Object.keys(body).filter((key) => key !== 'code');
  return fields.length === 1 ? fields[0] : undefined;
}

/** An application's `pk` is a UUID, a user's an integer. */
export function isIdentifier(pk: JsonValue | undefined): boolean {
  return (typeof pk === 'string' && pk !== '') || typeof pk === 'number';
}

function originOf(location: string | undefined): string | undefined {
  if (location === undefined || !URL.canParse(location)) return undefined;
  return new URL(location).origin;
}

function given<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: string }); // a computed key widens to string
}

/** Whether anybody answered, if only what stands in front of the service. */
export function isAnswered({ status }: Answer): boolean {
  return status !== undefined;
}

/** Whether no answer came within the time limit. */
export function timedOut({ kind, error }: Answer): boolean {
  return kind === 'lost' && error?.name === 'TimeoutError';
}
