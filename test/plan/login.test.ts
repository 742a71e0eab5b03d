import { expect, test } from 'vitest';
import type { Risk } from '../../src/kinds/capability.ts';
import { checkLoginChanges } from '../../src/plan/login.ts';
import { changedLoginRecords, isKeptLoginFlow } from '../../src/plan/login-state.ts';
import { planBetween } from '../support/plan-between.ts';

const who = '{ stage: { name: who }, order: 0 }';
const pw = '{ stage: { name: pw }, order: 10 }';
const pwIf = (policy: string): string =>
  `{ stage: { name: pw }, order: 10, policies: [{ policy: { name: ${policy} }, order: 0 }] }`;
const code = '{ stage: { name: code }, order: 20 }';
const enter = '{ stage: { name: enter }, order: 30 }';
const flow = (slug: string, stages: readonly string[], more = ''): string =>
  `{ slug: ${slug}, name: F, title: F, designation: authentication, stages: [${stages.join(', ')}]${more} }`;
const flows = (...each: string[]): string => `flows: [${each.join(', ')}]\n`;
const brand = (domain: string, flowSlug: string, isDefault = false): string =>
  `{ domain: ${domain}, default: ${isDefault}, flow_authentication: { slug: ${flowSlug} } }`;
const brands = (...each: string[]): string => `brands: [${each.join(', ')}]\n`;
const policy = (result: boolean, name = 'P'): string => `{ type: dummy, name: ${name}, result: ${result} }`;
const asking = '{ type: expression, name: A, expression: return request.user.is_active }';
const policies = (...each: string[]): string => `policies: [${each.join(', ')}]\n`;
const stages = (...more: string[]): string =>
  `stages: [${[
    '{ type: identification, name: who, user_fields: [username] }',
    '{ type: password, name: pw, backends: [authentik.core.auth.InbuiltBackend] }',
    '{ type: authenticator_validate, name: code, not_configured_action: deny, device_classes: [totp] }',
    "{ type: user_login, name: enter, session_duration: 'seconds=0' }",
    '{ type: password, name: pw2, backends: [authentik.core.auth.InbuiltBackend] }',
    ...more,
  ].join(', ')}]\n`;
const usual = flow('door', [who, pw, code, enter]);
const guarded = (stage: string, order: number, ...names: readonly string[]): string =>
  `{ stage: { name: ${stage} }, order: ${order}, policy_engine_mode: all, policies: [${names.map((name, index) => `{ policy: { name: ${name} }, order: ${index} }`).join(', ')}] }`;
const shut = flow('a', [who, pw, enter], ', policies: [{ policy: { name: Q }, order: 0 }]');
const ofDoor = brands(brand('example.com', 'door', true));
const swapped = policies(policy(false), policy(true, 'Q'));
const all = stages() + policies(policy(true), policy(false, 'Q'), asking);
const configuring = (offered: string): string =>
  ofDoor + all.replace('action: deny', `action: configure, configuration_stages: [${offered}]`);

/** The password is asked for if P passes and Q does not, and the other password is asked for in the opposite case. */
const opposite =
  all +
  ofDoor +
  flows(
    flow('door', [
      who,
      guarded('pw', 10, 'P', 'Q').replace('order: 1 }', 'order: 1, negate: true }'),
      guarded('pw2', 11, 'P', 'Q').replace('order: 0 }', 'order: 0, negate: true }'),
      enter,
    ]),
  );

const inbuilt = 'authentik.core.auth.InbuiltBackend';
const directory = 'authentik.sources.ldap.auth.LDAPBackend';
const ldap = (isEnabled: boolean): string =>
  `sources: [{ type: ldap, name: L, slug: ldap, server_uri: 'ldaps://ldap.example.com', base_dn: 'dc=example', enabled: ${isEnabled} }]\n`;
