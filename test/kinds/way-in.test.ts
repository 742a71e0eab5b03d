import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { isNameReference } from '../../src/kinds/values.ts';
import {
  kindsWithChallenge,
  loginObstacles,
  nameOnlyLogin,
  openLogin,
  obstaclesToUnknown,
  obstaclesWithoutSources,
} from '../../src/kinds/login-problems.ts';
import { loginFlow, type LoginFlow, type LoginRecord } from '../../src/kinds/way-in.ts';

function kindAt(path: string): Kind {
  const kind = kinds.find((each) => each.path === `/api/v3${path}`);
  if (kind === undefined) throw new Error(`no kind has the path ${path}`);
  return kind;
}

const flow = kindAt('/flows/instances/');
const stage = (path: string, fields: JsonObject = {}) => ({ kind: kindAt(`/stages/${path}/`), fields });
const records: Readonly<Record<string, Pick<LoginRecord, 'kind' | 'fields'>>> = {
  who: stage('identification', { user_fields: ['username'] }),
  whole: stage('identification', { user_fields: ['username'], password_stage: { name: 'proof' } }),
  sources: stage('identification', { user_fields: [], sources: [{ name: 'any' }] }),
  ofDisabled: stage('identification', { user_fields: [], sources: [{ name: 'disabled' }] }),
  ofSome: stage('identification', { user_fields: [], sources: [{ name: 'disabled' }, { name: 'enabled' }] }),
  ofUsual: stage('identification', { user_fields: [], sources: [{ name: 'usual' }] }),
  ofPasskeys: stage('identification', { user_fields: [], sources: [], webauthn_stage: { name: 'device' } }),
  disabled: { kind: kindAt('/sources/saml/'), fields: { enabled: false } },
  enabled: { kind: kindAt('/sources/saml/'), fields: { enabled: true } },
  usual: { kind: kindAt('/sources/saml/'), fields: {} },
  invited: stage('invitation/stages', { continue_flow_without_invitation: false }),
  invitedIfAny: stage('invitation/stages', { continue_flow_without_invitation: true }),
  proof: stage('password'),
  noProof: stage('password', { backends: [] }),
  withNoProof: stage('identification', { user_fields: ['username'], password_stage: { name: 'noProof' } }),
  device: stage('authenticator/validate', { not_configured_action: 'deny' }),
  deviceIfAny: stage('authenticator/validate', { not_configured_action: 'skip' }),
  deviceOrNew: stage('authenticator/validate'),
  certificate: stage('mtls', { mode: 'required' }),
  certificateIfAny: stage('mtls', { mode: 'optional' }),
  mail: stage('email'),
  captcha: stage('captcha'),
  no: stage('deny'),
  out: stage('user_logout'),
  gone: stage('user_delete'),
  enter: stage('user_login'),
  write: stage('user_write'),
  never: { kind: kindAt('/policies/dummy/'), fields: { result: false } },
  always: { kind: kindAt('/policies/dummy/'), fields: { result: true } },
  returnFalse: { kind: kindAt('/policies/expression/'), fields: { expression: '# off\nreturn False\n' } },
  expiry: { kind: kindAt('/policies/password_expiry/'), fields: { days: 30 } },
  event: { kind: kindAt('/policies/event_matcher/'), fields: { action: 'login' } },
  country: { kind: kindAt('/policies/geoip/'), fields: { countries: ['SE'] } },
  expression: { kind: kindAt('/policies/expression/'), fields: { expression: 'return request.user.pk > 3' } },
};

type Bound =
  | string
  | ({
      readonly stage: string;
      readonly policies?: readonly JsonObject[];
      readonly mode?: string;
    } & JsonObject);

function policy(name: string, more: JsonObject = {}): JsonObject {
  return { policy: { name }, order: 0, ...more };
}

