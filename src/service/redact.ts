import { isJsonObject, parseJson } from '../base/json.ts';
import { shortestOwnSecret } from '../base/own-secrets.ts';
import { Redactor, redactorOf } from '../base/redactor.ts';
import type { Answer } from './answer.ts';
import { meaningfulNames } from './field-names.ts';
import type { Exchange, Transport } from './transport.ts';

/** A transport whose answers and errors hold none of the secrets it sends, even where the other side echoes them. */
export function redacting(send: Transport, secrets: readonly string[]): Transport {
  const long = secrets.filter(({ length }) => length >= shortestOwnSecret);
  if (long.length === 0) return send;
  const redactor = new Redactor(long);
  return async (request, signal) => {
    const exchange = await send(request, signal);
    if (exchange.kind === 'answered') return cleanAnswer(exchange, redactor);
    cleanError(exchange.error, redactor);
    return exchange;
  };
}

type Answered = Extract<Exchange, { kind: 'answered' }>;

/**
 * Of a record (2xx) the declared fields and the id are shown, so it is cleaned like everything else. But it is compared as it came:
 * a slug that holds the value of a harmless header is still that slug.
 */
function cleanAnswer(exchange: Answered, redactor: Redactor): Exchange {
  const headers = Object.fromEntries(
    Object.entries(exchange.headers).map(([name, value]) => [name, redactor.clean(value)]),
  );
  const body = cleanBody(exchange.body, redactor);
  const isRecord = exchange.status >= 200 && exchange.status < 300;
  return {
    ...exchange,
    headers,
    body,
    ...(isRecord && body !== exchange.body && { asReceived: exchange.body }),
  };
}

/** Most answers hold nothing, and that is told at once. What has escapes is looked at value by value. */
function hasNoneOf(redactor: Redactor, json: string): boolean {
  return !json.includes('\\') && !redactor.holds(json);
}

/** Escapes of JSON can stand anywhere in a text, and twice where it holds JSON again, so what they mean is cleaned, not the escapes. */
function cleanBody(body: string, redactor: Redactor): string {
  if (hasNoneOf(redactor, body)) return body;
  const json = parseJson(body);
  if (json === undefined) return redactor.clean(body);
  const cleaned = JSON.stringify(redactor.cleanJson(json, meaningfulNames));
  return cleaned === JSON.stringify(json) ? body : cleaned;
}

/** Also what an inspected error shows: its stack, its causes, and what it carries with it. */
function cleanError(error: Error, redactor: Redactor, depth = 0): void {
  for (const name of Object.getOwnPropertyNames(error).concat('message')) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === 'string' && redactor.holds(value)) {
      // The message of a DOMException, such as the error of a timeout, cannot be assigned to.
      Object.defineProperty(error, name, {
        value: redactor.clean(value),
        configurable: true,
        enumerable: false,
      });
    }
    for (const inner of Array.isArray(value) ? value : [value])
      if (inner instanceof Error && depth < maxCauses) cleanError(inner, redactor, depth + 1);
  }
}

const maxCauses = 8;

/** An answer in which the secrets of a manifest are blanked out. */
export function withoutSecrets(answer: Answer, secrets: readonly string[]): Answer {
  if (secrets.length === 0) return answer;
  const redactor = redactorOf(secrets);
  const { body, requestId, redirectOrigin, error } = answer;
  if (error) cleanError(error, redactor);
  const cleaned =
    body && (hasNoneOf(redactor, JSON.stringify(body)) ? body : redactor.cleanJson(body, meaningfulNames));
  return {
    ...answer,
    ...(isJsonObject(cleaned) && { body: cleaned }),
    ...(requestId !== undefined && { requestId: redactor.clean(requestId) }),
    ...(redirectOrigin !== undefined && { redirectOrigin: redactor.clean(redirectOrigin) }),
  };
}
