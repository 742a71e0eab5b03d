import type { JsonObject } from '../base/json.ts';
import type { FieldErrors } from './fields.ts';
import { trimAsService } from '../manifest/trim.ts';
import type { ReleaseRules } from './release.ts';
import type { Row } from './rows.ts';

export class Query {
  readonly #parameters: URLSearchParams;

  constructor(path: string) {
    const mark = path.indexOf('?');
    this.#parameters = new URLSearchParams(mark === -1 ? '' : path.slice(mark));
  }

  /** The last value of a parameter, trimmed, or undefined if the parameter is missing or empty. */
  text(name: string): string | undefined {
    return trimAsService(this.#parameters.getAll(name).at(-1) ?? '') || undefined;
  }

  all(name: string): readonly string[] {
    return this.#parameters.getAll(name);
  }

  /** Ignores case. Returns `leftOut` if the parameter is missing. */
  isTrue(name: string, leftOut: boolean): boolean {
    const given = this.#parameters.getAll(name).at(-1);
    return given === undefined ? leftOut : given.toLowerCase() === 'true';
  }
}

export type ListResult =
  | { readonly pagination: Pagination; readonly results: readonly JsonObject[] }
  | { readonly errors: FieldErrors }
  | 'forbidden'
  | 'no such page'
  /** The service crashes because of a record on the page. */
  | 'crashed';

/** Pages are numbered from 1; `next` and `previous` are 0 at the ends. */
type Pagination = Readonly<
  Record<'next' | 'previous' | 'count' | 'current' | 'total_pages' | 'start_index' | 'end_index', number>
>;

export type Filter = (row: Row) => boolean;

export function pageOf(
  query: Query,
  found: readonly Row[],
  { pageLimits }: ReleaseRules,
): { readonly pagination: Pagination; readonly page: readonly Row[] } | undefined {
  const count = found.length;
  const wanted = wholeNumber(query.text('page_size'));
  const size = wanted >= 1 ? Math.min(wanted, pageLimits.most) : pageLimits.size;
  const total = Math.max(1, Math.ceil(count / size));
  const page = query.text('page') ?? '1';
  const current = page === 'last' ? total : wholeNumber(page);
  if (current < 1 || current > total) return undefined;
  const start = (current - 1) * size;
  const end = Math.min(count, current * size);
  const pagination = {
    next: current < total ? current + 1 : 0,
    previous: current - 1,
    count,
    current,
    total_pages: total,
    start_index: count === 0 ? 0 : start + 1,
    end_index: end,
  };
  return { pagination, page: found.slice(start, end) };
}

function wholeNumber(digits = ''): number {
  return /^\d+$/.test(digits) ? Number(digits) : 0;
}
