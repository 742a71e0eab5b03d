import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { HttpRequest } from './transport.ts';

/** A list of the service: its path below the base URL, and its query without the page. */
export interface ListQuery {
  readonly path: string;
  /** A parameter with several values stands there once for each. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
}

/** Which page of a list, from 1, and how many records it is to hold. The service may give fewer, and does not say so. */
export interface PageQuery {
  readonly number: number;
  readonly size: number;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many items all pages hold together, as the service says. */
  readonly count: number;
  /** The number of its last item, from 1; 0 where the list is empty. */
  readonly end: number;
  /** The number of the page after it; 0 where it is the last. */
  readonly next: number;
}

/** A page of so many records that no release gives fewer, unless it was set up to. */
export const pageSize = 100;

export function pageRequest({ path, query }: ListQuery, { number, size }: PageQuery): HttpRequest {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    ),
  );
  parameters.set('page', String(number));
  parameters.set('page_size', String(size));
  return { method: 'GET', path: `${path}?${parameters.toString()}` };
}

/**
 * The page in a body, if it is the one that was asked for and agrees with itself: a list that the service keeps for a user shows
 * other pages than those asked for, and more or fewer records than it says. All pages but the last have the same size, so each ends
 * further on than the one before it.
 */
export function pageIn(body: JsonObject | undefined, number: number): Page<JsonValue> | undefined {
  const { pagination, results: items } = body ?? {};
  if (!isJsonObject(pagination) || !isJsonList(items)) return undefined;
  const { current, count, next, start_index: start, end_index: end } = pagination;
  if (!isCount(count) || !isCount(start) || !isCount(end) || !isCount(next)) return undefined;
  const size = number === 1 ? end : (start - 1) / (number - 1);
  const isPlaced =
    current === number && Number.isInteger(size) && start === Math.min(end, (number - 1) * size + 1);
  const held = end === 0 ? 0 : end - start + 1;
  const isWhole = items.length === held && (held > 0 || count === 0);
  const isContinued =
    end < count
      ? next === number + 1 && end === number * size
      : next === 0 && end === count && end <= number * size;
  return isPlaced && isWhole && isContinued ? { items, count, end, next } : undefined;
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
