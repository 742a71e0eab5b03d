import { isJsonList, isJsonObject, type JsonValue } from '../json.ts';
import { sensitive } from '../sensitive.ts';
import type { Answer } from './answer.ts';
import type { Transport } from './transport.ts';

/** Nothing shorter is a secret; to blank out a short text everywhere would make answers unreadable. */
const shortestSecret = 8;

/** A transport whose answers and errors hold none of the secrets it sends, even where the other side echoes them. */
export function redacting(send: Transport, secrets: readonly string[]): Transport {
  const long = secrets.filter(({ length }) => length >= shortestSecret);
  if (long.length === 0) return send;
  const forms = formsOf(long);
  return async (request, signal) => {
    const exchange = await send(request, signal);
    if (exchange.kind !== 'answered') {
      cleanError(exchange.error, forms);
      return exchange;
    }
    const headers = Object.fromEntries(
      Object.entries(exchange.headers).map(([name, value]) => [name, clean(value, forms)]),
    );
    return { ...exchange, headers, body: clean(exchange.body, forms) };
  };
}

function cleanError(error: Error, forms: Forms): void {
  // The message of a DOMException, such as the error of a timeout, cannot be assigned to.
  Object.defineProperty(error, 'message', { value: clean(error.message, forms), configurable: true });
  if (error.cause instanceof Error) cleanError(error.cause, forms);
}

/** An answer in whose words the secrets of a manifest are blanked out. The names of fields are not words. */
export function withoutSecrets(answer: Answer, secrets: readonly string[]): Answer {
  if (answer.body === undefined || secrets.length === 0) return answer;
  const forms = formsOf(secrets);
  const body = Object.entries(answer.body).map(([field, value]) => [field, cleanIn(value, forms)]);
  return { ...answer, body: Object.fromEntries(body) };
}

function cleanIn(value: JsonValue, forms: Forms): JsonValue {
  if (typeof value === 'string') return clean(value, forms);
  if (isJsonList(value)) return value.map((item) => cleanIn(item, forms));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [clean(key, forms), cleanIn(inner, forms)]),
  );
}

interface Forms {
  readonly pattern: RegExp;
  /** Too short to be told from the words around them. */
  readonly short: readonly string[];
}

const shortestForm = 4;

/** The forms in which an echo may hold a text: as it is, in JSON, in JSON within JSON, in a URL. */
function formsOf(texts: readonly string[]): Forms {
  const all = new Set(
    texts.flatMap((text) => [text, inJson(text), inJson(inJson(text)), encodeURIComponent(text)]),
  );
  // The longest first, lest a part of one be taken for another.
  const long = [...all]
    .filter(({ length }) => length >= shortestForm)
    .toSorted((a, b) => b.length - a.length);
  const escaped = long.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return {
    pattern: new RegExp(escaped.length > 0 ? escaped.join('|') : '(?!)', 'g'),
    short: [...all].filter(({ length }) => length < shortestForm),
  };
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function clean(text: string, { pattern, short }: Forms): string {
  return short.some((form) => text.includes(form)) ? sensitive : text.replace(pattern, sensitive);
}