const noLdap = 'sources: [{ type: ldap, slug: ldap, state: absent }]\n';
const withDirectory = all.replace(inbuilt, directory) + ofDoor;
const noSource =
  'this locks people out: nobody passes the stage "pw", because no source of its `backends` is enabled';
const markedSource = ['source.ldap affects how people log in', 'flow door to door'];

test.each<{
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly accepts?: readonly Risk[];
  readonly unread?: readonly string[];
  readonly hasNeededSources?: boolean;
  readonly found: readonly string[];
}>([
  {
    name: 'a flow without its password and code stages lets anybody in',
    before: all + ofDoor + flows(usual),
    after: all + ofDoor + flows(flow('door', [who, enter])),
    found: [
      'refused: flow.door anyone who enters a user name can log in: no stage before the login proves the identity',
      'refused: flow.door this locks people out: people no longer reach a stage of the type password',
      'flow.door affects how people log in',
      'flow door to door',
    ],
  },
  {
    name: 'a flow that lets anybody in may be accepted',
    before: all + ofDoor + flows(usual),
    after: all + ofDoor + flows(flow('door', [who, enter])),
    accepts: ['open-login', 'lockout'],
    found: [
      'flow.door affects how people log in',
      'flow.door locks people out: people no longer reach a stage of the type password',
      'flow.door opens to anyone with a user name',
      'flow door to door',
    ],
  },
  {
    name: 'a new flow that lets anybody in is refused',
    before: all + ofDoor + flows(usual),
    after: all + ofDoor + flows(usual, flow('other', [who, enter])),
    found: [
      'refused: flow.other anyone who enters a user name can log in: no stage before the login proves the identity',
    ],
  },
  {
    name: 'a flow that was open before is refused only if it changes itself',
    before: all + ofDoor + flows(flow('door', [who, enter], ', layout: stacked')),
    after: all + ofDoor + flows(flow('door', [who, enter], ', layout: sidebar_left')),
    found: [
      'refused: flow.door anyone who enters a user name can log in: no stage before the login proves the identity',
      'flow.door affects how people log in',
      'flow door to door',
    ],
  },
  {
    name: 'a changed stage of a flow that was open before is no error',
    before: stages() + ofDoor + flows(flow('door', [who, enter])),
    after: stages().replace('seconds=0', 'days=1') + ofDoor + flows(flow('door', [who, enter])),
    found: [
      'flow.door anyone who enters a user name can log in: no stage before the login proves the identity',
      'stage.enter affects how people log in',
      'flow door to door',
    ],
  },
  {
    name: 'a flow that undeclared policies have opened has a note, also without a change',
    before:
      all.replace('name: P, result: true', 'name: P, result: false') +
      flows(flow('door', [who, pwIf('P'), enter])),
    after: flows(`{ slug: door, stages: [${[who, pw, enter].join(', ')}] }`),
    found: ['flow.door anyone who enters a user name can log in: the stage "pw" is skipped because of "P"'],
  },
  {
    name: 'the note about an open flow is left out if the open login is accepted',
    before: stages() + flows(flow('door', [who, enter])),
    after: flows('{ slug: door, layout: stacked }'),
    accepts: ['open-login'],
    found: [],
  },
  {
    name: 'a stage for a second factor that stops people without a device has a note',
    before: all + ofDoor + flows(flow('door', [who, pw, enter])),
    after: all + ofDoor + flows(usual),
    found: [
      'flow.door affects how people log in',
      'flow.door people without a device can no longer pass the flow, because of its stage "code"',
      'flow door to door',
    ],
  },
  {
    name: 'a stage that offers nothing to set up stops people without a device too',
    before: configuring('') + flows(flow('door', [who, pw, enter])),
    after: configuring('') + flows(usual),
    found: [
      'flow.door affects how people log in',
      'flow.door people without a device can no longer pass the flow, because of its stage "code"',
      'flow door to door',
    ],
  },
  {
    name: 'a stage that lets people set up a device has no such note',
    before: configuring('{ name: pw2 }') + flows(flow('door', [who, pw, enter])),
    after: configuring('{ name: pw2 }') + flows(usual),
    found: ['flow.door affects how people log in', 'flow door to door'],
  },
  {
    name: 'a stage that no one is shown stops nobody',
    before: all + ofDoor + flows(flow('door', [who, pw, enter])),
    after: all + ofDoor + flows(flow('door', [who, pw, guarded('code', 20, 'Q'), enter])),
    found: [
      'flow.door affects how people log in',
      'flow.door the stage "code" (00000000-0000-4000-8000-000000000005) is used without its `policies` until they are bound',
      'flow door to door',
    ],
  },
  {
    name: 'a policy that may skip the password is remarked on',
    before: all + ofDoor + flows(flow('door', [who, pw, enter])),
    after: all + ofDoor + flows(flow('door', [who, pwIf('A'), enter])),
    found: [
      'flow.door affects how people log in',
      'flow.door "A" decides whether the flow "door" requires a proof of identity',
      'flow door to door',
    ],
  },
  {
    name: 'a policy that could skip the password before is not remarked on',
    before: all + ofDoor + flows(flow('door', [who, pwIf('A'), enter], ', layout: stacked')),
    after: all + ofDoor + flows(flow('door', [who, pwIf('A'), enter], ', layout: sidebar_left')),
    found: ['flow.door affects how people log in', 'flow door to door'],
  },
  {
    name: 'a policy that rejects everybody skips the password',
    before: all + ofDoor + flows(flow('door', [who, pwIf('P'), enter])),
    after:
      all.replace('name: P, result: true', 'name: P, result: false') +
      ofDoor +
      flows(flow('door', [who, pwIf('P'), enter])),
    found: [
      'refused: policy.P in the flow "door", anyone who enters a user name can log in: the stage "pw" is skipped because of "P"',
      'refused: policy.P in the flow "door", this locks people out: people no longer reach a stage of the type password',
      'policy.P affects how people log in',
      'policy.P opens to people whom this policy stopped in a negated binding or at a deny stage',
      'flow door to door',
    ],
  },
  {
    name: 'a flow that ends before the login locks people out',
    before: all + ofDoor + flows(usual),
    after: all + ofDoor + flows(flow('door', [who, pw, code])),
    found: [
      'refused: flow.door this locks people out: no stage logs anybody in',
      'flow.door affects how people log in',
      'flow door to door',
    ],
  },
  {
    name: 'a lockout may be accepted',
    before: all + ofDoor + flows(usual),
    after: all + ofDoor + flows(flow('door', [who, pw, code])),
    accepts: ['lockout'],
    found: [
      'flow.door affects how people log in',
      'flow.door locks people out: no stage logs anybody in',
      'flow door to door',
    ],
  },
  {
    name: 'a flow that locked people out before is no error',
    before: all + ofDoor + flows(flow('door', [who, pw], ', layout: stacked')),
    after: all + ofDoor + flows(flow('door', [who, pw], ', layout: sidebar_left')),
    found: ['flow.door affects how people log in', 'flow door to door'],
  },
  {
    name: 'a brand that changes to a flow with fewer proofs locks people out',
    before: all + ofDoor + flows(usual, flow('short', [who, code, enter])),
    after:
      all + brands(brand('example.com', 'short', true)) + flows(usual, flow('short', [who, code, enter])),
    found: [
      'refused: brand.example.com in the flow "short", this locks people out: people no longer reach a stage of the type password',
      'brand.example.com affects how people log in',
      'flow door to short',
    ],
  },
  {
    name: 'a new brand may ask for fewer proofs than the default brand',
    before: all + ofDoor + flows(usual, flow('short', [who, code, enter])),
    after:
      all +
      brands(brand('example.com', 'door', true), brand('new.org', 'short')) +
      flows(usual, flow('short', [who, code, enter])),
    found: ['brand.new.org affects how people log in', 'flow door to short'],
  },
  {
    name: 'a new default brand is affects how people log in for all other domains, and its flow is reported there',
    before:
      all +
      brands(brand('a.com', 'door', true), brand('b.com', 'short')) +
      flows(usual, flow('short', [who, code, enter])),
    after:
      all +
      brands(brand('a.com', 'door', false), brand('b.com', 'short', true)) +
      flows(usual, flow('short', [who, code, enter])),
    found: [
      'refused: brand.a.com in the flow "short", this locks people out: people no longer reach a stage of the type password',
      'brand.a.com affects how people log in',
      'brand.b.com affects how people log in',
      'brand.b.com after brand.a.com',
      'flow door to short',
    ],
  },
  {
    name: 'a second default brand is refused',
    before: all + ofDoor + flows(usual),
    after: all + brands(brand('new.org', 'door', true)) + flows(usual),
    found: ['refused: brand.new.org `example.com` is already the default brand'],
  },
  {
    name: 'a deleted stage leaves the flow, and the flow of the brand then lets anybody in',
    before: all + ofDoor + flows(flow('door', [who, pw, enter])),
    after: 'stages: [{ name: pw, type: password, state: absent }]\n',
    found: [
      'refused: stage.pw in the flow "door", anyone who enters a user name can log in: no stage before the login proves the identity',
      'refused: stage.pw in the flow "door", this locks people out: people no longer reach a stage of the type password',
      'stage.pw affects how people log in',
      'flow door to door',
    ],
  },
  {
    name: 'a deleted flow leaves the brand to the first flow by slug through which everybody passes',
    before: all + ofDoor + flows(usual, flow('z', [who, pw, enter]), flow('b', [who, pw, code, enter]), shut),
    after: 'flows: [{ slug: door, state: absent }]\n',
    found: ['flow.door affects how people log in', 'flow door to b'],
  },
  {
    name: 'a flow for other purposes and its stages are not affects how people log in',
    before: all + ofDoor + flows(usual, '{ slug: x, name: X, title: X, designation: authorization }'),
    after: flows('{ slug: x, name: X, title: Y, designation: authorization }'),
    found: [],
  },
  {
    name: 'without the login records, every login flow may be affects how people log in',
    before: all + flows(usual, '{ slug: x, name: X, title: X, designation: authorization }'),
    after:
      stages().replace('seconds=0', 'days=1') +
      flows(
        '{ slug: door, title: Y, designation: authentication }',
        '{ slug: x, name: X, title: Y, designation: authorization }',
      ),
    unread: ['brands'],
    found: [
      'flow.door affects how people log in',
      'stage.enter affects how people log in',
      'stage.enter after flow.door',
      'flow door to door',
    ],
  },
  {
    name: 'a change of the default brand is not reported for other brands',
    before:
      all +
      brands(brand('a.com', 'door', true), brand('b.com', 'door'), brand('x.com', 'door')) +
      flows(usual, flow('short', [who, code, enter])),
    after: brands(brand('a.com', 'door'), brand('b.com', 'door', true), brand('x.com', 'short')),
    found: [
      'refused: brand.x.com in the flow "short", this locks people out: people no longer reach a stage of the type password',
      'brand.a.com affects how people log in',
      'brand.b.com affects how people log in',
      'brand.x.com affects how people log in',
      'brand.b.com after brand.a.com',
      'flow door to short',
    ],
  },
  {
    name: 'a deleted brand leaves its domain to the brand with the longest end of it',
    before:
      all +
      brands(brand('com', 'door', true), brand('Example.com', 'short'), brand('login.example.com', 'door')) +
      flows(usual, flow('short', [who, code, enter])),
    after: 'brands: [{ domain: login.example.com, state: absent }]\n',
    found: [
      'refused: brand.login.example.com in the flow "short", this locks people out: people no longer reach a stage of the type password',
      'brand.login.example.com affects how people log in',
      'flow door to short',
    ],
  },
  {
    name: 'a deleted policy no longer guards a stage',
    before: all + ofDoor + flows(flow('door', [who, pwIf('Q'), enter])),
    after: 'policies: [{ name: Q, type: dummy, state: absent }]\n',
    found: ['policy.Q affects how people log in', 'flow door to door'],
  },
  {
    name: 'of two policies that guard two passwords, the one that would skip a password changes last',
    before: all + ofDoor + flows(flow('door', [who, pwIf('P'), guarded('pw2', 11, 'Q'), enter])),
    after: swapped,
    found: [
      'policy.Q affects how people log in',
      'policy.P affects how people log in',
      'policy.Q opens to people whom this policy rejected',
      'policy.P opens to people whom this policy stopped in a negated binding or at a deny stage',
      'policy.P after policy.Q',
      'flow door to door',
    ],
  },
  {
    name: 'of two policies that guard two passwords together with others, the one that would skip a password changes last',
    before:
      all +
      ofDoor +
      flows(flow('door', [who, guarded('pw', 10, 'A', 'P'), guarded('pw2', 11, 'A', 'Q'), enter])),
    after: swapped,
    found: [
      'policy.Q affects how people log in',
      'policy.P affects how people log in',
      'policy.Q opens to people whom this policy rejected',
      'policy.P opens to people whom this policy stopped in a negated binding or at a deny stage',
      'policy.P after policy.Q',
      'flow door to door',
    ],
  },
  {
    name: 'of two policies of which people must pass one, the one that rejects everybody changes last',
    before:
      all +
      ofDoor +
      flows(
        flow(
          'door',
          [who, pw, enter],
          ', policies: [{ policy: { name: P }, order: 0 }, { policy: { name: Q }, order: 1 }]',
        ),
      ),
    after: swapped,
    found: [
      'policy.Q affects how people log in',
      'policy.P affects how people log in',
      'policy.Q opens to people whom this policy rejected',
      'policy.P opens to people whom this policy stopped in a negated binding or at a deny stage',
      'policy.P after policy.Q',
      'flow door to door',
    ],
  },
  {
    name: 'policies that open the flow in any order are refused',
    before: opposite,
    after: policies(policy(false), policy(true, 'Q')),
    found: [
      'refused: policy.P in any order of these changes, there is a moment at which the flow requires no proof of identity',
      'policy.P affects how people log in',
      'policy.Q affects how people log in',
      'policy.P opens to people whom this policy stopped in a negated binding or at a deny stage',
      'policy.Q opens to people whom this policy rejected',
      'policy.Q after policy.P',
      'flow door to door',
    ],
  },
  {
    name: 'policies that open the flow in any order may be accepted',
    before: opposite,
    after: policies(policy(false), policy(true, 'Q')),
    accepts: ['open-login'],
    found: [
      'policy.P affects how people log in',
      'policy.Q affects how people log in',
      'policy.P opens to people whom this policy stopped in a negated binding or at a deny stage',
      'policy.Q opens to people whom this policy rejected',
      'policy.Q after policy.P',
      'flow door to door',
    ],
  },
  {
    name: 'a group that is bound to a stage may change at any time',
    before:
      all +
      ofDoor +
      'groups: [{ name: staff, attributes: { a: 1 } }]\n' +
      flows(
        flow('door', [
          who,
          `${pw.slice(0, -2)}, policies: [{ group: { name: staff }, order: 0 }] }`,
          code,
          enter,
        ]),
      ),
    after: `groups: [{ name: staff, attributes: { a: 2 } }]\n${stages().replace('seconds=0', 'days=1')}`,
    found: [
      'group.staff affects how people log in',
      'stage.enter affects how people log in',
      'flow door to door',
    ],
  },
  {
    name: 'a new brand for a new flow has the way in',
    before: all + ofDoor + flows(usual),
    after: brands(brand('example.com', 'next', true)) + flows(flow('next', [who, pw, code, enter])),
    found: ['brand.example.com affects how people log in', 'flow door to next'],
  },
  {
    name: 'a new flow that comes first by slug is affects how people log in of a brand without a flow',
    before: all + 'brands: [{ domain: example.com, default: true }]\n' + flows(usual),
    after: flows(flow('a', [who, pw, code, enter])),
    found: ['flow.a affects how people log in', 'flow door to a'],
  },
  {
    name: 'without the login records, a policy of a login flow may be affects how people log in',
    before: all + flows(flow('door', [who, pwIf('P'), code, enter])),
    after: policies(policy(false)),
    unread: ['brands'],
    found: [
      'refused: policy.P in the flow "door", this locks people out: people no longer reach a stage of the type password',
      'policy.P affects how people log in',
      'policy.P opens to people whom this policy stopped in a negated binding or at a deny stage',
      'flow door to door',
    ],
  },
  {
    name: 'a flow that rejected everybody who is not logged in is no error',
    before: `${all + ofDoor}groups: [{ name: staff }]\n${flows(flow('door', [who, pw, enter], ', layout: stacked, policies: [{ group: { name: staff }, order: 0 }]'))}`,
    after: flows('{ slug: door, layout: sidebar_left }'),
    found: ['flow.door affects how people log in', 'flow door to door'],
  },
  {
    name: 'a brand that gets a flow with fewer proofs together with a new brand locks people out',
    before: all + ofDoor + flows(usual, flow('short', [who, code, enter])),
    after: brands(brand('example.com', 'short', true), brand('new.org', 'short')),
    found: [
      'refused: brand.example.com in the flow "short", this locks people out: people no longer reach a stage of the type password',
      'brand.example.com affects how people log in',
      'brand.new.org affects how people log in',
      'flow door to short',
    ],
  },
  {
    name: 'a password stage whose only source is deleted locks people out',
    before: withDirectory + ldap(true) + flows(usual),
    after: noLdap,
    found: [`refused: source.ldap in the flow "door", ${noSource}`, ...markedSource],
  },
  {
    name: 'a password stage whose only source is disabled locks people out, even if a policy may skip the stage',
    before: withDirectory + ldap(true) + flows(flow('door', [who, pwIf('A'), enter])),
    after: ldap(false),
    found: [
      `refused: source.ldap in the flow "door", ${noSource}`,
      'source.ldap affects how people log in',
      'source.ldap people can no longer log in through this source',
      'flow door to door',
    ],
  },
  {
    name: 'a password stage with the backend of a source that the service does not have locks people out',
    before: all + ofDoor + flows(usual),
    after: stages().replace(inbuilt, directory),
    found: [
      `refused: stage.pw in the flow "door", ${noSource}`,
      'stage.pw affects how people log in',
      'flow door to door',
    ],
  },
  {
    name: 'a password stage with the backend of a declared source locks nobody out',
    before: all + ofDoor + flows(usual),
    after: stages().replace(inbuilt, directory) + ldap(true),
    found: ['stage.pw affects how people log in', 'stage.pw after source.ldap', 'flow door to door'],
  },
  {
    name: 'without a source, a password stage with another backend locks nobody out',
    before: all.replace(inbuilt, `${directory}, ${inbuilt}`) + ofDoor + ldap(true) + flows(usual),
    after: noLdap,
    found: [],
  },
  {
    name: 'without a source, a password stage that is skipped for some people locks nobody out if they prove their identity',
    before: withDirectory + ldap(true) + flows(flow('door', [who, pwIf('A'), code, enter])),
    after: noLdap,
    found: markedSource,
  },
  {
    name: 'without a source, a password stage does not lock out people with a passkey',
    before:
      withDirectory.replace('[username]', '[username], webauthn_stage: { name: code }') +
      ldap(true) +
      flows(usual),
    after: noLdap,
    found: markedSource,
  },
  {
    name: 'without a source, a password stage does not lock out people who log in through another source',
    before:
      withDirectory.replace('[username]', '[username], sources: [{ slug: saml }]') +
      ldap(true) +
      flows(usual),
    after: noLdap,
    found: markedSource,
  },
  {
    name: 'a source is disabled only after the password stage accepts other users',
    before: withDirectory + ldap(true) + flows(usual),
    after: stages() + ldap(false),
    found: [
      'stage.pw affects how people log in',
      'source.ldap affects how people log in',
      'source.ldap people can no longer log in through this source',
      'source.ldap after stage.pw',
      'flow door to door',
    ],
  },
  {
    name: 'a flow with fewer stages that may be skipped may let in more people',
    before: all + ofDoor + flows(flow('door', [who, pwIf('A'), guarded('code', 20, 'A'), enter])),
    after: flows(flow('door', [who, pwIf('A'), enter])),
    accepts: ['lockout'],
    found: [
      'flow.door affects how people log in',
      'flow.door "A" decides whether the flow "door" requires a proof of identity',
      'flow door to door',
    ],
  },
  {
    name: 'a flow that only members of a group may use locks out people who are not logged in',
    before: `${all}${ofDoor}groups: [{ name: staff }]\n${flows(usual)}`,
    after: `groups: [{ name: staff }]\n${flows(flow('door', [who, pw, code, enter], ', policies: [{ group: { name: staff }, order: 0 }]'))}`,
    found: [
      'refused: flow.door this locks people out: the groups, users and policies that are bound to the flow reject everybody who is not logged in',
      'flow.door affects how people log in',
      'flow door to door',
    ],
  },
  {
    name: 'without a view of all sources, it is unknown whether a password stage locks people out',
    before: withDirectory + ldap(true) + flows(usual),
    after: noLdap,
    hasNeededSources: false,
    found: markedSource,
  },
  {
    name: 'a brand cannot change to a new flow without stages',
    before: all + ofDoor + flows(usual),
    after:
      brands(brand('example.com', 'new', true)) + flows(usual, flow('new', []).replace(', stages: []', '')),
    found: [
      'refused: flow.new this locks people out: no stage asks who the user is; no stage logs anybody in; people no longer reach a stage of the type identification or password',
      'brand.example.com affects how people log in',
      'flow door to new',
    ],
  },
  {
    name: 'a brand with a new domain leaves its former domain to the default brand',
    before:
      all +
      brands(brand('a.test', 'other'), brand('example', 'other'), brand('b.test', 'door', true)) +
      flows(usual, flow('other', [who, pw, enter])),
    after:
      brands(
        `{ domain: c.example, formerly: a.test, flow_authentication: { slug: other } }`,
        brand('b.test', 'door', true),
      ) + flows(usual, flow('other', [who, pw, enter])),
    found: [
      'brand.c.example affects how people log in',
      'brand.c.example people without a device can no longer pass the flow, because of its stage "code"',
      'flow other to door',
    ],
  },
  {
    name: 'a flow that a brand gets is reported if it changes too',
    before: all + ofDoor + flows(usual, flow('other', [who, pw, code, enter])),
    after: all + brands(brand('example.com', 'other', true)) + flows(usual, flow('other', [who, pw, code])),
    found: [
      'refused: flow.other this locks people out: no stage logs anybody in',
      'flow.other affects how people log in',
      'brand.example.com affects how people log in',
      'flow door to other',
    ],
  },
])('$name', async ({ before, after, accepts = [], unread = [], hasNeededSources = true, found }) => {
  const plan = await planBetween(before, after);
  // Users and groups are not read.
  const records = plan.records.filter(({ kind }) => kind.rights === undefined);
  const observed = { records, unread, hasNeededSources };
  const { changes, refused, loginFlows } = checkLoginChanges(plan.changes, observed, accepts);
  const reported = [
    ...refused.map(({ address, summary }) => `refused: ${address} ${summary}`),
    ...changes.flatMap(({ resource: { address }, remarks = [] }) =>
      remarks.map((text) => `${address} ${text}`),
    ),
    ...changes.flatMap(({ resource: { address }, opens = [] }) =>
      opens.map((text) => `${address} opens to ${text}`),
    ),
    ...changes.flatMap(({ resource: { address }, waitsFor = [] }) =>
      waitsFor.map((one) => `${address} after ${one}`),
    ),
    ...(loginFlows?.flows ?? []).map(({ before: was, after: is }) => `flow ${was} to ${is}`),
  ];
  expect(reported).toEqual(found);
});

