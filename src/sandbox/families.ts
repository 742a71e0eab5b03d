import type { TypeFacts } from '../kinds/facts.ts';
import { families } from '../kinds/families.ts';
import { referredLists } from '../kinds/references.ts';

interface Family {
  readonly path: string;
  /** The noun in the message about a duplicate name. */
  readonly title: string;
  readonly component: string;
}

const typedLists: readonly Family[] = (
  [
    ['connectors', 'connector', 'endpoints-connector'],
    ['policies', 'Policy', 'policy'],
    ['property_mappings', 'Property Mapping', 'property-mapping'],
    ['providers', 'provider', 'provider'],
    ['service_connections', 'Outpost Service-Connection', 'service-connection'],
    ['sources', 'source', 'source'],
    ['stages', 'stage', 'stage'],
  ] as const
).map(([list, title, component]) => ({ path: referredLists[list], title, component }));

/** The mappings whose type the service never returns. */
const untypedPath = '/propertymappings/notification/';

const listNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(referredLists).map(([list, path]) => [path, list])),
  ...Object.fromEntries(families.map(({ list, path }) => [path.slice('/api/v3'.length), list])),
  '/core/object_attributes/': 'object_attributes',
  '/core/tenants/': 'brands',
  '/flows/bindings/': 'stage_bindings',
  '/policies/bindings/': 'bindings',
};

/** The names of all lists to which a right can apply. */
export const rightLists: readonly string[] = [...new Set(Object.values(listNames))];

/** The name of a list in the rights of tokens, such as `stages` or `event_rules`. */
export function listNameOf(path: string): string {
  return listNames[path] ?? path.split('/').at(-2) ?? '';
}

/** The list of several types whose paths include this path, or undefined if there is none. */
export function familyOf(path: string, { fields }: TypeFacts): Family | undefined {
  if (fields['component'] === undefined && path !== untypedPath) return undefined;
  return typedLists.find((list) => path.startsWith(list.path.replace(/(?:all|connectors)\/$/, '')));
}

export function componentOf({ path: allTypesPath, component }: Family, path: string): string {
  const type = path.slice(allTypesPath.replace(/all\/$/, '').length, -1).replaceAll(/[/_.]/g, '-');
  return `ak-${component}-${type}-form`;
}