function flowOf(bound: readonly Bound[], fields: JsonObject = {}): LoginFlow {
  const stages = bound.map((one, order): JsonValue => {
    const {
      stage: name,
      policies = [],
      mode = 'any',
      ...more
    } = typeof one === 'string' ? { stage: one } : one;
    return { stage: { name }, order, policies, policy_engine_mode: mode, ...more };
  });
  const record = { kind: flow, name: 'door', fields: { designation: 'authentication', stages, ...fields } };
  const made = loginFlow(record, (_, reference) => {
    const name = isNameReference(reference) ? reference.name : '';
    const found = records[name];
    return found && { ...found, name };
  });
  if (made === undefined) throw new Error('its stages are not known');
  return made;
}

const insecure = { kind: 'insecure' };

describe('anybody who knows a name can log in through a flow', () => {
  test.each<[condition: string, bound: readonly Bound[]]>([
    ['with only identification and login', ['who', 'enter']],
    ['with the password after the login', ['who', 'enter', 'proof']],
    ['with only a captcha between', ['who', 'captcha', 'enter']],
    ['with a device that is skipped for users without one', ['who', 'deviceIfAny', 'enter']],
    ['with a device that users without one set up', ['who', 'deviceOrNew', 'enter']],
    ['with an optional certificate', ['who', 'certificateIfAny', 'enter']],
    [
      'with a password stage behind a false dummy policy',
      ['who', { stage: 'proof', policies: [policy('never')] }, 'enter'],
    ],
    [
      'with a password stage behind a false expression',
      ['who', { stage: 'proof', policies: [policy('returnFalse')] }, 'enter'],
    ],
    [
      'with a password stage behind a negated true policy',
      ['who', { stage: 'proof', policies: [policy('always', { negate: true })] }, 'enter'],
    ],
    [
      'with a password stage behind policies in mode all, one of them false',
      ['who', { stage: 'proof', policies: [policy('never'), policy('expression')], mode: 'all' }, 'enter'],
    ],
    [
      'with a stage that denies people of some countries',
      ['who', { stage: 'no', policies: [policy('country')] }, 'enter'],
    ],
    ['with a deny stage that is skipped', ['who', { stage: 'no', policies: [policy('never')] }, 'enter']],
  ])('%s', (_, bound) => {
    expect(nameOnlyLogin(flowOf(bound))).toMatchObject(insecure);
  });

  test('and of the stages that are never shown, only those that would prove the identity are named', () => {
    const skippedStages = ['proof', 'captcha', 'no'].map((name) => ({
      stage: name,
      policies: [policy('never')],
    }));
    const found = nameOnlyLogin(flowOf(['who', ...skippedStages, 'enter']));
    if (found?.kind !== 'insecure') throw new Error('the flow is secure');
    expect(openLogin(found.skipped).summary).toBe(
      'anyone who enters a user name can log in: the stage "proof" is skipped because of "never"',
    );
  });
});

describe('a name is not enough to log in through a flow', () => {
  test.each<[condition: string, bound: readonly Bound[], fields?: JsonObject]>([
    ['with a password', ['who', 'proof', 'enter']],
    ['with a password before the identification', ['proof', 'who', 'enter']],
    ['with a password within the identification', ['whole', 'enter']],
    ['with sources alone', ['sources', 'enter']],
    ['with a device that everybody needs', ['who', 'device', 'enter']],
    ['with a certificate', ['who', 'certificate', 'enter']],
    ['with an e-mail', ['who', 'mail', 'enter']],
    ['without a login stage', ['who']],
    ['with a login stage that is skipped', ['who', { stage: 'enter', policies: [policy('never')] }]],
    ['without a stage that asks for a name', [{ stage: 'who', policies: [policy('never')] }, 'enter']],
    ['with a deny stage', ['who', 'no', 'enter']],
    ['with a password after a stage that writes', ['who', 'write', 'proof', 'enter']],
    ['with a login before the identification', ['enter', 'who', 'enter']],
    [
      'with a password stage behind a disabled false policy',
      ['who', { stage: 'proof', policies: [policy('never', { enabled: false })] }, 'enter'],
    ],
    [
      'with a password stage behind policies in mode any, one of them true',
      ['who', { stage: 'proof', policies: [policy('always'), policy('expression')] }, 'enter'],
    ],
    ['with a policy that nobody passes on the flow', ['who', 'enter'], { policies: [policy('never')] }],
    ['that is not for logging in', ['who', 'enter'], { designation: 'stage_configuration' }],
  ])('%s', (_, bound, fields) => {
    expect(nameOnlyLogin(flowOf(bound, fields))).toBeUndefined();
  });
});

