import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import { readRelease } from '../../src/kinds/release.ts';
import { prefix } from './session.ts';

const TEXT = '<TEXT>';
const KEY = '<KEY>';

/** Values that the service itself sets if a field is missing. They identify nobody. */
const defaults: ReadonlySet<JsonValue> = new Set(['', 'any', 'internal', 'users']);

/** The keys of records in an answer. The keys in all other objects, such as attributes, come from users. */
const holdsRecords = /^(?:user|original|results|groups|roles|\w+_obj)$/;

const field = /^[A-Za-z_]\w{0,63}$/;

/** A quotation may contain the name of a person. */
const cited = /(?<!\w)(?:"[^"]*"|'[^']*'|“[^”]*”|‘[^’]*’|`[^`]*`)/g;

/** Parts of addresses, hosts, paths, ids or stack traces. The service's own sentences do not contain these. */
const notPlain = /[@\\\n]|\w\.\w|:\/\/|(?:^|\s)\/\w|\d{5}|[\da-f]{8}-|.{300}/i;

const idOrTime = /[\da-f]{8}-[\da-f]{4}-|\dT\d\d:/;

/** Decides which parts of an answer the recording keeps: only those that are known to be harmless. */
export class Mask {
  /** All values that the probe sent, as JSON. */
  readonly #sent = new Set<string>();
  readonly #pks = new Map<number, number>();
  readonly #places: ReadonlySet<string>;

  /** `places` are the parts of the base URL. */
  constructor(places: readonly string[]) {
    this.#places = new Set(places.map((place) => place.toLowerCase()));
  }

  sends(body: JsonValue | undefined): void {
    if (!isJsonObject(body)) return;
    // Some sent values come from the service: ids that the probe found there, and perhaps times.
    for (const value of Object.values(body).map((sent) => JSON.stringify(sent)))
      if (!idOrTime.test(value)) this.#sent.add(value);
  }

  /** Replaces ids of the service by numbers, in the order in which they appear. */
  path(path: string): string {
    return path.replace(/(?<=\/)\d+(?=\/)/, (pk) => String(this.#pks.get(Number(pk)) ?? 0));
  }

  success(method: string, body: JsonValue): JsonValue {
    if (!isJsonObject(body) || this.#isOwn(body)) return this.#record(body);
    return mapped(body, (value, key) => {
      if (key === 'pagination' && isJsonObject(value))
        return mapped(value, (inner) =>
          typeof inner === 'number' || inner === true ? inner : this.#foreign(inner),
        );
      if (key === 'results' && isJsonList(value)) return this.#results(value);
      if (key === 'actions' && method === 'OPTIONS') return withoutTexts(value);
      if (key === 'version_current' && readRelease(textOf(value))) return value;
      return this.#foreign(value, key);
    });
  }

  /** An error message stands alone, in a list, or under one of a few keys. */
  error(body: JsonValue, key = ''): JsonValue {
    if (isJsonList(body))
      return body.map((item) => (typeof item === 'string' ? this.#sentence(item) : this.error(item)));
    if (isJsonObject(body)) {
      if ('pk' in body) return this.success('', body);
      if (key !== '') return mapped(body, (value) => this.#foreign(value), true);
      return mapped(body, (value, name) => this.error(value, name));
    }
    return typeof body === 'string' && /^(?:detail|code|non_field_errors)$/.test(key)
      ? this.#sentence(body)
      : this.#foreign(body);
  }

  #sentence(text: string): string {
    const isKnown = (name: string): boolean =>
      name === '' ||
      this.#sent.has(JSON.stringify(name)) ||
      kinds.some(({ fields }) => Object.hasOwn(fields, name));
    if (text.match(cited)?.some((name) => !isKnown(name.slice(1, -1)))) return TEXT;
    const rest = text.replaceAll(cited, '');
    const words = rest.toLowerCase().split(/[^\w-]+/);
    return notPlain.test(rest) || words.some((word) => this.#places.has(word)) ? TEXT : text;
  }

  /** Keeps the probe's own record and one other. */
  #results(results: readonly JsonValue[]): JsonValue {
    const other = results.find((result) => !this.#isOwn(result));
    return results
      .filter((result) => result === other || this.#isOwn(result))
      .map((result) => this.#record(result));
  }

  #isOwn(record: JsonValue): record is JsonObject {
    return (
      isJsonObject(record) &&
      kinds.some(({ identity }) => {
        const name = record[identity] ?? null;
        return textOf(name).startsWith(prefix) && this.#sent.has(JSON.stringify(name));
      })
    );
  }

  #record(record: JsonValue): JsonValue {
    if (!this.#isOwn(record)) return this.#foreign(record);
    return mapped(record, (value, key) => {
      if (typeof value === 'number') return key === 'pk' ? this.#numberOf(value) : 0;
      // The value may have been sent as the id of another record.
      if (key === 'pk') return this.#foreign(value);
      const isKnown =
        typeof value === 'boolean' || defaults.has(value) || this.#sent.has(JSON.stringify(value));
      return isKnown ? value : this.#foreign(value, key);
    });
  }

  #numberOf(pk: number): number {
    const number = this.#pks.get(pk) ?? this.#pks.size + 1;
    this.#pks.set(pk, number);
    return number;
  }

  /** Keeps only the shape of a value. */
  #foreign(value: JsonValue, key = 'results'): JsonValue {
    if (isJsonList(value)) return value.slice(0, 1).map((item) => this.#foreign(item, key));
    if (isJsonObject(value)) {
      const hasFields = key === 'error_reporting' || (holdsRecords.test(key) && 'pk' in value);
      return hasFields ? mapped(value, (inner, name) => this.#foreign(inner, name)) : {};
    }
    if (typeof value === 'string') return TEXT;
    if (typeof value === 'number') return 0;
    return typeof value === 'boolean' ? false : null;
  }
}

/** The fields in an answer to OPTIONS, with names, requirements and limits but without texts. */
function withoutTexts(value: JsonValue): JsonValue {
  if (typeof value === 'string') return TEXT;
  if (isJsonList(value)) return value.slice(0, 1).map((item) => withoutTexts(item));
  // A large number may be an id.
  if (typeof value === 'number' && Math.abs(value) > 1_000_000) return 0;
  return isJsonObject(value) ? mapped(value, withoutTexts) : value;
}

function mapped(
  object: JsonObject,
  change: (value: JsonValue, key: string) => JsonValue,
  hidesKeys = false,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      !hidesKeys && field.test(key) ? key : KEY,
      change(value, key),
    ]),
  );
}
