import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { literal } from '../base/pattern.ts';
import { Redactor } from '../base/redactor.ts';
import { hidden } from '../base/sensitive.ts';
import { kinds } from '../kinds/all.ts';
import { hiddenOf, type Hide } from '../kinds/hide.ts';
import type { Kind } from '../kinds/kind.ts';
import { fieldNamed, meaningfulNames } from './field-names.ts';
import { cleanError } from './redact.ts';
import type { Exchange, Transport } from './transport.ts';

/**
 * A transport whose refusals, headers and errors repeat no value of a hidden field: what the service says of such a field is
 * dropped, and from what it says of others the values are taken that were sent, and those that it was seen to hold. Records stay
 * as they are, to be compared with.
 */
export function hiding(send: Transport, hide: Hide): Transport {
  const hiddenFields = new Map(kinds.map((kind) => [kind, hiddenOf(kind, hide)]));
  /** The hidden values of each record that was read, by the paths at which it is read and changed. */
  const held = new Map<string, readonly JsonValue[]>();
  return async (request, signal) => {
    const exchange = await send(request, signal);
    const kind = kinds.find(({ path }) => request.path.startsWith(path));
    const fields = kind && hiddenFields.get(kind);
    if (kind === undefined || fields === undefined || fields.size === 0) return exchange;
    if (exchange.kind === 'answered' && exchange.status < 300) {
      for (const record of recordsIn(exchange.body))
        for (const path of pathsOf(record, kind)) held.set(path, valuesIn(record, fields));
    }
    const sent = parseJson(request.body ?? '');
    const declared = isJsonObject(sent) ? sent : {};
    const paths = [request.path, ...pathsOf(declared, kind)];
    return withoutValues(exchange, fields, () => [
      ...valuesIn(declared, fields),
      ...paths.flatMap((path) => held.get(path) ?? []),
    ]);
  };
}

/** The record that a body is, or those that it lists. */
function recordsIn(body: string): JsonObject[] {
  const read = parseJson(body);
  if (!isJsonObject(read)) return [];
  const { results } = read;
  return isJsonList(results) ? results.filter((record) => isJsonObject(record)) : [read];
}

function pathsOf(record: JsonObject, { identity, lookUp, update }: Kind): string[] {
  const { [identity]: name, pk } = record;
  return typeof name === 'string' ? [lookUp.path(name), update.path(name, textOf(pk))] : [];
}

function withoutValues(
  exchange: Exchange,
  fields: ReadonlySet<string>,
  values: () => readonly JsonValue[],
): Exchange {
  // Nothing that is shown of a success is more than its request id.
  if (exchange.kind === 'answered' && exchange.status < 300 && hasPlainId(exchange.headers)) return exchange;
  const redactor = new HiddenValues(values());
  if (exchange.kind !== 'answered') {
    cleanError(exchange.error, redactor);
    return exchange;
  }
  const { status, headers, body } = exchange;
  const heading = { ...headers };
  for (const name of shownHeaders) {
    const value = heading[name];
    if (value !== undefined) heading[name] = redactor.clean(value);
  }
  const said = status < 300 ? undefined : parseJson(body);
  if (!isJsonObject(said)) return { ...exchange, headers: heading };
  const ofHidden = Object.entries(said).map(([name, value]) => {
    const { field } = fieldNamed(name);
    return fields.has(field) ? [field, hidden] : [name, value];
  });
  const safe = redactor.cleanJson(Object.fromEntries(ofHidden), meaningfulNames);
  // What kind of answer it is shows in the answer as it came.
  return { ...exchange, headers: heading, body: JSON.stringify(safe), asReceived: body };
}

const shownHeaders = ['x-authentik-id', 'location'] as const;

/** An id that the service made up cannot hold what it was sent. */
function hasPlainId({ 'x-authentik-id': id, location }: Readonly<Record<string, string>>): boolean {
  return location === undefined && (id === undefined || /^[\da-f]{32}$/.test(id));
}

/** Finds the values of hidden fields, and the parts of those of a few words, such as names, in either case. */
class HiddenValues extends Redactor {
  readonly #words: RegExp | undefined;

  constructor(values: readonly JsonValue[]) {
    const texts = [...new Set(values.flatMap((value) => textsIn(value)))];
    super(
      texts.filter(({ length }) => length >= shortestText),
      hidden,
    );
    const words = texts.flatMap((text) => [text, ...wordsOf(text)]);
    const choice = [...new Set(words)]
      .filter((word) => letter.test(word) && word.length <= longestWord)
      .toSorted((a, b) => b.length - a.length)
      .map((word) => literal(word))
      .join('|');
    if (choice !== '') this.#words = new RegExp(`(?<![\\p{L}\\p{N}])(?:${choice})(?![\\p{L}\\p{N}])`, 'giu');
  }

  override holds(text: string): boolean {
    return super.holds(text) || this.clean(text) !== text;
  }

  override clean(text: string): string {
    const cleaned = super.clean(text);
    return this.#words ? cleaned.replace(this.#words, hidden) : cleaned;
  }
}

/** Shorter texts are found as words alone: in the midst of a word they are by chance. */
const shortestText = 4;
const mostWords = 5;
/** As long as an e-mail address. Of longer texts, the pieces are found. */
const longestWord = 254;
const letter = /[\p{L}\p{N}]/u;

function wordsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u);
  return words.length <= mostWords ? words.filter(({ length }) => length > 1) : [];
}

/** The texts in a value, the names in it among them, and its numbers. */
function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  if (isJsonList(value)) return value.flatMap((item) => textsIn(item));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [...textsIn(name), ...textsIn(inner)]);
}

function valuesIn(record: JsonObject, fields: ReadonlySet<string>): JsonValue[] {
  return Object.entries(record).flatMap(([field, value]) => (fields.has(field) ? [value] : []));
}