test('if the only stage that asks for a proof has a policy, the policy is reported and the flow counts as neither secure nor insecure', () => {
  const guarded = { stage: 'proof', policies: [policy('expression')] };
  expect(nameOnlyLogin(flowOf(['who', guarded, 'enter']))).toEqual({
    kind: 'perhaps',
    policies: ['expression'],
    proofs: 1,
  });
  expect(nameOnlyLogin(flowOf(['who', guarded, 'device', 'enter']))).toBeUndefined();
});

test('a stage of an unknown type makes it unknown whether its flow is insecure', () => {
  expect(nameOnlyLogin(flowOf(['who', 'unknown', 'enter']))).toEqual({
    kind: 'perhaps',
    policies: [],
    proofs: 0,
  });
});

test.each<[condition: string, bound: readonly Bound[], fields: JsonObject, obstacles: readonly string[]]>([
  ['all its stages', ['who', 'proof', 'enter'], {}, []],
  [
    'a requirement to be logged in',
    ['who', 'proof', 'enter'],
    { authentication: 'require_authenticated' },
    ['its `authentication` is require_authenticated: the flow admits only users who are logged in'],
  ],
  [
    'a requirement to be an outpost',
    ['who', 'proof', 'enter'],
    { authentication: 'require_outpost' },
    ['its `authentication` is require_outpost: the flow admits only outposts'],
  ],
  [
    'a false policy',
    ['who', 'proof', 'enter'],
    { policies: [policy('never')] },
    ['a policy that is bound to the flow rejects everybody'],
  ],
  ['a deny stage', ['no', 'who', 'proof', 'enter'], {}, ['the stage "no" denies everybody']],
  ['a deny stage after the login', ['who', 'proof', 'enter', 'no'], {}, []],
  ['a password stage without backends after the login', ['who', 'proof', 'enter', 'noProof'], {}, []],
  ['a logout after the login', ['who', 'proof', 'enter', 'out'], {}, ['the stage "out" logs everybody out']],
  ['a logout before the login', ['out', 'who', 'proof', 'enter'], {}, []],
  ['a logout between two logins', ['who', 'enter', 'out', 'enter'], {}, []],
  ['a logout before an unknown stage', ['who', 'enter', 'out', 'unknown'], {}, []],
  ['a deletion before the login', ['who', 'gone', 'enter'], {}, ['the stage "gone" deletes everybody']],
  ['a deletion after the login', ['who', 'enter', 'gone'], {}, ['the stage "gone" deletes everybody']],
  ['a deletion of some', [{ stage: 'gone', policies: [policy('country')] }, 'who', 'proof', 'enter'], {}, []],
  [
    'a deny stage that is skipped',
    [{ stage: 'no', policies: [policy('never')] }, 'who', 'proof', 'enter'],
    {},
    [],
  ],
  [
    'a deny stage whose policies are never evaluated',
    [{ stage: 'no', policies: [policy('never')], re_evaluate_policies: false }, 'who', 'proof', 'enter'],
    {},
    ['the stage "no" denies everybody'],
  ],
  [
    'a deny stage whose policies are evaluated only once',
    [
      { stage: 'no', policies: [policy('never')], re_evaluate_policies: false, evaluate_on_plan: true },
      'who',
      'proof',
      'enter',
    ],
    {},
    [],
  ],
  [
    'a deny stage for some people',
    ['who', 'proof', { stage: 'no', policies: [policy('country')] }, 'enter'],
    {},
    [],
  ],
  [
    'a stage for people with an invitation',
    ['invited', 'who', 'proof', 'enter'],
    {},
    [
      'nobody without an invitation passes the stage "invited", because its `continue_flow_without_invitation` is false',
    ],
  ],
  ['an invitation that people may lack', ['invitedIfAny', 'who', 'proof', 'enter'], {}, []],
  [
    'a stage for some people with an invitation',
    [{ stage: 'invited', policies: [policy('country')] }, 'who', 'proof', 'enter'],
    {},
    [],
  ],
  [
    'only a source that is disabled',
    ['ofDisabled', 'enter'],
    {},
    [
      'nobody passes the stage "ofDisabled", because its `user_fields` is empty and none of its sources is enabled',
    ],
  ],
  ['a source that is enabled', ['ofSome', 'enter'], {}, []],
  ['a new source that does not declare whether it is enabled', ['ofUsual', 'enter'], {}, []],
  ['a source that is unknown', ['sources', 'enter'], {}, []],
  ['only passkeys', ['ofPasskeys', 'enter'], {}, []],
  ['no stages', [], {}, ['no stage asks who the user is', 'no stage logs anybody in']],
  ['no login stage', ['who', 'proof'], {}, ['no stage logs anybody in']],
  [
    'a denial without a login stage',
    ['who', 'no'],
    {},
    ['the stage "no" denies everybody', 'no stage logs anybody in'],
  ],
  [
    'people who are not logged in',
    ['who', 'proof', 'enter'],
    { authentication: 'require_unauthenticated' },
    [],
  ],
  [
    'a policy for events',
    ['who', 'proof', 'enter'],
    { policies: [policy('event')] },
    ['a policy that is bound to the flow rejects everybody'],
  ],
  ...[
    ['who', 'noProof', 'enter'],
    ['withNoProof', 'enter'],
  ].map((bound): [string, Bound[], JsonObject, string[]] => [
    `a password stage without backends: ${bound.join(', ')}`,
    bound,
    {},
    ['nobody passes the stage "noProof", because its `backends` is empty'],
  ]),
])('if nobody can pass a login flow, the reason is reported: %s', (_, bound, fields, obstacles) => {
  expect(loginObstacles(flowOf(bound, fields))).toEqual(obstacles);
});

