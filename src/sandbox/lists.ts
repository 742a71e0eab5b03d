import type { JsonObject } from '../base/json.ts';
import type { FieldErrors } from './fields.ts';
import type { SandboxKind } from './kind.ts';
import { pageOf, type Filter, type ListResult, type Query } from './query.ts';
import type { ReleaseRules } from './release.ts';
import { isInExtent, type Requester } from './rights.ts';
import type { Row } from './rows.ts';

export function listRecords(
  kind: SandboxKind,
  query: Query,
  asker: Requester,
  rules: ReleaseRules,
): ListResult {
  const reach = asker.rights.extentOf('view', kind.list);
  if (reach === 'none') return 'forbidden';
  const filters = kind.filtersFor?.(query) ?? [];
  if (!isList(filters)) return { errors: filters };
  const isViewed: Filter[] = reach === 'all' ? [] : [(row) => isInExtent(reach, kind, row)];
  const found = pageOf(query, matchingRecords(kind, query, [...filters, ...isViewed]), rules);
  if (found === undefined) return 'no such page';
  const { pagination, page } = found;
  if (page.some((row) => kind.isUnreadable?.(row))) return 'crashed';
  return { pagination, results: page.map((row) => kind.record(row, asker, query)) };
}

/**
 * Superusers can request the complete list. Other requests get the records that the user may open, from a cache that ignores
 * filters and, unless `isPaged`, pages; only the count depends on the request.
 */
export function cachedList(
  kind: SandboxKind,
  query: Query,
  asker: Requester,
  rules: ReleaseRules,
  shown: Map<string, readonly JsonObject[]>,
  isPaged: boolean,
): ListResult {
  const { user, rights } = asker;
  if (rights.superuser && query.isTrue('superuser_full_list', false))
    return listRecords(kind, query, asker, rules);
  const filters = kind.filtersFor?.(query) ?? [];
  if (!isList(filters)) return { errors: filters };
  const all = matchingRecords(kind, query, filters);
  const found = pageOf(query, all, rules);
  if (found === undefined) return 'no such page';
  const { pagination, page } = found;
  const key = isPaged ? `${user.pk} ${pagination.current}` : `${user.pk}`;
  const isSearch = query.text('search') !== undefined;
  const cached = isSearch ? undefined : shown.get(key);
  if (cached !== undefined) return { pagination, results: cached };
  const reach = rights.extentOf('open', kind.list);
  const opened = (isPaged ? page : all).filter((row) => isInExtent(reach, kind, row));
  const results = opened.map((row) => kind.record(row, asker));
  if (!isSearch && results.length > 0) shown.set(key, results);
  return { pagination, results };
}

function isList(filters: readonly Filter[] | FieldErrors): filters is readonly Filter[] {
  return Array.isArray(filters);
}

export function matchingRecords(
  kind: SandboxKind,
  query: Query,
  more: readonly Filter[] = [],
): readonly Row[] {
  const { rows, exactFilters, ordering } = kind;
  let found: readonly Row[] | undefined; // undefined means all rows, whose sorted lists are kept
  for (const field of exactFilters) {
    const value = query.text(field);
    if (value === undefined) continue;
    found = found?.filter(({ fields }) => fields[field] === value) ?? rows.with(field, value);
  }
  const filters = [...(kind.includes ? [kind.includes] : []), ...searched(kind, query), ...more];
  if (filters.length > 0)
    found = (found ?? rows.all()).filter((row) => filters.every((filter) => filter(row)));
  return rows.inOrder(query.text('ordering') ?? ordering, ordering, found);
}

/** The filters for a search: each word must occur in one of the texts, ignoring case. */
function searched(kind: SandboxKind, query: Query): Filter[] {
  const words = (query.text('search') ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return [
    (row) => {
      const texts = kind.searchTexts(row).map((text) => (typeof text === 'string' ? text.toLowerCase() : ''));
      return words.every((word) => texts.some((text) => text.includes(word)));
    },
  ];
}
