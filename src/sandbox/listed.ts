import type { JsonObject, JsonValue } from '../base/json.ts';
import type { FieldErrors } from './fields.ts';
import { int } from './python.ts';
import type { Query } from './query.ts';
import type { Rules } from './release.ts';
import { reaches, type Reach } from './rights.ts';
import type { Row } from './rows.ts';

/** What a request for a list comes to. */
export type Listed =
  | { readonly pagination: Pagination; readonly results: readonly JsonObject[] }
  | { readonly errors: FieldErrors }
  | 'forbidden'
  | 'no such page'
  /** It breaks down over a record on the page. */
  | 'crashed';

/** Pages are numbered from 1; `next` and `previous` are 0 where there is none. */
export type Pagination = {
  readonly next: number;
  readonly previous: number;
  readonly count: number;
  readonly current: number;
  readonly total_pages: number;
  readonly start_index: number;
  readonly end_index: number;
};

/** The page of so many records that a query asks for; nothing where there is none of that number. */
export function paginationOf(query: Query, count: number, { pages }: Rules): Pagination | undefined {
  const asked = int(query.text('page_size') ?? '');
  const size = asked === undefined || asked < 1 ? pages.size : Math.min(asked, pages.most);
  const total = Math.max(1, Math.ceil(count / size));
  const page = query.text('page') ?? '1';
  const current = page === 'last' ? total : int(page);
  if (current === undefined || current < 1 || current > total) return undefined;
  return {
    next: current < total ? current + 1 : 0,
    previous: current - 1,
    count,
    current,
    total_pages: total,
    start_index: count === 0 ? 0 : (current - 1) * size + 1,
    end_index: Math.min(count, current * size),
  };
}

/** The part of the found records that stands on a page. */
export function onPage<Found>(
  found: readonly Found[],
  { start_index, end_index }: Pagination,
): readonly Found[] {
  return found.slice(Math.max(0, start_index - 1), end_index);
}

export function listed<Found extends Row>(
  query: Query,
  found: readonly Found[],
  recordOf: (row: Found) => JsonObject,
  rules: Rules,
): Listed {
  const pagination = paginationOf(query, found.length, rules);
  return pagination === undefined
    ? 'no such page'
    : { pagination, results: onPage(found, pagination).map((row) => recordOf(row)) };
}

export type Condition<Found> = (row: Found) => boolean;

/** Those that every condition holds for; without conditions, the list itself. */
export function those<Found>(
  rows: readonly Found[],
  conditions: readonly (Condition<Found> | undefined)[],
): readonly Found[] {
  const needed = conditions.filter((condition) => condition !== undefined);
  return needed.length === 0 ? rows : rows.filter((row) => needed.every((condition) => condition(row)));
}

/** For each of the fields that a query asks for: that it is just that. */
export function exactly(query: Query, fields: readonly string[]): Condition<Row>[] {
  return fields.flatMap((field) => {
    const wanted = query.text(field);
    return wanted === undefined ? [] : (row: Row): boolean => row.fields[field] === wanted;
  });
}

/** That a right extends to it; nothing where it extends to all. */
export function seen<Found>(reach: Reach, nameOf: (row: Found) => string): Condition<Found> | undefined {
  return reach === 'all' ? undefined : (row) => reaches(reach, nameOf(row));
}

/** That each word that a query searches for stands in one of the texts, in any case. */
export function searched<Found>(
  query: Query,
  textsOf: (row: Found) => readonly (JsonValue | undefined)[],
): Condition<Found> | undefined {
  const words = (query.text('search') ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  if (words.length === 0) return undefined;
  return (row) => {
    const texts = textsOf(row).map((text) => (typeof text === 'string' ? text.toLowerCase() : ''));
    return words.every((word) => texts.some((text) => text.includes(word)));
  };
}
