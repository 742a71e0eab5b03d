import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { asError } from '../base/errors.ts';
import { onAbort } from './abortable.ts';
import { createAgent, type AgentOptions } from './agent.ts';
import { ProxyError } from './proxy-error.ts';
import type { Connection, Exchange, HttpRequest } from './transport.ts';

interface UndiciTransportOptions extends Omit<AgentOptions, 'timeoutMs'> {
  readonly baseUrl: string;
  readonly authorization: string;
  /** Headers to add to each request, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The time limit for a request, from its start until its answer is complete. */
  readonly timeoutMs: number;
  readonly dispatcher?: Dispatcher;
}

const connectTimeoutMs = 10_000;
/** This limit is high, because an answer of this API usually has only a few kilobytes. */
const maxAnswerBytes = 8 * 1024 * 1024; // the words about ERR_ANSWER_TOO_LARGE name this limit

/** The transport to a real service, without redirects and retries. */
export function undiciTransport(options: UndiciTransportOptions): Connection {
  const timeoutMs = Math.min(connectTimeoutMs, options.timeoutMs);
  const agent = options.dispatcher ?? createAgent({ ...options, timeoutMs });
  const { origin, pathname, protocol } = new URL(options.baseUrl);
  // Since 2025.10, the service translates its messages into the requested language.
  const anonymousHeaders = { 'accept-language': 'en', ...options.headers, accept: 'application/json' };
  const headers = { ...anonymousHeaders, authorization: options.authorization };
  const target: Target = {
    timeoutMs: options.timeoutMs,
    anonymousHeaders,
    headers,
    headersOfBody: { ...headers, 'content-type': 'application/json' },
    dispatcher: agent,
    origin,
    isPlain: protocol === 'http:',
    basePath: pathname.replace(/\/$/, ''),
    host: { hasAnswered: false },
  };
  return {
    send: (request, signal) => exchange(request, target, signal),
    close: async () => {
      if (options.dispatcher === undefined) await agent.destroy();
    },
  };
}

interface Target extends Pick<UndiciTransportOptions, 'timeoutMs'> {
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  readonly headersOfBody: Readonly<Record<string, string>>;
  readonly anonymousHeaders: Readonly<Record<string, string>>;
  readonly origin: string;
  readonly isPlain: boolean;
  readonly basePath: string;
  /** Whether the host has answered before, so that a later failure is an outage and not a mistake in the URL. */
  readonly host: { hasAnswered: boolean };
}

function exchange(request: HttpRequest, target: Target, signal: AbortSignal | undefined): Promise<Exchange> {
  const { dispatcher, origin, basePath, headers, headersOfBody, anonymousHeaders, timeoutMs } = target;
  const authorized = request.body === undefined ? headers : headersOfBody;
  return new Promise((resolve) => {
    const interrupts = signal && onAbort(signal);
    const handler = new ExchangeHandler(target, (result) => {
      clearTimeout(timer);
      interrupts?.delete(interrupt);
      resolve(result);
    });
    const interrupt = (): void => handler.giveUp(asError(signal?.reason));
    // One limit for the whole exchange replaces undici's own limits.
    const timer = setTimeout(
      () => {
        handler.giveUp(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
      },
      Math.min(timeoutMs, request.timeoutMs ?? timeoutMs),
    );
    if (signal?.aborted) {
      interrupt();
      return;
    }
    interrupts?.add(interrupt);
    try {
      const options: Dispatcher.DispatchOptions = {
        origin,
        path: basePath + request.path,
        method: request.method,
        headers: request.isAnonymous ? anonymousHeaders : authorized,
        body: request.body ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
      };
      dispatcher.dispatch(options, handler);
    } catch (thrown) {
      handler.onResponseError(undefined, asError(thrown));
    }
  });
}

/** Sends one request through undici and reports its result exactly once. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #target: Target;
  readonly #settle: (exchange: Exchange) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #givenUp: Error | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(target: Target, settle: (exchange: Exchange) => void) {
    this.#target = target;
    this.#settle = settle;
  }

  /** undici cannot cancel a request that has no connection yet, so onRequestStart keeps such a request from being written. */
  giveUp(error: Error): void {
    if (this.#givenUp) return;
    this.#givenUp = error;
    this.#fail(error);
    this.#controller?.abort(error);
  }

  /** Called just before the first byte of the request is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#givenUp) controller.abort(this.#givenUp);
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status;
    this.#headers = headers;
    this.#target.host.hasAnswered = true;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > maxAnswerBytes)
      this.giveUp(Object.assign(new Error('the answer is too large'), { code: 'ERR_ANSWER_TOO_LARGE' }));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks).toString('utf8');
    this.#settle({
      kind: 'answered',
      status: this.#status,
      headers: singleValues(this.#headers),
      body,
      likeTlsPort: (this.#target.isPlain && this.#status === 400) || undefined,
    });
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (!this.#givenUp) this.#fail(error);
  }

  #fail(error: Error): void {
    if (this.#controller) {
      const closedAtOnce = this.#status === 0 && !this.#givenUp && !this.#target.host.hasAnswered;
      this.#settle({
        kind: 'lost',
        error,
        ...(this.#target.isPlain && closedAtOnce && { likeTlsPort: true }),
      });
    } else
      this.#settle({
        kind: 'never_sent',
        error,
        transient: this.#givenUp !== undefined || isTransient(error, this.#target.host),
      });
  }
}

function singleValues(headers: IncomingHttpHeaders): Record<string, string> {
  const single: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined) single[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return single;
}

/** Errors that may disappear by themselves, unlike a bad certificate. */
const transientCodes = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
]);

/** Statuses by which a proxy reports a problem that may be temporary. */
const transientStatuses = new Set([502, 503, 504]);

function isTransient(error: Error & { code?: unknown }, host: Target['host']): boolean {
  if (error instanceof ProxyError) {
    if (error.status !== undefined) return transientStatuses.has(error.status);
    return error.cause instanceof Error && isTransient(error.cause, host);
  }
  if (error.code === 'ENOTFOUND') return host.hasAnswered;
  return error.name === 'TimeoutError' || transientCodes.has(String(error.code));
}