test('login records are read for changes to existing parts of logins, and for new brands and new flows for logins', async () => {
  const source = (more: string): string =>
    `sources: [{ type: saml, name: S, slug: s, pre_authentication_flow: { slug: x }, sso_url: 'https://a.example/sso'${more} }]\n`;
  const other = '{ slug: x, name: X, title: X, designation: authorization }';
  const groups = (is: boolean): string => `groups: [{ name: staff, is_superuser: ${is} }]\n`;
  const changed = await planBetween(
    `${policies(policy(true))}${source(', enabled: true')}${flows(other)}${groups(false)}`,
    `${policies(policy(false))}${source(', enabled: false')}${flows(other.replace('title: X', 'title: Y'))}${groups(true)}`,
  );
  const created = await planBetween(groups(false), all + ofDoor + source('') + flows(usual, other));
  expect(
    [changed, created].map(({ changes }) => changedLoginRecords(changes).map(({ name }) => name)),
  ).toEqual([
    ['P', 'x', 's'],
    ['door', 'example.com'],
  ]);
});

test.each([
  ['a flow for logins that does not change is a kept one', flows(usual), ['door']],
  ['a flow whose designation is not declared may be for logins', flows('{ slug: door, title: F }'), ['door']],
  ['a flow that changes is not kept', flows('{ slug: door, title: Other }'), []],
  [
    'a flow that is declared as another than one for logins is not kept',
    flows('{ slug: x, title: X, designation: authorization }'),
    [],
  ],
  ['a flow that is already deleted is not kept', flows('{ slug: gone, state: absent }'), []],
])('%s', async (_, after, kept) => {
  const other = '{ slug: x, name: X, title: X, designation: authorization }';
  const { changes } = await planBetween(all + flows(usual, other), after);
  expect(changes.filter(isKeptLoginFlow).map(({ resource: { name } }) => name)).toEqual(kept);
});

