import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { convertToNewestRelease } from '../kinds/forms.ts';
import type { Kind } from '../kinds/kind.ts';
import { nestedFields, nestedNames } from '../kinds/named.ts';
import { referenceFactsWithin } from '../kinds/reference-facts.ts';
import { recordOf, type Answer } from './answer.ts';
import { pageIn, type Page } from './page.ts';
import type { Exchange } from './transport.ts';
import type { ObservedRecord } from './types.ts';

export interface ListedRecord {
  /** The fields as received, for comparison only; they must not be printed. */
  readonly received: JsonObject;
  readonly shown: JsonObject;
  /** The fields with null in place of each number that JSON.parse rounds, or undefined if there is no such number. */
  readonly exact?: JsonObject | undefined;
  /** The name of the parent, if names are unique only within a parent and the parent was read. */
  readonly within?: string | undefined;
  /** The names for the ids in the fields, if the names were read too. */
  readonly names?: ObservedRecord['names'];
}

export function pkOf({ received }: Pick<ListedRecord, 'received'>): string {
  return textOf(received['pk']);
}

export function observeRecord(kind: Kind, { received, shown, exact }: ListedRecord): ObservedRecord {
  const { login } = kind;
  const facts = referenceFactsWithin(kind, received, shown);
  return {
    ...pickObserved(kind, received, shown),
    ...(exact && { exact: pickObserved(kind, exact, exact).fields }),
    ...(facts.length > 0 && { facts }),
    ...(login?.kind === 'superuser' && received[login.flag] === true && { isSuperuser: true }),
    names: Object.fromEntries(nestedFields(kind).map(([field]) => [field, nestedNames(kind, field, shown)])),
  };
}

/** Returns the id and the wanted fields of a record, by default all, as received and in printable form. Leaves out fields that this release does not accept. */
export function pickObserved(
  kind: Kind,
  received: JsonObject,
  shown: JsonObject,
  wanted: readonly string[] = Object.keys(kind.fields),
): ObservedRecord {
  const { fields } = kind;
  const names = wanted.filter(
    (name) => fields[name]?.isAccepted?.(received) !== false && !fields[name]?.children,
  );
  const pick = (object: JsonObject): JsonObject => {
    const newest = convertToNewestRelease(kind, object);
    const picked: Record<string, JsonValue> = {};
    for (const name of names) if (Object.hasOwn(newest, name)) picked[name] = newest[name] ?? null;
    return picked;
  };
  return {
    pk: textOf(shown['pk']),
    ...(kind.bindable?.id !== undefined && { bindable: textOf(received[kind.bindable.id] ?? null) }),
    fields: pick(received),
    ...(received !== shown && { shown: pick(shown) }),
  };
}

export function recordsOnPage(
  exchange: Exchange,
  answer: Answer,
  number: number,
  canUpdate: boolean,
): Page<ListedRecord> {
  const page = pageIn(recordOf(exchange, answer), number);
  if (page === undefined) throw new Error('the answer contains no page');
  const exact = canUpdate ? withoutRoundedNumbers(exchange) : undefined;
  const exactBody = exact && recordOf(exact, answer);
  const items = page.items.flatMap((received, index): ListedRecord[] =>
    isJsonObject(received)
      ? [{ received, shown: recordAt(answer.body, index) ?? {}, exact: recordAt(exactBody, index) }]
      : [],
  );
  return { ...page, items };
}

function recordAt(page: JsonObject | undefined, index: number): JsonObject | undefined {
  const results = page?.['results'];
  const record: JsonValue | undefined = isJsonList(results) ? results[index] : undefined;
  return isJsonObject(record) ? record : undefined;
}

/** Returns the answer with null in place of each number that JSON.parse would round, or undefined if there is no such number. */
export function withoutRoundedNumbers(exchange: Exchange): Exchange | undefined {
  if (exchange.kind !== 'answered') return undefined;
  const text = withoutInexactNumbers(exchange.asReceived ?? exchange.body);
  return text === undefined ? undefined : { ...exchange, asReceived: text };
}

/** Matches outside of most strings, and is much quicker than reading all tokens. */
const mayBeRounded = /(?:^|[:[,])\s*(?:-|\d{16}|\d+[.eE])/;
/** The pattern matches strings too, so that digits inside strings are skipped. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Returns the text with null in place of each number that JSON.parse would round, or undefined if there is no such number. */
function withoutInexactNumbers(json: string): string | undefined {
  if (!mayBeRounded.test(json)) return undefined;
  let isOther = false;
  const text = json.replace(tokens, (token) => {
    if (token.startsWith('"') || JSON.stringify(Number(token)) === token) return token;
    isOther = true;
    return 'null';
  });
  return isOther ? text : undefined;
}