const staff: JsonObject = { group: { name: 'staff' }, order: 0 };
const root: JsonObject = { user: { name: 'root' }, order: 0 };
const notStaff: JsonObject = { ...staff, negate: true };
const usual = ['who', 'proof', 'enter'];
const ofUsers =
  'the groups, users and policies that are bound to the flow reject everybody who is not logged in';
const notAsked = (name: string): string => `no stage before the stage "${name}" asks who the user is`;
const notReached = 'nobody who is not logged in reaches the stage "who"';

test.each<[condition: string, bound: readonly Bound[], fields: JsonObject, obstacle?: string]>([
  ['a group', usual, { policies: [staff] }, ofUsers],
  ['a user', usual, { policies: [root] }, ofUsers],
  ['groups and users', usual, { policies: [staff, root], policy_engine_mode: 'any' }, ofUsers],
  ['the age of a password', usual, { policies: [policy('expiry')] }, ofUsers],
  [
    'all of a group and a policy',
    usual,
    { policies: [staff, policy('country')], policy_engine_mode: 'all' },
    ofUsers,
  ],
  ['any of a group and a policy', usual, { policies: [staff, policy('country')], policy_engine_mode: 'any' }],
  ['a group that is disabled', usual, { policies: [{ ...staff, enabled: false }] }],
  ['everybody except a group', usual, { policies: [notStaff] }],
  ['nobody', usual, { policies: [policy('never')] }],
  ['everybody who comes in any order', usual, {}],
  ['a login before the name', ['enter', 'who', 'proof'], {}, notAsked('enter')],
  ['a password before the name', ['proof', 'who', 'enter'], {}, notAsked('proof')],
  ['a login after a captcha', ['captcha', 'enter', 'who'], {}, notAsked('enter')],
  [
    'a login before the name, in some countries',
    [{ stage: 'enter', policies: [policy('country')] }, ...usual],
    {},
  ],
  ['a login before the name, for a group', [{ stage: 'enter', policies: [staff] }, ...usual], {}],
  ['a login after an expression', ['enter', 'who'], { policies: [policy('expression')] }],
  ['a login with an expression', [{ stage: 'enter', policies: [policy('expression')] }, ...usual], {}],
  ['a login after an unknown stage', ['unknown', 'enter', 'who'], {}],
  ['a login after an unknown policy', ['enter', 'who'], { policies: [policy('gone')] }],
  ['a login after a device', ['device', 'enter', 'who'], {}],
  [
    'a name that only a group is asked for',
    [{ stage: 'who', policies: [staff] }, 'proof'],
    {},
    notAsked('proof'),
  ],
  [
    'a name and a login only for a group',
    [
      { stage: 'who', policies: [staff] },
      { stage: 'enter', policies: [staff] },
    ],
    {},
    notReached,
  ],
  ['a name that nobody is asked for', [{ stage: 'who', policies: [policy('never')] }], {}],
  ['a login only for a group', ['who', 'proof', { stage: 'enter', policies: [staff] }], {}],
])('a flow stops people whom it does not know yet if that is certain: %s', (_, bound, fields, obstacle) => {
  expect(obstaclesToUnknown(flowOf(bound, fields))).toEqual(obstacle === undefined ? [] : [obstacle]);
});

