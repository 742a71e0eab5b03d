import { Agent, DecoratorHandler, request as undiciRequest, type Dispatcher } from 'undici';
import type { Exchange, HttpRequest, Transport } from './transport.ts';

export interface UndiciTransportOptions {
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
/** An answer of this API is a few kilobytes. What is larger is not one. */
const maxAnswerBytes = 8 * 1024 * 1024;

/** The transport that talks to a real service. Follows no redirect and retries nothing. */
export function undiciTransport(options: UndiciTransportOptions): UndiciTransport {
  const agent = options.dispatcher ?? new Agent({ connect: { timeout: connectTimeoutMs } });
  const dispatcher = agent.compose(noticeStart);
  return {
    send: (request, signal) => exchange(request, options, dispatcher, signal),
    close: async () => {
      if (options.dispatcher === undefined) await agent.destroy();
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
  try {
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
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    const body = await readBody(response.body);
    return { kind: 'answered', status: response.statusCode, headers: singleValues(response.headers), body };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return progress.started
      ? { kind: 'lost', error }
      : { kind: 'never_sent', error, transient: isTransient(error) };
  }
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
};

class StartNoticingHandler extends ForwardingHandler {
  readonly #progress: Progress | undefined;

  constructor(handler: Dispatcher.DispatchHandler, options: object) {
    super(handler);
    this.#progress = (options as { opaque?: Progress }).opaque; // passed by exchange(), above
  }

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    if (this.#progress) this.#progress.started = true;
    super.onRequestStart(controller, context);
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

function isTransient(error: Error & { code?: unknown }): boolean {
  return error.name === 'TimeoutError' || transientCodes.has(String(error.code));
}
