import { expect, test } from 'vitest';
import { planBetween } from '../support/plan-between.ts';

const groups = 'groups: [{ name: staff }, { name: other }]';
const policy = (more: string): string => `policies: [{ type: dummy, name: P, ${more} }]`;
const wiki = (fields: string): string => `applications: [{ slug: wiki, name: Wiki, ${fields} }]`;
const groupNamed = (name: string, parents: string): string => `{ name: ${name}, parents: [${parents}] }`;
const admins = '{ name: admins, is_superuser: true }';
const user = (of: string): string => `users: [{ username: u, name: U, groups: [${of}] }]`;
const bound = (...names: string[]): string =>
  `policies: [${names.map((name, order) => `{ ${name}, order: ${order} }`).join(', ')}]`;
const flag = (isOn: boolean): string => `settings: [{ flags: { core_default_app_access: ${isOn} } }]`;
const ownFlow =
  'flows: [{ slug: f, name: F, title: F, designation: authorization, policies: [{ policy: { name: P }, order: 0 }] }]';
const proxyOn = (flow: string): string =>
  `providers: [{ type: proxy, name: Px, mode: forward_single, external_host: 'https://w.example.com', authorization_flow: { slug: ${flow} }, invalidation_flow: { slug: out } }]`;
const proxy = proxyOn('consent');
const outpost =
  "outposts: [{ name: O, type: proxy, providers: [{ name: Px }], config: { authentik_host: 'https://id.example.com' } }]";
const rac = (policies: string): string =>
  `providers: [{ type: rac, name: R, authorization_flow: { slug: consent } }]
rac_endpoints: [{ name: db, provider: { name: R }, protocol: ssh, host: db, auth_mode: static, policies: ${policies} }]`;
const P = 'policy: { name: P }';
const staff = 'group: { name: staff }';
const other = 'group: { name: other }';

