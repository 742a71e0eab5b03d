import { textOf } from '../base/json.ts';
import type { Kind } from './kind.ts';
import type { NewestFacts } from './newest-facts.ts';
import { longestWordQuery } from './search.ts';

/** How to look up a record by name: by path, by a filter that every release has, or else by search. */
export function lookUpOf(
  path: string,
  {
    identity,
    single,
    scope,
    leftOut = {},
    isFoundBySearch = true,
  }: Pick<Kind, 'identity' | 'single' | 'scope'> & {
    readonly leftOut?: Readonly<Record<string, string>>;
    readonly isFoundBySearch?: boolean;
  },
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
        filter === undefined
          ? { ...leftOut, ...(isFoundBySearch && longestWordQuery(name)) }
          : { [filter]: name, ...leftOut };
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