test('a flow asks for the proofs of its stages, and of the stages that these show', () => {
  const asked = kindsWithChallenge(flowOf(['whole', 'enter']));
  expect(Array.from(asked, ({ path }) => path)).toEqual([
    '/api/v3/stages/identification/',
    '/api/v3/stages/password/',
  ]);
});

test('a source counts as enabled unless it is known to be disabled', () => {
  const ldap = kindAt('/sources/ldap/');
  const backends = ['authentik.sources.ldap.auth.LDAPBackend'];
  const whole = flowOf(['who', 'proof', 'enter']);
  const stages = whole.stages.map((each) =>
    each.record?.name === 'proof' ? { ...each, record: { ...each.record, fields: { backends } } } : each,
  );
  const found = [{}, { enabled: true }, { enabled: false }].map(
    (fields) => obstaclesWithoutSources({ ...whole, stages }, [{ kind: ldap, name: 'L', fields }]).length,
  );
  expect(found).toEqual([0, 0, 1]);
});

describe.each([false, true])('stages with an equal order, listed in reverse: %s', (isReverse) => {
  const flowWith = (...names: readonly string[]): LoginFlow => {
    const listed = isReverse ? names.toReversed() : names;
    return flowOf(listed.map((one) => ({ stage: one, order: 1 })));
  };

  test('may run in any sequence', () => {
    expect(loginObstacles(flowWith('who', 'no', 'enter'))).toEqual(['the stage "no" denies everybody']);
    expect(loginObstacles(flowWith('who', 'noProof', 'enter'))).toHaveLength(1);
    expect(obstaclesToUnknown(flowWith('who', 'proof'))).toEqual([
      'no stage before the stage "proof" asks who the user is',
    ]);
    expect(nameOnlyLogin(flowWith('who', 'proof', 'enter'))).toMatchObject(insecure);
    expect(nameOnlyLogin(flowWith('who', 'no', 'enter'))).toMatchObject(insecure);
    expect(nameOnlyLogin(flowWith('who', 'captcha', 'enter'))).toMatchObject(insecure);
  });
});