test.each<{
  readonly name: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly waits: readonly string[];
}>([
  {
    name: 'a member waits until the group has lost its rights',
    before: [`groups: [${admins}, ${groupNamed('ops', '{ name: admins }')}]`],
    after: [`groups: [${admins}, ${groupNamed('ops', '')}]`, user('{ name: ops }')],
    waits: ['user.u after group.ops'],
  },
  {
    name: 'a member of a subgroup waits too',
    before: [
      `groups: [${admins}, ${groupNamed('ops', '{ name: admins }')}, ${groupNamed('low', '{ name: ops }')}]`,
    ],
    after: [
      `groups: [${admins}, ${groupNamed('ops', '')}, ${groupNamed('low', '{ name: ops }')}]`,
      user('{ name: low }'),
    ],
    waits: ['user.u after group.ops'],
  },
  {
    name: 'a new application waits for its policy',
    before: [policy('result: true')],
    after: [policy('result: false'), wiki(bound(P))],
    waits: ['application.wiki after policy.P'],
  },
  {
    name: 'an application that admits more people waits for its policy',
    before: [groups, policy('result: true'), wiki(bound(P))],
    after: [groups, policy('result: false'), wiki(bound(P, staff))],
    waits: ['application.wiki after policy.P'],
  },
  {
    name: 'a policy waits for an application that admits fewer people',
    before: [groups, policy('result: false'), wiki(`${bound(P, staff)}, policy_engine_mode: any`)],
    after: [groups, policy('result: true'), wiki(`${bound(P, staff)}, policy_engine_mode: all`)],
    waits: ['policy.P after application.wiki'],
  },
  {
    name: 'an application that replaces its policy waits, though the policy should wait too',
    before: [groups, policy('result: true'), wiki(bound(P, staff))],
    after: [groups, policy('result: false'), wiki(bound(other))],
    waits: ['policy.P before application.wiki', 'application.wiki after policy.P'],
  },
  {
    name: 'a policy that decides as before keeps nothing waiting',
    before: [policy('result: true, execution_logging: false')],
    after: [policy('result: true, execution_logging: true'), wiki(bound(P))],
    waits: [],
  },
  {
    name: 'an application gets its first bindings after the flag has closed',
    before: [groups, wiki('policies: []'), flag(true)],
    after: [groups, wiki(bound(staff)), flag(false)],
    waits: ['application.wiki after settings.service'],
  },
  {
    name: 'the last binding goes after the flag has closed',
    before: [groups, wiki(bound(staff)), flag(true)],
    after: [groups, wiki('policies: []'), flag(false)],
    waits: ['application.wiki after settings.service'],
  },
  {
    name: 'a flag that opens waits for the first bindings',
    before: [groups, wiki('policies: []'), flag(false)],
    after: [groups, wiki(bound(staff)), flag(true)],
    waits: ['settings.service after application.wiki'],
  },
  {
    name: 'a flag that opens does not wait for a new application, which nobody could open before',
    before: [groups, flag(false)],
    after: [groups, wiki('policies: []'), flag(true)],
    waits: [],
  },
  {
    name: 'an application that keeps its bindings and the flag do not wait for each other',
    before: [groups, wiki(`${bound(staff)}, policy_engine_mode: any`), flag(false)],
    after: [groups, wiki(`${bound(staff)}, policy_engine_mode: all`), flag(true)],
    waits: [],
  },
  {
    name: 'a new user waits until the application has removed the group',
    before: [groups, wiki('access: { groups: [{ name: staff }, { name: other }] }')],
    after: [groups, wiki('access: { groups: [{ name: other }] }'), user('{ name: staff }')],
    waits: ['user.u after application.wiki'],
  },
  {
    name: 'a user who joins a kept group does not wait',
    before: [groups, wiki('access: { groups: [{ name: staff }, { name: other }] }')],
    after: [groups, wiki('access: { groups: [{ name: other }] }'), user('{ name: other }')],
    waits: [],
  },
  {
    name: 'a group is bound after a user has left it',
    before: [groups, wiki('access: { groups: [{ name: other }] }'), user('{ name: staff }')],
    after: [groups, wiki('access: { groups: [{ name: other }, { name: staff }] }'), user('')],
    waits: ['application.wiki after user.u'],
  },
  {
    name: 'a group is not bound after a user has left another one',
    before: [groups, wiki('access: { groups: [{ name: other }] }'), user('{ name: other }, { name: staff }')],
    after: [groups, wiki('access: { groups: [{ name: other }, { name: staff }] }'), user('{ name: staff }')],
    waits: [],
  },
  {
    name: 'an application gets its provider after the provider has bindings',
    before: [rac('[]'), groups],
    after: [rac(`[{ ${staff}, order: 0 }]`), groups, wiki('provider: { name: R }, access: everyone')],
    waits: ['application.wiki after rac_endpoint.R/db'],
  },
  {
    name: 'an application of a plan that only creates gets its provider after the provider has bindings',
    before: [groups],
    after: [rac(`[{ ${staff}, order: 0 }]`), groups, wiki('provider: { name: R }, access: everyone')],
    waits: ['application.wiki after rac_endpoint.R/db'],
  },
  {
    name: 'an outpost serves a provider after its application is restricted',
    before: [groups, proxy, wiki('provider: { name: Px }, access: everyone')],
    after: [groups, proxy, wiki('provider: { name: Px }, access: { groups: [{ name: staff }] }'), outpost],
    waits: ['outpost.O after application.wiki'],
  },
  {
    name: 'a user waits until the group is no group of superusers',
    before: [`groups: [${admins}]`],
    after: ['groups: [{ name: admins, is_superuser: false }]', user('{ name: admins }')],
    waits: ['user.u after group.admins'],
  },
  {
    name: 'a flow whose policy becomes stricter is used by a new provider afterwards',
    before: [policy('result: true'), ownFlow],
    after: [policy('result: false'), ownFlow, proxyOn('f')],
    waits: ['provider.Px after policy.P'],
  },
  {
    name: 'an application that loses its provider and gets a group waits, though its policy should wait too',
    before: [groups, proxy, policy('result: true'), wiki(`${bound(P)}, provider: { name: Px }`)],
    after: [groups, proxy, policy('result: false'), wiki(`${bound(P, staff)}, provider: null`)],
    waits: ['policy.P before application.wiki', 'application.wiki after policy.P'],
  },
  {
    name: 'an application that adds a policy and admits fewer people waits for the policy',
    before: [groups, policy('result: true'), wiki(`${bound(staff)}, policy_engine_mode: any`)],
    after: [groups, policy('result: false'), wiki(`${bound(P, staff)}, policy_engine_mode: all`)],
    waits: ['application.wiki after policy.P'],
  },
  {
    name: 'another setting does not wait for the first bindings',
    before: [groups, wiki('policies: []'), 'settings: [{ event_retention: days=30 }]'],
    after: [groups, wiki(bound(staff)), 'settings: [{ event_retention: days=60 }]'],
    waits: [],
  },
])('$name', async ({ before, after, waits }) => {
  const { changes } = await planBetween(before.join('\n'), after.join('\n'));
  const found = changes.flatMap(({ resource: { address }, waitsFor = [], remarks = [] }) => [
    ...waitsFor.map((holder) => `${address} after ${holder}`),
    ...remarks.flatMap(
      (text) => / before .*(?=, so more people)/.exec(text)?.map((words) => address + words) ?? [],
    ),
  ]);
  expect(found).toEqual(waits);
});
