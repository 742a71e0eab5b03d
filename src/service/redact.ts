import { asError } from '../base/errors.ts';
import { isJsonObject, mapValues, parseJson } from '../base/json.ts';
import { redactorOf, redactorOfLong, type Redactor } from '../base/redactor.ts';
import type { Answer } from './answer.ts';
import { fieldNamesInErrors } from './field-names.ts';
import type { Exchange, Transport } from './transport.ts';

/**
 * A transport that removes secrets from answers and errors, in case the service or a proxy echoes them. Secrets that are not
 * rollcall's own remain in records, because they may equal ids and names; plans redact them.
 */
export function withRedaction(
  send: Transport,
  own: readonly string[],
  elsewhere: Redactor = redactorOfLong(own),
): Transport {
  const inRecords = redactorOfLong(own);
  return async (request, signal) => {
    const exchange = await send(request, signal);
    if (exchange.kind === 'withheld') return exchange;
    if (exchange.kind === 'answered') return redactAnswer(exchange, inRecords, elsewhere);
    redactError(exchange.error, elsewhere);
    return exchange;
  };
}

type Answered = Extract<Exchange, { kind: 'answered' }>;

/** Redacts an answer, but preserves the original body of a record for comparison, because a slug may equal a header's value. */
function redactAnswer(exchange: Answered, inRecords: Redactor, elsewhere: Redactor): Exchange {
  const isRecord = exchange.status >= 200 && exchange.status < 300;
  const body = redactBody(exchange.body, isRecord ? inRecords : elsewhere);
  const { headers: received } = exchange;
  const headers = Object.values(received).some((value) => elsewhere.containsSecret(value))
    ? mapValues(received, (value) => elsewhere.redact(value))
    : received;
  if (body === exchange.body) return headers === received ? exchange : { ...exchange, headers };
  return { ...exchange, headers, body, ...(isRecord && { asReceived: exchange.body }) };
}

function hasNoSecret(redactor: Redactor, json: string): boolean {
  return !json.includes('\\') && !redactor.containsSecret(json);
}

/** Redacts the parsed values, because JSON text can contain a secret in escaped form, or as JSON inside a string. */
function redactBody(body: string, redactor: Redactor): string {
  if (hasNoSecret(redactor, body)) return body;
  const json = parseJson(body);
  if (json === undefined) return redactor.redact(body);
  const cleaned = JSON.stringify(redactor.redactJson(json, fieldNamesInErrors()));
  return cleaned === JSON.stringify(json) ? body : cleaned;
}

/** Makes an exception safe to print, because unexpected errors may contain secrets. */
export function redactedError(thrown: unknown, redactor: Redactor): Error {
  const error = asError(thrown);
  redactError(error, redactor);
  return error;
}

/** Redacts everything that Node prints for an error: its stack, its causes and its own properties. */
export function redactError(error: Error, redactor: Redactor, depth = 0): void {
  for (const name of Object.getOwnPropertyNames(error).concat('message')) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === 'string' && redactor.containsSecret(value)) {
      // The message of a DOMException, such as a timeout, cannot be assigned.
      Object.defineProperty(error, name, {
        value: redactor.redact(value),
        configurable: true,
        enumerable: false,
      });
    }
    for (const inner of Array.isArray(value) ? value : [value])
      if (inner instanceof Error && depth < maxCauses) redactError(inner, redactor, depth + 1);
  }
}

const maxCauses = 8;

/** Returns an answer that is safe to show. The record in a successful answer is left out, because no report needs it. */
export function withoutSecrets(answer: Answer, secrets: readonly string[]): Answer {
  const { requestId, redirectOrigin, error, status = 0 } = answer;
  const body = status < 400 ? undefined : answer.body;
  if (secrets.length === 0) return { ...answer, body };
  const redactor = redactorOf(secrets);
  if (error) redactError(error, redactor);
  const cleaned =
    body &&
    (hasNoSecret(redactor, JSON.stringify(body)) ? body : redactor.redactJson(body, fieldNamesInErrors()));
  return {
    ...answer,
    body: isJsonObject(cleaned) ? cleaned : undefined,
    requestId: requestId && redactor.redact(requestId),
    redirectOrigin: redirectOrigin && redactor.redact(redirectOrigin),
  };
}
