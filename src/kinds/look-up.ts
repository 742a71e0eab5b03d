import type { Kind } from './kind.ts';
import type { NewestFacts } from './newest-facts.ts';
import { searchFor } from './search.ts';

/** How a record is looked up by its name: by its path, by a filter that every release has, or by the search of its list. */
export function lookUpOf(
  path: string,
  {
    identity,
    single,
    leftOut = {},
  }: Pick<Kind, 'identity' | 'single'> & {
    readonly leftOut?: Readonly<Record<string, string>>;
  },
  { id, filters = [] }: NewestFacts,
): Pick<Kind['lookUp'], 'path' | 'answers'> {
  if (single !== undefined) return { path: () => path, answers: 'record' };
  if (id?.name === identity)
    return { path: (name) => `${path}${encodeURIComponent(name)}/`, answers: 'record' };
  const blind = `${identity}__iexact`;
  const filter = [identity, blind].find((one) => filters.includes(one));
  if (filter === undefined)
    return {
      path: (name) => `${path}?${new URLSearchParams({ ...leftOut, ...searchFor(name) }).toString()}`,
      answers: 'search',
    };
  const more = Object.entries(leftOut)
    .map(([parameter, value]) => `&${parameter}=${value}`)
    .join('');
  return {
    path: (name) => `${path}?${filter}=${encodeURIComponent(name)}${more}`,
    answers: filter === blind ? 'search' : 'list',
  };
}
