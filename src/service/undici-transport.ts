import { Agent, DecoratorHandler, request as undiciRequest, type Dispatcher } from 'undici';
import { createDialer, type DialerOptions } from './dialer.ts';
import { ProxyError } from './proxy-error.ts';
import type { Exchange, HttpRequest, Transport } from './transport.ts';

export interface UndiciTransportOptions extends Omit<DialerOptions, 'timeoutMs'> {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** The value of the Authorization header. */
  readonly authorization: string;
  /** How long one request may take, from its start to the end of its answer. */
  readonly timeoutMs: number;
  /** In place of an Agent of its own. */
  readonly dispatcher?: Dispatcher;
}

export interface UndiciTransport {
  readonly send: Transport;
  readonly close: () => Promise<void>;
}

const connectTimeoutMs = 10_000;
/**
 * How long an unused connection is kept when the service does not say how long it keeps its end. A request that goes
 * out while the service closes is lost, and many a server closes after 2 s.
 */
const keepAliveMs = 1000;
/** An answer of this API is a few kilobytes. What is larger is not one. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** The transport that talks to a real service. Follows no redirect and retries nothing. */
export function undiciTransport(options: UndiciTransportOptions): UndiciTransport {
  const dialer = createDialer({ ...options, timeoutMs: Math.min(connectTimeoutMs, options.timeoutMs) });
  const agent = options.dispatcher ?? new Agent({ connect: dialer.connect, keepAliveTimeout: keepAliveMs });
  const dispatcher = agent.compose(noticeStart);
  return {
    send: (request, signal) => exchange(request, options, dispatcher, signal),
    close: async () => {
      if (options.dispatcher !== undefined) return;
      await Promise.all([agent.destroy(), dialer.close()]);
    },
  };
}

/** Set by the dispatcher just before the first byte of the request is written. */
interface Progress {
  started: boolean;
}

async function exchange(
  request: HttpRequest,
  options: UndiciTransportOptions,
  dispatcher: Dispatcher,
  signal: AbortSignal | undefined,
): Promise<Exchange> {
  const progress: Progress = { started: false };
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const limit = signal ? AbortSignal.any([timeout, signal]) : timeout;
  try {
    limit.throwIfAborted();
    // undici heeds the signal only once it has a connection; a request that is given up before is not written later.
    return await Promise.race([answer(request, options, dispatcher, progress, limit), rejectedBy(limit)]);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return progress.started
      ? { kind: 'lost', error }
      : { kind: 'never_sent', error, transient: limit.aborted || isTransient(error) };
  }
}

async function answer(
  request: HttpRequest,
  options: UndiciTransportOptions,
  dispatcher: Dispatcher,
  progress: Progress,
  signal: AbortSignal,
): Promise<Exchange> {
  const response = await undiciRequest(options.baseUrl + request.path, {
    dispatcher,
    opaque: progress,
    method: request.method,
    headers: {
      accept: 'application/json',
      authorization: options.authorization,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: request.body ?? null,
    // One limit for the whole exchange, in place of undici's own.
    headersTimeout: 0,
    bodyTimeout: 0,
    signal,
  });
  const body = await readBody(response.body);
  return { kind: 'answered', status: response.statusCode, headers: singleValues(response.headers), body };
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function readBody(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error(`the answer is larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function singleValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return single;
}

const noticeStart: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, new StartNoticingHandler(handler, options));

// The types of undici leave out the methods that its DecoratorHandler forwards.
const ForwardingHandler = DecoratorHandler as unknown as new (handler: Dispatcher.DispatchHandler) => {
  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void;
  onResponseStart(controller: Dispatcher.DispatchController, status: number, ...rest: unknown[]): void;
};

class StartNoticingHandler extends ForwardingHandler {
  readonly #progress: Progress | undefined;

  constructor(handler: Dispatcher.DispatchHandler, options: object) {
    super(handler);
    this.#progress = (options as { opaque?: Progress }).opaque; // passed by exchange(), above
  }

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    super.onRequestStart(controller, context);
    // A request that was given up while it waited for a connection ends here, unwritten.
    if (this.#progress && !controller.aborted) this.#progress.started = true;
  }

  /** undici takes a second answer for a fault of its own, and early hints count as one. */
  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    ...rest: unknown[]
  ): void {
    if (status >= 200) super.onResponseStart(controller, status, ...rest);
  }
}

/** Causes that may pass by themselves. What is not listed (an unknown host, a certificate) will not. */
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

/** Answers of a proxy that say no more than that it cannot, now. */
const transientStatuses = new Set([502, 503, 504]);

function isTransient(error: Error & { code?: unknown }): boolean {
  if (error instanceof ProxyError) {
    if (error.status !== undefined) return transientStatuses.has(error.status);
    return error.cause instanceof Error && isTransient(error.cause);
  }
  return error.name === 'TimeoutError' || transientCodes.has(String(error.code));
}
