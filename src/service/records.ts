import { withoutInexactNumbers } from '../base/exact-numbers.ts';
import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { toNewestRelease } from '../kinds/forms.ts';
import type { Kind } from '../kinds/kind.ts';
import { referenceFactsWithin, nestedFields, nestedNames } from '../kinds/named.ts';
import type { Answer } from './answer.ts';
import { pageIn, type Page } from './page.ts';
import type { Exchange } from './transport.ts';
import type { ObservedRecord } from './types.ts';

export interface ListedRecord {
  /** For comparison, not to be shown. */
  readonly received: JsonObject;
  /** The same without the secrets that rollcall sends with each request. */
  readonly shown: JsonObject;
  /** The record with null for each number that would be sent back changed; undefined if there is none. */
  readonly exact?: JsonObject | undefined;
  /** For a scoped name: the name of the parent, if it was read. */
  readonly within?: string | undefined;
  /** The names of the ids in its fields, if they were read with it. */
  readonly names?: ObservedRecord['names'];
}

/** Keeps the wanted fields, and facts about nested records. */
export function observeRecord(
  kind: Kind,
  { received, shown, exact }: ListedRecord,
  wanted: readonly string[],
): ObservedRecord {
  const facts = referenceFactsWithin(kind, received, shown);
  return {
    ...pickObserved(kind, received, shown, wanted),
    ...(exact && { exact: pickObserved(kind, exact, exact, wanted).fields }),
    ...(facts.length > 0 && { facts }),
    names: Object.fromEntries(nestedFields(kind).map(([field]) => [field, nestedNames(kind, field, shown)])),
  };
}

/**
 * A record as received and as it may be shown: its id, and the named fields. A field that a release shows but does not accept is
 * left out.
 */
export function pickObserved(
  kind: Kind,
  received: JsonObject,
  shown: JsonObject,
  wanted: readonly string[],
): ObservedRecord {
  const { fields } = kind;
  const names = new Set(
    wanted.filter((name) => fields[name]?.isAccepted?.(received) !== false && !fields[name]?.children),
  );
  const pick = (object: JsonObject): JsonObject => {
    const picked: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(toNewestRelease(kind, object)))
      if (names.has(name)) picked[name] = value;
    return picked;
  };
  return {
    pk: textOf(shown['pk']),
    ...(kind.bindable?.id !== undefined && { bindable: textOf(received[kind.bindable.id] ?? null) }),
    fields: pick(received),
    ...(received !== shown && { shown: pick(shown) }),
  };
}

/** The records on a page. Values that are not objects are left out. */
export function recordsOnPage(
  exchange: Exchange,
  { body }: Answer,
  number: number,
  canUpdate: boolean,
): Page<ListedRecord> {
  const page = pageIn(asReceived(exchange) ?? body, number);
  if (page === undefined) throw new Error('the answer carries no page');
  const exact = canUpdate ? withExactNumbers(exchange) : undefined;
  const exactBody = exact && asReceived(exact);
  const items = page.items.flatMap((received, index): ListedRecord[] =>
    isJsonObject(received)
      ? [{ received, shown: recordAt(body, index) ?? {}, exact: recordAt(exactBody, index) }]
      : [],
  );
  return { ...page, items };
}

function recordAt(page: JsonObject | undefined, index: number): JsonObject | undefined {
  const results = page?.['results'];
  const record: JsonValue | undefined = isJsonList(results) ? results[index] : undefined;
  return isJsonObject(record) ? record : undefined;
}

/** The exchange with null for each number that would be sent back changed; undefined if there is none. */
export function withExactNumbers(exchange: Exchange): Exchange | undefined {
  if (exchange.kind !== 'answered') return undefined;
  const text = withoutInexactNumbers(exchange.asReceived ?? exchange.body);
  return text === undefined ? undefined : { ...exchange, asReceived: text };
}

function asReceived(exchange: Exchange): JsonObject | undefined {
  const text = exchange.kind === 'answered' ? exchange.asReceived : undefined;
  const json = text === undefined ? undefined : parseJson(text);
  return isJsonObject(json) ? json : undefined;
}
