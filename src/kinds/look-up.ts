import { textOf } from '../base/json.ts';
import type { Family, Kind } from './kind.ts';
import type { NewestFacts } from './facts.ts';

/** How to look up a record by name: by path, by a filter that every release has, or else by search. */
export function lookUpOf(
  path: string,
  { identity, single, scope }: Pick<Kind, 'identity' | 'single' | 'scope'>,
  { params, searchQuery }: Pick<Family, 'params' | 'searchQuery'>,
  { id, filters = [] }: NewestFacts,
): Pick<Kind['lookUp'], 'path' | 'answers'> {
  if (single !== undefined) return { path: () => path, answers: 'record' };
  if (id?.name === identity)
    return { path: (name) => `${path}${encodeURIComponent(name)}/`, answers: 'record' };
  const blind = `${identity}__iexact`;
  const filter = [identity, blind].find((text) => filters.includes(text));
  const isNarrowed = scope !== undefined && filters.includes(scope);
  return {
    path: (name, within) => {
      const parameters =
        filter === undefined ? { ...params, ...searchQuery(name) } : { [filter]: name, ...params };
      const narrowed = isNarrowed && within !== undefined && { [scope]: textOf(within) };
      return `${path}?${queryOf({ ...parameters, ...narrowed })}`;
    },
    answers: filter === identity && (scope === undefined || isNarrowed) ? 'list' : 'search',
  };
}

function queryOf(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

const longestSearch = 100;

/**
 * Query parameters that shorten a list but keep every record with the name: a search for the longest word of the name. The
 * service ignores case, and some releases treat quotes and commas specially. If the name has no letters, digits, `_` or `-`, the
 * query is empty.
 */
export function longestWordQuery(name: string): Readonly<Record<string, string>> {
  const words = name.match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const search = Array.from(longest).slice(0, longestSearch).join('');
  return search === '' ? {} : { search };
}