test('the way back from a change has the bindings that the entry does not declare', async () => {
  const { changes, records } = await planBetween(
    stages() + ofDoor + flows(usual),
    flows(flow('door', [pw.replace('10', '11')], ', at_least: [stages]')),
  );
  const [change] = checkLoginChanges(changes, { records, unread: [] }, []).changes;
  expect(change?.undo).toMatchObject({ stages: [{}, { order: 10 }, {}, {}] });
});

test('the way back from a change has all bindings, without secrets and hidden fields', async () => {
  const secret = '00000000-0000-4000-8000-000000000002'; // also the id of the stage that asks for a code
  const undoOf = async (options: Parameters<typeof planBetween>[3]): Promise<unknown> => {
    const { changes, records } = await planBetween(
      stages() + ofDoor + flows(usual),
      flows(`{ slug: door, title: '\${env:S}', stages: [${[who, pw, enter].join(', ')}] }`),
      {},
      options,
    );
    const [change] = checkLoginChanges(changes, { records, unread: [] }, []).changes;
    return change?.undo;
  };
  expect(await undoOf({ env: { S: secret } })).toMatchObject({
    title: '(sensitive)',
    stages: [{}, {}, { stage: '(sensitive)', order: 20 }, {}],
  });
  expect(await undoOf({ env: { S: 'other' }, hide: ['flow.stages'] })).toEqual({
    title: '(sensitive)',
    stages: '(hidden)',
  });
});
