import type { Clock } from '../base/clock.ts';
import { isJsonObject, parseJson, textOf } from '../base/json.ts';
import type { Redactor } from '../base/redactor.ts';
import { hidden } from '../base/sensitive.ts';
import { kinds } from '../kinds/all.ts';
import { hiddenFields, type HiddenFieldNames } from '../kinds/hide.ts';
import { referenceFields } from '../kinds/named.ts';
import { requestIdIn, type Exchange, type HttpRequest, type Transport } from './transport.ts';

/** A finished request, safe to log: it has no token, no body, and no value except the name. */
export interface LoggedRequest {
  readonly time: string;
  readonly method: HttpRequest['method'];
  readonly path: string;
  /** The slug or username in the body of a create, whose path does not contain it. */
  readonly name?: string;
  readonly status?: number;
  readonly error?: string;
  readonly durationMs: number;
  /** How often this request has been sent, including this time. */
  readonly attempt: number;
  readonly requestId?: string;
}

/** A transport that logs each finished request, without the names and ids in hidden fields. */
export function withRequestLog(
  send: Transport,
  clock: Clock,
  log: (request: LoggedRequest) => void,
  hide?: HiddenFieldNames,
): Transport {
  const hiddenPaths = pathsWithHiddenNames(hide);
  const attempts = new Map<string, number>();
  return async (request, signal) => {
    const { method, path } = request;
    const name = nameIn(request);
    const key = `${method} ${path} ${name ?? ''}`;
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    const startedAt = clock.now();
    const exchange = await send(request, signal);
    log({
      time: new Date(startedAt).toISOString(),
      method,
      path: shownPath(path, hiddenPaths),
      ...(name !== undefined && { name }),
      ...ending(exchange),
      durationMs: clock.now() - startedAt,
      attempt,
    });
    return exchange;
  };
}

/** A transport whose exchanges name their request, for messages about retries. Usual answers need no name. */
export function withRequestNames(send: Transport, redactor: Redactor, hide?: HiddenFieldNames): Transport {
  const hiddenPaths = pathsWithHiddenNames(hide);
  return async (request, signal) => {
    const exchange = await send(request, signal);
    if (exchange.kind === 'answered' && (exchange.status < 300 || exchange.status === 404)) return exchange;
    const { method, path } = request;
    const words = [method, shownPath(path, hiddenPaths), nameIn(request) ?? ''].join(' ').trimEnd();
    return { ...exchange, request: redactor.redact(words) };
  };
}

function pathsWithHiddenNames(hide: HiddenFieldNames = []): string[] {
  // The path of a request contains a field's value only if the field refers to another record.
  const named = kinds.filter(({ type }) => hide.some((name) => name.startsWith(`${type}.`)));
  return named.flatMap((kind) => {
    const fields = hiddenFields(kind, hide);
    return referenceFields(kind).flatMap(([field, { path }]) => (fields.has(field) ? [path] : []));
  });
}

function shownPath(path: string, hiddenPaths: readonly string[]): string {
  const whole = hiddenPaths.find((each) => path.startsWith(each) && path !== each);
  if (whole === undefined) return path;
  return path.startsWith(`${whole}?`) ? `${whole}?${hidden}` : `${whole}${hidden}/`;
}

function ending(exchange: Exchange): Pick<LoggedRequest, 'status' | 'error' | 'requestId'> {
  switch (exchange.kind) {
    case 'withheld':
      return {};
    case 'answered': {
      const requestId = requestIdIn(exchange);
      return { status: exchange.status, ...(requestId !== undefined && { requestId }) };
    }
    case 'never_sent':
      return { error: `never sent: ${exchange.error.message}` };
    case 'lost':
      return { error: `no complete answer: ${exchange.error.message}` };
  }
}

function nameIn({ path, body }: HttpRequest): string | undefined {
  const fields = body === undefined ? undefined : parseJson(body);
  const kind = kinds.find((candidate) => candidate.path === path);
  return kind && isJsonObject(fields) ? textOf(fields[kind.identity]) : undefined;
}
