import type { FieldFacts, ValueFacts } from './facts.ts';

/** The lists to which fields can refer, each with the path that returns all of its records. */
export const referredLists = {
  applications: '/core/applications/',
  certificates: '/crypto/certificatekeypairs/',
  connectors: '/endpoints/connectors/',
  device_access_groups: '/endpoints/device_access_groups/',
  device_types: '/stages/authenticator/webauthn_device_types/',
  flows: '/flows/instances/',
  groups: '/core/groups/',
  permissions: '/rbac/permissions/',
  policies: '/policies/all/',
  prompts: '/stages/prompt/prompts/',
  property_mappings: '/propertymappings/all/',
  providers: '/providers/all/',
  request_rule_bindings: '/requests/rule-bindings/',
  request_rules: '/requests/rules/',
  roles: '/rbac/roles/',
  service_connections: '/outposts/service_connections/all/',
  sources: '/sources/all/',
  stages: '/stages/all/',
  transports: '/events/transports/',
  users: '/core/users/',
} as const;

export interface Reference {
  readonly list: keyof typeof referredLists | 'bindables';
  readonly by: 'pk' | 'uuid' | 'bindable id';
}

/** Derives the list from the name of a field. The first pattern that matches is used. */
const byName: readonly (readonly [name: RegExp, list: Reference['list']])[] = [
  [/^flow$|^flow_|_flow$/, 'flows'],
  [/mappings?(?:_|$)/, 'property_mappings'],
  [/certificate|_kp$|_key$|_ca$|^tls_/, 'certificates'],
  [/^connector$/, 'connectors'],
  [/^device_group$/, 'device_access_groups'],
  [/device_type/, 'device_types'],
  [/^app$|application$/, 'applications'],
  [/^service_connection$/, 'service_connections'],
  [/transports$/, 'transports'],
  [/^polic(?:y|ies)$|_policies$/, 'policies'],
  [/^permissions$/, 'permissions'],
  [/^roles?$/, 'roles'],
  [/^rule$/, 'request_rules'],
  [/^providers?$|_providers$/, 'providers'],
  [/^sources?$|_sources$/, 'sources'],
  [/^stages?$|_stages?$/, 'stages'],
  [/^users?$/, 'users'],
  [/^groups?$|_groups?$|^group_filters$|^parents?$|^children$/, 'groups'],
];

/** References in fields whose names do not match the patterns above, by path and field. */
const exceptions: Readonly<Record<string, Reference>> = {
  '/flows/bindings/ target': { list: 'flows', by: 'pk' },
  '/lifecycle/rules/ reviewers': { list: 'users', by: 'uuid' },
  '/policies/bindings/ target': { list: 'bindables', by: 'bindable id' },
  '/providers/scim/ auth_oauth': { list: 'sources', by: 'pk' },
  '/requests/rule-bindings/ target': { list: 'bindables', by: 'bindable id' },
  '/requests/rule-child-bindings/ binding': { list: 'request_rule_bindings', by: 'uuid' },
  '/requests/rule-child-bindings/ target': { list: 'bindables', by: 'bindable id' },
  '/stages/prompt/stages/ fields': { list: 'prompts', by: 'pk' },
};

/** The lists whose records have numeric ids; records of all other lists have UUIDs. */
const numbered: ReadonlySet<string> = new Set(['permissions', 'providers', 'users']);

export function referenceOf(path: string, field: string, facts: FieldFacts): Reference | undefined {
  if (facts.readOnly || !isId(facts.items ?? facts)) return undefined;
  const exception = exceptions[`${path} ${field}`];
  if (exception !== undefined) return exception;
  const list = byName.find(([name]) => name.test(field))?.[1];
  if (list === undefined || numbered.has(list) !== ((facts.items ?? facts).type === 'integer'))
    return undefined;
  return { list, by: 'pk' };
}

function isId({ type, format }: ValueFacts): boolean {
  return type === 'integer' || (type === 'string' && format === 'uuid');
}
