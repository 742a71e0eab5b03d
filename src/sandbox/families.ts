import type { TypeFacts } from '../kinds/facts.ts';
import { referredLists } from '../kinds/references.ts';

interface Family {
  /** Where the service lists all of it. */
  readonly all: string;
  /** How it calls one of them where a name is taken. */
  readonly title: string;
  /** What its own pages show one with. */
  readonly component: string;
}

/** The lists of several types, in which names are unique among all. */
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

/** A mapping that nothing shows the type of. */
const untyped = '/propertymappings/notification/';

/** How tokens' rights call the records of a path: `stages`, `event_rules`. */
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

/** The list of several types that those of a path are among, if any. */
export function familyOf(path: string, { fields }: TypeFacts): Family | undefined {
  if (fields['component'] === undefined && path !== untyped) return undefined;
  return families.find(({ types }) => types.test(path));
}

/** What the service's own pages show one of a type with, where nobody has seen it. */
export function componentOf({ all, component }: Family, path: string): string {
  const type = path.slice(all.replace(/all\/$/, '').length, -1).replaceAll(/[/_.]/g, '-');
  return `ak-${component}-${type}-form`;
}
