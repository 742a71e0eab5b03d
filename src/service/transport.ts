import { isJsonObject, parseJson, type JsonObject } from '../base/json.ts';

/** A request to the service's API; the transport adds the origin and the headers. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** The path below the base URL, with a leading slash. */
  readonly path: string;
  /** JSON text, only for POST and PATCH. */
  readonly body?: string;
  readonly timeoutMs?: number;
  /** Only for requests without a body. */
  readonly isAnonymous?: true;
}

/**
 * The result of a request. A transport never rejects, so a missing answer is a result too. With `likeTlsPort`, a request over
 * http:// failed as it would at a port that expects TLS: by a closed connection or a status 400. With `wasAnsweredBefore`, the
 * service answered the same request at the path of a later release.
 */
export type Exchange = (
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      /** The body before redaction, if it contained secrets, for comparison only; it must not be printed. */
      readonly asReceived?: string;
      readonly likeTlsPort?: true | undefined;
    }
  /** No byte of the request was written, so the service cannot have acted on it. */
  | {
      readonly kind: 'never_sent';
      readonly error: Error;
      readonly transient: boolean;
      readonly wasAnsweredBefore?: true;
    }
  /** At least part of the request was written, but no complete answer arrived. */
  | {
      readonly kind: 'lost';
      readonly error: Error;
      readonly likeTlsPort?: true;
      readonly wasAnsweredBefore?: true;
    }
  | { readonly kind: 'withheld' }
) & {
  /** The method and the path of the request, and the name in its body. */
  readonly request?: string;
};

/** Sends a request, which is abandoned when the signal aborts. */
export type Transport = (request: HttpRequest, signal?: AbortSignal) => Promise<Exchange>;

export interface Connection {
  readonly send: Transport;
  readonly close: () => Promise<void>;
}

/** The status and the JSON object of an answer, or undefined without an answer or without an object. */
export function jsonAnswerIn(
  exchange: Exchange,
): { readonly status: number; readonly body: JsonObject } | undefined {
  if (exchange.kind !== 'answered') return undefined;
  const body = parseJson(exchange.body);
  return isJsonObject(body) ? { status: exchange.status, body } : undefined;
}

/** The id under which the service logs the request. Ids of another form are ignored, because a proxy can repeat anything. */
export function requestIdIn({ headers }: Extract<Exchange, { kind: 'answered' }>): string | undefined {
  const id = headers['x-authentik-id'];
  return id !== undefined && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}
