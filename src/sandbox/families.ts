import type { TypeFacts } from '../kinds/facts.ts';
import { referredLists } from '../kinds/references.ts';

interface Family {
  readonly all: string;
  /** The name in the message for a taken name. */
  readonly title: string;
  /** The component of the admin interface. */
  readonly component: string;
}

/** Lists of several types with common unique names. */
const families: readonly (Family & { readonly types: RegExp })[] = [
  {
    all: '/outposts/service_connections/all/',
    types: /^\/outposts\/service_connections\//,
    title: 'Outpost Service-Connection',
    component: 'service-connection',
  },
  { all: '/policies/all/', types: /^\/policies\//, title: 'Policy', component: 'policy' },
  {
    all: '/propertymappings/all/',
    types: /^\/propertymappings\//,
    title: 'Property Mapping',
    component: 'property-mapping',
  },
  { all: '/providers/all/', types: /^\/providers\//, title: 'provider', component: 'provider' },
  { all: '/sources/all/', types: /^\/sources\//, title: 'source', component: 'source' },
  { all: '/stages/all/', types: /^\/stages\//, title: 'stage', component: 'stage' },
  {
    all: '/endpoints/connectors/',
    types: /^\/endpoints\/(?:\w+\/)?connectors\//,
    title: 'connector',
    component: 'endpoints-connector',
  },
];

/** Mappings whose type is never shown. */
const untyped = '/propertymappings/notification/';

/** The name of a path in the rights of tokens: `stages`, `event_rules`. */
export function listNamed(path: string): string {
  return named[path] ?? path.split('/').at(-2) ?? '';
}

const named: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(referredLists).map(([list, path]) => [path, list])),
  '/core/application_entitlements/': 'entitlements',
  '/events/rules/': 'event_rules',
  '/flows/bindings/': 'stage_bindings',
  '/lifecycle/rules/': 'lifecycle_rules',
  '/rac/endpoints/': 'rac_endpoints',
};

/** The list of several types that a path belongs to, if any. */
export function familyOf(path: string, { fields }: TypeFacts): Family | undefined {
  if (fields['component'] === undefined && path !== untyped) return undefined;
  return families.find(({ types }) => types.test(path));
}

/** The component of the admin interface for a type without a recording. */
export function componentOf({ all, component }: Family, path: string): string {
  const type = path.slice(all.replace(/all\/$/, '').length, -1).replaceAll(/[/_.]/g, '-');
  return `ak-${component}-${type}-form`;
}
