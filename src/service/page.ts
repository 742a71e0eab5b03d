import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';

/** The path of a list below the base URL, and the query without the page number. */
export interface ListQuery {
  readonly path: string;
  /** An array repeats the parameter for each value. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
}

/** The number of a page, counted from 1, and the requested size, which the service may reduce. */
export interface PageQuery {
  readonly number: number;
  readonly size: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly count: number;
  /** The position of the page's last item in the list, counted from 1; 0 if the list is empty. */
  readonly end: number;
  /** The number of the next page; 0 if this is the last page. */
  readonly next: number;
}

/** The largest page size that every release supports by default. */
export const pageSize = 100;

export function pagePath({ path, query }: ListQuery, { number, size }: PageQuery): string {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((text): [string, string] => [name, text]),
    ),
  );
  parameters.set('page', String(number));
  parameters.set('page_size', String(size));
  return `${path}?${parameters.toString()}`;
}

/**
 * Returns the requested page, or undefined if the body is inconsistent or contains another page. A service that caches lists per
 * user may return another page and a wrong count. All pages except the last have the same size.
 */
export function pageIn(body: JsonObject | undefined, number: number): Page<JsonValue> | undefined {
  const { pagination, results: items } = body ?? {};
  if (!isJsonObject(pagination) || !isJsonList(items)) return undefined;
  const { current, count, next, start_index: start, end_index: end } = pagination;
  if (!isCount(count) || !isCount(start) || !isCount(end) || !isCount(next)) return undefined;
  const size = number === 1 ? end : (start - 1) / (number - 1);
  const isPlaced =
    current === number && Number.isInteger(size) && start === Math.min(end, (number - 1) * size + 1);
  const observed = end === 0 ? 0 : end - start + 1;
  const isWhole = items.length === observed && (observed > 0 || count === 0);
  const isContinued =
    end < count
      ? next === number + 1 && end === number * size
      : next === 0 && end === count && end <= number * size;
  return isPlaced && isWhole && isContinued ? { items, count, end, next } : undefined;
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
