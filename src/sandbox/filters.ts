import { textOf } from '../base/json.ts';
import { memoizePerKey } from '../base/memoize.ts';
import type { TypeFacts } from '../kinds/facts.ts';
import { referenceOf, referredLists } from '../kinds/references.ts';
import type { FieldErrors } from './fields.ts';
import type { SandboxKind, World } from './kind.ts';
import type { Filter, Query } from './query.ts';
import { valuesOf } from './rows.ts';

export function filtersOf(
  world: World,
  path: string,
  facts: TypeFacts,
): Pick<SandboxKind, 'exactFilters' | 'filtersFor'> {
  return {
    exactFilters: exactFilters(facts),
    filtersFor: (query) => requestedFilters(world, path, facts, query),
  };
}

const exactFilters = memoizePerKey(({ filters, fields }: TypeFacts): readonly string[] =>
  Object.keys(filters).filter(
    (name) => filters[name]?.type === 'string' && !filters[name].format && fields[name]?.type === 'string',
  ),
);

const ignoreCase = '__iexact';

function requestedFilters(
  world: World,
  path: string,
  { filters, fields }: TypeFacts,
  query: Query,
): Filter[] | FieldErrors {
  const requested: Filter[] = [];
  for (const [parameter, { type, format }] of Object.entries(filters)) {
    const wanted = query.text(parameter);
    if (wanted === undefined) continue;
    if (parameter.endsWith(ignoreCase)) {
      const name = parameter.slice(0, -ignoreCase.length);
      requested.push((row) => textOf(row.fields[name]).toLowerCase() === wanted.toLowerCase());
      continue;
    }
    const facts = fields[parameter];
    if (!facts || (type === 'string' && !format)) continue;
    const list = referenceOf(path, parameter, facts)?.list;
    if (list !== undefined && list !== 'bindables' && !world.kind(referredLists[list]).rows.at(wanted))
      return { [parameter]: ['Select a valid choice. That choice is not one of the available choices.'] };
    const wantedValues = type === 'array' ? new Set(query.all(parameter)) : new Set([wanted.toLowerCase()]);
    requested.push((row) =>
      valuesOf(row, parameter).some((value) =>
        wantedValues.has(typeof value === 'object' ? '' : String(value)),
      ),
    );
  }
  return requested;
}
