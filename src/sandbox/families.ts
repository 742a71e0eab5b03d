import type { TypeFacts } from '../kinds/facts.ts';
import { referredLists } from '../kinds/references.ts';

interface Family {
  readonly path: string;
  /** The noun in the message about a duplicate name. */
  readonly title: string;
  readonly component: string;
}

/** The lists with several types. Names are unique within such a list. */
const families: readonly (Family & { readonly types: RegExp })[] = [
  {
    path: '/outposts/service_connections/all/',
    types: /^\/outposts\/service_connections\//,
    title: 'Outpost Service-Connection',
    component: 'service-connection',
  },
  { path: '/policies/all/', types: /^\/policies\//, title: 'Policy', component: 'policy' },
  {
    path: '/propertymappings/all/',
    types: /^\/propertymappings\//,
    title: 'Property Mapping',
    component: 'property-mapping',
  },
  { path: '/providers/all/', types: /^\/providers\//, title: 'provider', component: 'provider' },
  { path: '/sources/all/', types: /^\/sources\//, title: 'source', component: 'source' },
  { path: '/stages/all/', types: /^\/stages\//, title: 'stage', component: 'stage' },
  {
    path: '/endpoints/connectors/',
    types: /^\/endpoints\/(?:\w+\/)?connectors\//,
    title: 'connector',
    component: 'endpoints-connector',
  },
];

/** The mappings whose type the service never returns. */
const untypedPath = '/propertymappings/notification/';

/** The name by which rights of tokens refer to a path, such as `stages` or `event_rules`. */
export function listNameOf(path: string): string {
  return listNames[path] ?? path.split('/').at(-2) ?? '';
}

const listNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(referredLists).map(([list, path]) => [path, list])),
  '/core/application_entitlements/': 'entitlements',
  '/events/rules/': 'event_rules',
  '/flows/bindings/': 'stage_bindings',
  '/lifecycle/rules/': 'lifecycle_rules',
  '/rac/endpoints/': 'rac_endpoints',
};

/** The list with several types to which a path belongs. Undefined if there is none. */
export function familyOf(path: string, { fields }: TypeFacts): Family | undefined {
  if (fields['component'] === undefined && path !== untypedPath) return undefined;
  return families.find(({ types }) => types.test(path));
}

/** The component of the admin interface, for a type that was not recorded. */
export function componentOf({ path: allTypesPath, component }: Family, path: string): string {
  const type = path.slice(allTypesPath.replace(/all\/$/, '').length, -1).replaceAll(/[/_.]/g, '-');
  return `ak-${component}-${type}-form`;
}
