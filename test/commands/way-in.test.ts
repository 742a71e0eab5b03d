import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { show } from '../../src/commands/show.ts';
import { validate } from '../../src/commands/validate.ts';
import { someOf } from '../support/effort.ts';
import { all, config, fresh, longer, run, writesOf, type Service } from '../support/fresh-service.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import { capture } from '../support/run.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { answered } from '../support/scripted-transport.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';

const byName = `version: 1
flows:
  - slug: door
    name: Door
    title: Door
    designation: authentication
    stages: [{ stage: { name: who }, order: 0 }, { stage: { name: enter }, order: 10 }]
stages:
  - { name: who, type: identification, user_fields: [username] }
  - { name: enter, type: user_login }
`;

function validated(allow: readonly string[]): Promise<Ran> {
  return runOn(validate, sandboxTransport({}).send, byName, { allow });
}

test('a flow that logs anybody in by name alone is an error unless allowed', async () => {
  const refused = await validated([]);
  expect(refused.ending).toBe('invalid');
  expect(refused.stdout).toMatch(/m\.yaml:7:.*anyone who enters a user name can log in.*\[open-login\]/s);
  await done(validated(['open-login']));
});

test('an unknown value of --allow is refused, and the error names the value', async () => {
  await expect(validated(['open-logins'])).rejects.toThrow('--allow cannot be "open-logins"');
});

const flow = (stages: string, more = ''): string =>
  `flows:\n  - { slug: default-authentication-flow, stages: [${stages}]${more} }\n`;
const stage = (name: string, order: number, more = ''): string =>
  `{ stage: { name: default-authentication-${name} }, order: ${order}${more} }`;
const whole = [
  stage('identification', 10),
  stage('password', 20),
  stage('mfa-validation', 30),
  stage('login', 100),
];

const policies = (expression: string): string =>
  `policies:\n  - { name: own, type: expression, expression: ${expression} }\n`;
const guarded = (name: string): string => `, policies: [{ policy: { name: ${name} }, order: 0 }]`;
const identification = (more: string): string =>
  `stages:\n  - { name: default-authentication-identification, type: identification${more} }\n`;

/** A service whose login flow has another policy on its password stage. */
async function withPolicy(expression: string): Promise<Service> {
  const service = fresh();
  const stages = [whole[0], stage('password', 20, guarded('own')), whole[2], whole[3]].join(', ');
  const allow = [...all, 'way-in'];
  await done(run(apply, service, policies(expression) + flow(stages), { allow }));
  return service;
}

const depends = 'return request.user.is_active';

describe('a plan that lets anybody log in by name alone is refused:', () => {
  test.each<[condition: string, text: string, place: string]>([
    ['a proof stage is removed', flow([whole[0], whole[2], whole[3]].join(', ')), ':3:'],
    [
      'the login stage moves before the password stage',
      flow([...whole.slice(0, 3), stage('login', 15)].join(', ')),
      ':3:',
    ],
    ['a policy on the password stage changes', policies('return False'), ':3:'],
    [
      'the password stage is deleted',
      'stages:\n  - { name: default-authentication-password, state: absent, type: password }\n',
      ':3:',
    ],
    [
      'a policy is bound to the password stage',
      flow([whole[0], stage('password', 20, guarded('default-deny')), whole[2], whole[3]].join(', ')) +
        'policies:\n  - { name: default-deny, type: dummy, result: false }\n',
      ':3:',
    ],
    [
      'another login stage is added',
      `${flow(whole.join(', '))}  - { slug: other, name: Other, title: Other, designation: authentication, stages: [${whole[0]}, ${whole[3]}] }\n`,
      ':4:',
    ],
  ])('%s', async (_, text, place) => {
    const service = await withPolicy(depends);
    const { ending, stderr, stdout } = await run(plan, service, text);
    expect(ending, stdout + stderr).toBe('invalid');
    expect(stderr).toMatch(
      new RegExp(`m\\.yaml${place}.*anyone who enters a user name can log in.*\\[open-login\\]`, 's'),
    );
    const allowed = await run(plan, service, text, { allow: [...all, 'open-login', 'lockout'] });
    expect(allowed.ending, allowed.stderr).toBe('done');
    expect(allowed.stdout).toMatch(/^Opens \S+ to (?:.* and )?anyone with a user name\.$/m);
  });
});

test.each<[remaining: string, policy: string | undefined]>([
  ['', undefined],
  [`{ stage: { name: mail }, order: 2${guarded('own')} }`, '"own"'],
  [`{ stage: { name: second }, order: 3${guarded('other')} }`, '"other"'],
])(
  'a plan has a note if a policy decides alone whether a flow requires a proof: %s',
  async (left, policy) => {
    const proofs = [
      `{ stage: { name: mail }, order: 2${guarded('own')} }`,
      `{ stage: { name: second }, order: 3${guarded('other')} }`,
    ].join(', ');
    const doorWith = (stages: string): string =>
      policies(depends).concat(
        '  - { name: other, type: expression, expression: return request.user.is_staff }\n',
        'stages:\n  - { name: who, type: identification, user_fields: [username] }\n',
        '  - { name: mail, type: email, use_global_settings: true }\n',
        '  - { name: second, type: authenticator_validate, not_configured_action: deny, device_classes: [totp] }\n',
        '  - { name: enter, type: user_login }\n',
        'flows:\n  - { slug: door, name: D, title: D, designation: authentication, stages: ',
        `[{ stage: { name: who }, order: 1 }, ${stages}, { stage: { name: enter }, order: 9 }] }\n`,
      );
    const service = fresh();
    await done(run(apply, service, doorWith(proofs)));
    const { stdout } = await run(plan, service, doorWith(left === '' ? proofs : left));
    const notes = stdout.match(
      /(?<=note {2}).* decides whether the flow "door" requires a proof of identity/g,
    );
    expect(notes, stdout).toEqual(
      policy === undefined
        ? null
        : [`${policy} decides whether the flow "door" requires a proof of identity`],
    );
  },
);

describe('with several brands', () => {
  const authentication = (slug: string, stages: readonly unknown[]): string =>
    `  - { slug: ${slug}, name: F, title: F, designation: authentication, stages: [${stages.join(', ')}] }\n`;
  const deny = 'stages:\n  - { name: no, type: deny }\n';
  const shut = authentication('z-shut', ['{ stage: { name: no }, order: 0 }']);
  const brand = (domain: string, more: string): string => `  - { domain: ${domain}, ${more} }\n`;
  const usual = 'flow_authentication: { slug: default-authentication-flow }';

  test('a deleted brand leaves its domain to the brand with the longest end of it', async () => {
    const service = fresh();
    const open = ['com', 'login.example.com'].map((domain) => brand(domain, usual)).join('');
    const closed = brand('example.com', 'flow_authentication: { slug: z-shut }');
    const options = { allow: ['update', 'lockout', 'way-in'] };
    const { stderr: lost } = await run(
      apply,
      service,
      `flows:\n${shut}${deny}brands:\n${open}${closed}`,
      options,
    );
    expect(lost).toContain('[way-in-lost]');
    const gone = `brands:\n${brand('login.example.com', 'state: absent')}`;
    const { ending, stderr } = await run(plan, service, gone);
    expect([ending, stderr]).toEqual(['invalid', expect.stringContaining('the stage "no" denies everybody')]);
  });

  test('a brand that would become a second default brand is refused', async () => {
    const added = brand('a.example.com', 'default: true');
    const { ending, stderr } = await run(plan, fresh(), `brands:\n${added}`);
    expect(ending).toBe('invalid');
    expect(stderr).toContain('brand.a.example.com: `authentik-default` is already the default brand');
    expect(stderr).toContain('Declare that brand too, with `default: false`.');
    const moved = `brands:\n${added}${brand('authentik-default', 'default: false')}`;
    await done(run(plan, fresh(), moved, { allow: ['update'] }));
  });

  test('a lockout is reported at the brand that causes it', async () => {
    const service = fresh();
    const before = brand('a.example.com', usual) + brand('b.example.com', usual);
    const options = { allow: ['update', 'lockout', 'way-in'] };
    await done(run(apply, service, `flows:\n${shut}${deny}brands:\n${before}`, options));
    const after =
      brand('a.example.com', `${usual}, branding_title: A`) +
      brand('b.example.com', 'flow_authentication: { slug: z-shut }');
    const { stderr } = await run(plan, service, `brands:\n${after}`);
    expect(stderr).toContain('brand.b.example.com: in the flow');
    expect(stderr).not.toContain('brand.a.example.com');
  });

  test.each([
    ['another flow', 'second', true],
    ['the flow of the default brand', 'default-authentication-flow', false],
  ])('a renamed domain of a brand with %s is on the way in: %s', async (_, slug, isOnWay) => {
    const service = fresh();
    const second = `flows:\n${authentication('second', whole)}`;
    const own = `flow_authentication: { slug: ${slug} }`;
    const allow = [...all, 'way-in'];
    await done(run(apply, service, `${second}brands:\n${brand('old.example.com', own)}`, { allow }));
    const renamed = `brands:\n${brand('new.example.com', `formerly: old.example.com, ${own}`)}`;
    const { ending, stdout, stderr } = await run(apply, service, renamed);
    expect([ending, stdout.includes('note  affects how people log in')]).toEqual([
      isOnWay ? 'invalid' : 'done',
      isOnWay,
    ]);
    expect(stderr.includes('[way-in]')).toBe(isOnWay);
  });

  test('a lockout of the former domain of a renamed brand is reported', async () => {
    const service = fresh();
    const stages = `flows:\n${shut}${deny}`;
    const brands =
      brand('example.com', 'flow_authentication: { slug: z-shut }') + brand('b.example.com', usual);
    await run(apply, service, `${stages}brands:\n${brands}`, { allow: [...all, 'lockout', 'way-in'] });
    const renamed = `brands:\n${brand('b.example.org', 'formerly: b.example.com')}`;
    const { ending, stderr } = await run(plan, service, renamed);
    expect([ending, stderr]).toEqual(['invalid', expect.stringContaining('the stage "no" denies everybody')]);
  });

  test('a flow for people who are logged in is a lockout even if no brand can be read', async () => {
    const { send, ...service } = fresh();
    const unread: Service['send'] = async (request, signal) =>
      request.path.startsWith('/core/brands/') ? answered(403, { detail: 'No.' }) : send(request, signal);
    const bound =
      'flows:\n  - { slug: default-authentication-flow, policies: [{ group: { name: authentik Admins }, order: 0 }] }\n';
    const { ending, stderr } = await run(plan, { ...service, send: unread }, bound);
    expect([ending, stderr]).toEqual(['invalid', expect.stringContaining('[lockout]')]);
  });

  test('a new flow that becomes the login flow of a brand without a flow is on the way in', async () => {
    const service = fresh();
    await done(run(apply, service, `brands:\n${brand('plain.example.com', 'branding_title: P')}`));
    const { stdout } = await done(run(plan, service, `flows:\n${authentication('aaa', whole)}`));
    expect(stdout).toMatch(/\+ flow\.aaa.*affects how people log in/s);
  });

  test('a login flow may write the user before it asks for the password', async () => {
    const stages = [whole[0], '{ stage: { name: w }, order: 15 }', ...whole.slice(1)];
    const text = `flows:\n${authentication('writing', stages)}stages:\n  - { name: w, type: user_write }\n`;
    await done(run(plan, fresh(), text));
  });
});

test.each([
  ['continue_flow_without_invitation: true', 'done', ''],
  ['continue_flow_without_invitation: false', 'invalid', 'nobody without an invitation passes the stage'],
])('an existing invitation stage with `%s` is bound to the login flow', async (fields, expected, why) => {
  const service = fresh();
  await done(run(apply, service, `stages:\n  - { name: own, type: invitation, ${fields} }\n`));
  const text = flow(['{ stage: { name: own }, order: 5 }', ...whole].join(', '));
  const { ending, stderr } = await run(plan, service, text);
  expect([ending, stderr]).toEqual([expected, expect.stringContaining(why)]);
});

test.each(['user_login', 'user_write'])(
  'a new recovery flow that ends with %s and proves nothing is refused',
  async (type) => {
    const text = `version: 1
flows: [{ slug: r, name: R, title: R, designation: recovery, stages: [{ stage: { name: who }, order: 0 }, { stage: { name: ask }, order: 5 }, { stage: { name: end }, order: 10 }] }]
stages: [{ name: who, type: identification, user_fields: [username] }, { name: ask, type: prompt }, { name: end, type: ${type} }]
`;
    const { ending, stdout } = await runOn(validate, sandboxTransport({}).send, text, {});
    expect([ending, stdout]).toEqual(['invalid', expect.stringContaining('[open-login]')]);
  },
);

test.each([
  ['that no longer proves', true],
  ['that never proved', false],
])('a recovery flow %s the identity is refused', async (_, isThere) => {
  const recovery = (stages: string): string =>
    `flows:\n  - { slug: recover, name: R, title: R, designation: recovery, stages: [${stages}] }\nstages:\n  - { name: mail, type: email }\n`;
  const service = fresh();
  const proven = [whole[0], '{ stage: { name: mail }, order: 20 }', whole[3]].join(', ');
  if (isThere) await done(run(apply, service, recovery(proven)));
  const { ending, stderr } = await run(plan, service, recovery([whole[0], whole[3]].join(', ')));
  expect([ending, stderr]).toEqual(['invalid', expect.stringContaining('[open-login]')]);
});

test.each([
  ['default-authentication-flow', ''],
  // No brand uses the changed flow any more.
  ['second', flow(whole.slice(0, 3).join(', '))],
])(
  'people of a deleted brand with the flow %s get the new flow of the default brand',
  async (own, changed) => {
    const service = fresh();
    const second = `flows:\n  - { slug: second, name: Second, title: Second, designation: authentication, stages: [${whole.join(', ')}] }\n`;
    const brand = (domain: string, slug: string): string =>
      `  - { domain: ${domain}, flow_authentication: { slug: ${slug} } }\n`;
    const allow = [...all, 'way-in'];
    await done(run(apply, service, `${second}brands:\n${brand('id.example.com', own)}`, { allow }));
    const brands = `brands:\n  - { domain: id.example.com, state: absent }\n${brand('authentik-default', 'second')}`;
    const { ending, stdout } = await run(plan, service, changed + brands);
    expect([ending, stdout.match(/note {2}affects how people log in/g)?.length]).toEqual(['done', 2]);
  },
);

describe('a plan that locks people out is refused:', () => {
  test.each<[condition: string, text: string, why: string]>([
    [
      'a deny stage is added',
      `${flow(`{ stage: { name: no }, order: 0 }, ${whole.join(', ')}`)}stages:\n  - { name: no, type: deny }\n`,
      'the stage "no" denies',
    ],
    [
      'the identification stage is removed',
      flow(whole.slice(1).join(', ')),
      'no longer reach a stage of the type identification',
    ],
    ['the login stage is removed', flow(whole.slice(0, 3).join(', ')), 'no stage logs anybody in'],
    [
      'a policy that is always false is bound',
      `${flow(whole.join(', '), guarded('no'))}policies:\n  - { name: no, type: dummy }\n`,
      'a policy that is bound to the flow rejects everybody',
    ],
    [
      'a group is bound',
      `${flow(whole.join(', '), ', policies: [{ group: { name: staff }, order: 0 }]')}groups: [{ name: staff }]\n`,
      'reject everybody who is not logged in',
    ],
    [
      'the login stage moves before the identification stage',
      flow([...whole.slice(0, 3), stage('login', 5)].join(', ')),
      'no stage before the stage "default-authentication-login" asks who the user is',
    ],
    [
      'the password stage has no backends',
      'stages:\n  - { name: default-authentication-password, type: password, backends: [] }\n',
      'because its `backends` is empty',
    ],
    [
      'the password stage has only the backend of a missing source',
      'stages:\n  - { name: default-authentication-password, type: password, backends: [authentik.sources.ldap.auth.LDAPBackend] }\n',
      'because no source of its `backends` is enabled',
    ],
    [
      'the flow requires people who are logged in',
      flow(whole.join(', '), ', authentication: require_authenticated'),
      'the flow admits only users who are logged in',
    ],
    [
      'the brand gets another flow',
      'brands:\n  - { domain: authentik-default, flow_authentication: { slug: default-invalidation-flow } }\n',
      'no stage asks who the user is',
    ],
    [
      'the flow is deleted',
      'flows:\n  - { slug: default-authentication-flow, state: absent }\n',
      'no stage asks who the user is; people no longer reach a stage of the type identification or password [lockout]',
    ],
  ])('%s', async (_, text, why) => {
    const service = fresh();
    const { ending, stderr, stdout } = await run(plan, service, text);
    expect(ending, stdout + stderr).toBe('invalid');
    expect(stderr.match(/\[lockout\]/g)).toHaveLength(1);
    expect(stderr).toContain(why);
    const allowed = await run(plan, service, text, { allow: [...all, 'lockout', 'open-login'] });
    expect(allowed.ending, allowed.stderr).toBe('done');
    expect(allowed.stdout).toContain('locks people out: ');
    expect(allowed.stdout).toContain('affects how people log in');
  });

  test('the only source whose users pass the password stage is deleted', async () => {
    const service = fresh();
    const password = (backends: string): string =>
      `stages:\n  - { name: default-authentication-password, type: password, backends: [${backends}] }\n`;
    const source = (fields: string): string => `sources:\n  - { type: ldap, slug: ldap, ${fields} }\n`;
    const directory = password('authentik.sources.ldap.auth.LDAPBackend');
    const added = source("name: L, server_uri: 'ldaps://ldap.example.com', base_dn: 'dc=example'");
    await done(run(apply, service, added + directory, { allow: [...all, 'way-in'] }));
    const deleted = await run(plan, service, source('state: absent'));
    expect([deleted.ending, deleted.stderr]).toEqual([
      'invalid',
      expect.stringMatching(/m\.yaml:3:.*\[lockout\]/s),
    ]);
    const inbuilt = password('authentik.core.auth.InbuiltBackend');
    const { ending, stderr } = await run(plan, service, source('state: absent') + inbuilt);
    expect(ending, stderr).toBe('done');
  });

  test('another change of a password stage whose sources were disabled earlier is accepted', async () => {
    const service = fresh();
    const stageWith = (more: string): string =>
      `stages:\n  - { name: default-authentication-password, type: password, backends: [authentik.sources.ldap.auth.LDAPBackend]${more} }\n`;
    await done(run(apply, service, stageWith(''), { allow: [...all, 'way-in', 'lockout'] }));
    await done(run(plan, service, stageWith(', failed_attempts_before_cancel: 7')));
  });

  test('a new brand uses a flow that lets nobody in, or a flow of another brand loses its login stage', async () => {
    const service = fresh();
    const second = (stages: readonly unknown[]): string =>
      `flows:\n  - { slug: second, name: Second, title: Second, designation: authentication, stages: [${stages.join(', ')}] }\n`;
    const brand = 'brands:\n  - { domain: id.example.com, flow_authentication: { slug: second } }\n';
    const shut = await run(plan, service, second(whole.slice(0, 3)) + brand);
    expect([shut.ending, shut.stderr]).toEqual([
      'invalid',
      expect.stringContaining('no stage logs anybody in'),
    ]);
    const added = await run(apply, service, second(whole) + brand);
    expect([added.ending, added.stderr]).toEqual(['invalid', expect.stringMatching(/brand\.id.*\[way-in\]/)]);
    await done(run(apply, service, second(whole) + brand, { allow: [...all, 'way-in'] }));
    const changed = await run(plan, service, second(whole.slice(0, 3)) + brand);
    expect([changed.ending, changed.stderr]).toEqual(['invalid', expect.stringContaining('[lockout]')]);
    const guests =
      'brands:\n  - { domain: guests.example.org, flow_authentication: { slug: guests } }\nstages:\n  - { name: mail, type: email }\n';
    const passwordless = `flows:\n  - { slug: guests, name: G, title: G, designation: authentication, stages: [${[whole[0], '{ stage: { name: mail }, order: 20 }', whole[3]].join(', ')}] }\n`;
    await done(run(plan, service, passwordless + guests));
    const same = await done(
      run(plan, service, guests.replace('{ slug: guests }', '{ slug: default-authentication-flow }')),
    );
    expect(same.stdout).not.toContain('affects how people log in');
    const deleted = await run(plan, service, 'brands:\n  - { domain: id.example.com, state: absent }\n');
    expect(deleted.stdout).toContain('affects how people log in');
    await done(run(apply, service, second(whole.slice(0, 3)), { allow: [...all, 'way-in', 'lockout'] }));
    const moved =
      'brands:\n  - { domain: authentik-default, default: false }\n  - { domain: id.example.com, default: true }\n';
    const other = await run(plan, service, moved);
    expect([other.ending, other.stderr]).toEqual(['invalid', expect.stringContaining('[lockout]')]);
  });

  test('the brand has no flow, and the first login flow by slug changes', async () => {
    const service = fresh();
    const brand = 'brands:\n  - { domain: authentik-default, flow_authentication: null }\n';
    const { ending, stderr } = await run(apply, service, brand, { allow: [...all, 'way-in'] });
    expect(ending, stderr).toBe('done');
    for (const text of [
      'flows:\n  - { slug: default-authentication-flow, designation: enrollment }\n',
      flow(whole.slice(1).join(', ')),
    ]) {
      const refused = await run(plan, service, text);
      expect(refused.ending).toBe('invalid');
      expect(refused.stderr).toContain('[lockout]');
    }
  });

  test('the brand has no flow, and an earlier login flow lets nobody pass', async () => {
    const service = fresh();
    const shut = `flows:\n  - { slug: a-shut, name: Shut, title: Shut, designation: authentication, stages: [${whole.join(', ')}]${guarded('no')} }\n`;
    const rest =
      'policies:\n  - { name: no, type: dummy, result: false }\nbrands:\n  - { domain: authentik-default, flow_authentication: null }\n';
    const { ending, stderr } = await run(apply, service, shut + rest, { allow: [...all, 'way-in'] });
    expect(ending, stderr).toBe('done');
    const refused = await run(plan, service, flow(whole.slice(1).join(', ')));
    expect(refused.ending).toBe('invalid');
    expect(refused.stderr).toContain('[lockout]');
  });
});

test('an update of the login flow is marked, comes first, and counts as an update with wider effects', async () => {
  const text = `groups:\n  - { name: a }\nroles:\n  - { name: a }\n${longer}`;
  const { ending, stdout } = await run(plan, fresh(), text, { failOn: ['opens'] });
  expect(ending).toBe('changes');
  expect(stdout).toContain(
    'Affects how people log in: stage.default-authentication-login. `apply --yes` needs `--allow way-in`, unless it applies a saved plan.',
  );
  const first = stdout.split('\n').find((line) => /^ {2}[+~] /.test(line));
  expect(first).toContain('stage.default-authentication-login');
  const document = await run(plan, fresh(), text, { output: 'json' });
  expect(document.stdout).toContain('"on_way_in": true');
});

test.each([
  ['an update of a stage', 'stages:\n  - { name: robot, type: captcha, public_key: other }\n'],
  ['a delete of a stage', 'stages:\n  - { name: robot, type: captcha, state: absent }\n'],
  ['an update of a policy', 'policies:\n  - { name: place, type: geoip, countries: [AQ] }\n'],
])('%s that neither asks nor proves anything is on the way in', async (_, text) => {
  const service = fresh();
  service.ask('POST', '/stages/captcha/', { name: 'robot', public_key: 'p', private_key: 'p' });
  const place = 'policies:\n  - { name: place, type: geoip, countries: [SE] }\n';
  const bound = flow([...whole, '{ stage: { name: robot }, order: 15 }'].join(', '), guarded('place'));
  await done(run(apply, service, place + bound, { allow: [...all, 'way-in'] }));
  const { ending, stdout } = await run(plan, service, text, { failOn: ['opens'] });
  expect([ending, stdout]).toEqual(['changes', expect.stringContaining('note  affects how people log in')]);
});

test.each([
  [
    'stage of a flow',
    'passwordless_flow: { slug: offered }',
    'stages: [{ name: robot, type: captcha, public_key: q }]',
  ],
  ['source', 'sources: [{ slug: hub }]', 'sources: [{ slug: hub, type: oauth, name: H, enabled: false }]'],
])('an update of a %s that the login offers is on the way in', async (_, offers, text) => {
  const service = fresh();
  service.ask('POST', '/stages/captcha/', { name: 'robot', public_key: 'p', private_key: 'p' });
  const keys = { provider_type: 'github', consumer_key: 'k', consumer_secret: 's' };
  service.ask('POST', '/sources/oauth/', { slug: 'hub', name: 'H', ...keys });
  const offered = `flows:\n  - { slug: offered, name: O, title: O, designation: authentication, stages: [{ stage: { name: robot }, order: 0 }] }\n`;
  await done(run(apply, service, offered));
  await done(run(apply, service, identification(`, ${offers}`), { allow: [...all, 'way-in'] }));
  const { stdout } = await done(run(plan, service, `${text}\n`));
  expect(stdout).toContain('note  affects how people log in');
});

test.each([
  ['sources: [{ slug: hub }]', 'offered'],
  ['passwordless_flow: { slug: offered }', 'offered'],
  ['sources: [{ slug: hub }], passwordless_flow: { slug: default-authentication-flow }', 'offered'],
  ['sources: []', undefined],
])('a flow that the login offers by `%s` is on the way in', async (offers, marked) => {
  const service = fresh();
  const offered = (stages: string): string =>
    `flows:\n  - { slug: offered, name: O, title: O, designation: authentication, stages: [${stages}] }\n`;
  await done(run(apply, service, offered(whole[3] ?? '')));
  const { pk: authentication_flow = null } = service.ask('GET', '/flows/instances/offered/');
  const keys = { provider_type: 'github', consumer_key: 'k', consumer_secret: 's' };
  service.ask('POST', '/sources/oauth/', { slug: 'hub', name: 'Hub', ...keys, authentication_flow });
  await done(run(apply, service, identification(`, ${offers}`), { allow: [...all, 'way-in'] }));
  const deny = 'stages:\n  - { name: no, type: deny }\n';
  const text = offered(`{ stage: { name: no }, order: 0 }, ${whole[3]}`) + deny;
  const { stdout } = await done(run(plan, service, text));
  expect(/^ {2}~ flow\.(\w+)(?=[^]*note {2}affects how people log in)/m.exec(stdout)?.[1]).toBe(marked);
});

test('the login flow is not read if a plan does not affect it', async () => {
  const service = fresh();
  await run(plan, service, 'groups:\n  - { name: a }\nstages:\n  - { name: own, type: deny }\n');
  expect(service.requests.filter(({ path }) => /brands|flows\/|policies/.test(path))).toEqual([]);
});

describe('an update of the login flow', () => {
  test('is confirmed by a saved plan that shows the update, but a lockout is not', async () => {
    const service = fresh();
    const text = longer + flow(whole.join(', '), ', authentication: require_authenticated');
    const saved = await run(plan, service, text, { out: 'plan.json', allow: [...all, 'lockout'] });
    expect(saved.ending, saved.stderr).toBe('done');
    const files = { ...config, 'plan.json': saved.written.get('plan.json') ?? '' };
    const applied = (allow: string[]): Promise<Ran> => {
      const given = { config: 'rollcall.yaml', allow, plan: 'plan.json' };
      return runOn(apply, service.send, `version: 1\n${text}`, given, { files });
    };
    expect(await applied(all)).toMatchObject({
      ending: 'invalid',
      stderr: expect.stringContaining('[not-allowed]') as string,
    });
    expect(writesOf(service)).toEqual([]);
    const { ending, stderr, stdout } = await applied([...all, 'lockout']);
    expect(stdout).toContain('Apply incomplete!');
    // The lockout is allowed, carried out and reported.
    expect(stderr.match(/\[[\w-]+\]/g)).toEqual(['[way-in-lost]']);
    expect(ending).toBe('incomplete');
  });

  test.each([
    [all, true],
    [[...all, 'way-in'], false],
  ])(
    'in a saved plan is shown as needing --allow way-in unless that switch was given: --allow %s, needed: %s',
    async (allow, needs) => {
      const saved = await run(plan, fresh(), longer, { out: 'plan.json', allow });
      const shown = capture({ files: { 'plan.json': saved.written.get('plan.json') ?? '' } });
      expect(await show('plan.json', { output: 'text' }, shown.context)).toBe('done');
      expect(shown.stdout()).toContain('Affects how people log in');
      expect(shown.stdout().includes('needs `--allow way-in`')).toBe(needs);
    },
  );
});

describe('if the login flow cannot be read', () => {
  test('a delete of a brand is on the way in', async () => {
    const service = fresh();
    const send: typeof service.send = async (request) =>
      request.path.startsWith('/api/v3/flows/instances/')
        ? answered(403, { detail: 'You do not have permission to perform this action.' })
        : service.send(request);
    const gone = 'brands:\n  - { domain: authentik-default, state: absent }\n';
    const { stdout } = await run(plan, { ...service, send }, gone, { maxDeletes: '2' });
    expect(stdout).toMatch(/- brand\.authentik-default.*affects how people log in/s);
  });

  test('all flows that log people in count as login flows', async () => {
    const service = fresh();
    const send: typeof service.send = async (request) =>
      request.path.startsWith('/api/v3/core/brands/')
        ? answered(403, { detail: 'You do not have permission to perform this action.' })
        : service.send(request);
    const { stdout } = await done(run(plan, { ...service, send }, longer));
    expect(stdout).toContain(
      'It is unknown which flow people log in through, because brands could not be read. Therefore, every flow that logs people in counts as a login flow.',
    );
    expect(stdout).toContain('affects how people log in');
  });

  test('a policy in any of these flows counts as a policy of a login flow', async () => {
    const service = fresh();
    const guard = `policies:\n  - { name: own, type: dummy, result: true }\n`;
    const bound = flow(whole.join(', '), guarded('own'));
    await done(run(apply, service, guard + bound, { allow: [...all, 'way-in'] }));
    const send: typeof service.send = async (request) =>
      request.path.startsWith('/api/v3/core/brands/') ? answered(403, {}) : service.send(request);
    const text = `policies:\n  - { name: own, type: dummy, result: true, wait_max: 9 }\n`;
    const { stdout } = await run(plan, { ...service, send }, text);
    expect(stdout).toMatch(/~ policy\.own.*affects how people log in/s);
  });
});

describe('during an apply, the login stage is never reachable without authentication', () => {
  const inside = ', password_stage: { name: default-authentication-password }';
  const without = flow([whole[0], whole[2], whole[3]].join(', '));

  test('if the password moves into the identification stage', async () => {
    const service = fresh();
    const text = identification(inside) + without;
    await done(
      run(apply, service, text, {
        allow: [...all, 'way-in'],
        concurrency: '8',
      }),
    );
    expect(writesOf(service).map((one) => one.replace(/[0-9a-f-]{36}/, 'ID'))).toEqual([
      'PATCH /api/v3/stages/identification/ID/',
      'DELETE /api/v3/flows/bindings/ID/',
    ]);
  });

  test('if the password moves out of the identification stage', async () => {
    const service = fresh();
    const there = identification(inside) + without;
    await run(apply, service, there, { allow: [...all, 'way-in'] });
    const from = writesOf(service).length;
    const back = identification(', password_stage: null') + flow(whole.join(', '));
    await done(run(apply, service, back, { allow: [...all, 'way-in'] }));
    expect(
      writesOf(service)
        .slice(from)
        .map((one) => one.replace(/[0-9a-f-]{36}/, 'ID')),
    ).toEqual(['POST /api/v3/flows/bindings/', 'PATCH /api/v3/stages/identification/ID/']);
  });
});

test('a policy that makes a flow ask for the password changes before the flow logs people in', async () => {
  const service = fresh();
  const asking = [whole[0], stage('password', 20, guarded('own'))];
  const allow = [...all, 'way-in', 'lockout'];
  await done(run(apply, service, policies('return False') + flow(asking.join(', ')), { allow }));
  const from = service.requests.length;
  const text = policies('return True') + flow([...asking, whole[3]].join(', '));
  await done(run(apply, service, text, { allow }));
  const writes = service.requests.slice(from).filter(({ method }) => !['GET', 'OPTIONS'].includes(method));
  expect(writes.map(({ method, path }) => `${method} ${path.split('/')[4]}`)).toEqual([
    'PATCH expression',
    'POST bindings',
  ]);
});

test('a policy that shuts everybody out for a moment changes before the flow that would let anybody in', async () => {
  const service = fresh();
  const allow = [...all, 'way-in', 'lockout'];
  const dummy = (result: boolean): string => `policies:\n  - { name: own, type: dummy, result: ${result} }\n`;
  const shut = `stages:\n  - { name: no, type: deny }\n`;
  const asked = guarded('own').replace(': 0', ': 0, negate: true');
  const before = [
    whole[0],
    `{ stage: { name: no }, order: 15${guarded('own')} }`,
    stage('password', 20, asked),
    whole[3],
  ];
  await done(run(apply, service, dummy(false) + shut + flow(before.join(', ')), { allow }));
  const after = flow([whole[0], stage('password', 20, guarded('own')), whole[3]].join(', '));
  const { stdout, stderr } = await run(plan, service, dummy(true) + after, { allow });
  expect(stdout, stderr).toMatch(/~ policy.own[^]*~ flow/);
});

test('of several changes that each let anybody in for a moment, the first is refused', async () => {
  const service = fresh();
  const allow = [...all, 'way-in'];
  const swapped = (result: boolean): string =>
    `policies:\n${['a', 'b', 'c', 'd'].map((name) => `  - { name: ${name}, type: dummy, result: ${result} }\n`).join('')}`;
  const asking = (first: string, second: string): string => {
    const guard = (more: string): string =>
      `, policy_engine_mode: all, policies: [{ policy: { name: ${first} }, order: 0${more} }, { policy: { name: ${second} }, order: 1${more} }]`;
    const other = `{ stage: { name: pw2 }, order: 25${guard(', negate: true')} }`;
    return [whole[0], stage('password', 20, guard('')), other, whole[3]].join(', ');
  };
  const flows = `${flow(asking('a', 'b'))}  - { slug: other, name: O, title: O, designation: authentication, stages: [${asking('c', 'd')}] }\n`;
  const proof =
    'stages:\n  - { name: pw2, type: password, backends: [authentik.core.auth.InbuiltBackend] }\n';
  await done(run(apply, service, swapped(true) + proof + flows, { allow }));
  const { stderr } = await run(plan, service, swapped(false), { allow });
  expect(stderr).toContain('policy.a: in any order of these changes, there is a moment');
});

test('an application waits for a stricter policy, even if the login determines when the policy changes', async () => {
  const service = fresh();
  const asking = [whole[0], stage('password', 20, guarded('own'))];
  const options = { allow: [...all, 'way-in', 'lockout'] };
  await done(run(apply, service, policies('return False') + flow(asking.join(', ')), options));
  const refusing: Service = {
    ...service,
    send: async (request, signal) =>
      request.method === 'PATCH' ? answered(403, {}) : service.send(request, signal),
  };
  const wiki =
    'applications: [{ slug: wiki, name: Wiki, policies: [{ policy: { name: own }, order: 0 }] }]\n';
  const text = policies('return True') + flow([...asking, whole[3]].join(', ')) + wiki;
  const { stdout } = await run(apply, refusing, text, options);
  expect(stdout).toContain('. application.wiki  not attempted: the change that it depends on failed');
});

test('during an apply that swaps two policies, the login is possible at each request', async () => {
  const service = fresh();
  const both = (a: boolean, b: boolean): string =>
    `policies:\n  - { name: a, type: dummy, result: ${a} }\n  - { name: b, type: dummy, result: ${b} }\n`;
  const bound = flow(
    whole.join(', '),
    ', policy_engine_mode: any, policies: [{ policy: { name: a }, order: 0 }, { policy: { name: b }, order: 1 }]',
  );
  const allow = [...all, 'way-in'];
  await done(run(apply, service, both(true, false) + bound, { allow }));
  const from = service.requests.length;
  await done(run(apply, service, both(false, true), { allow, concurrency: '8' }));
  const sent = service.requests.slice(from).filter(({ method }) => method === 'PATCH');
  expect(sent.map(({ body }) => JSON.parse(body ?? '') as unknown)).toEqual([
    expect.objectContaining({ result: true }),
    expect.objectContaining({ result: false }),
  ]);
});

describe('the check that the login flow starts', () => {
  const executor = '/api/v3/flows/executor/default-authentication-flow/?query=';
  const asked = ({ requests }: Service): string[] =>
    requests.flatMap(({ method, path, isAnonymous }) => {
      if (path.includes('/flows/executor/')) return `${isAnonymous ? 'anonymous ' : ''}${path}`;
      return method === 'GET' ? [] : method;
    });
  const allow = [...all, 'way-in', 'lockout'];

  test('lets the run succeed if the flow still starts', async () => {
    const service = fresh();
    const text = longer + flow(whole.join(', '), ', title: Welcome');
    await done(run(apply, service, text, { allow }));
    expect(asked(service)).toEqual([`anonymous ${executor}`, 'PATCH', 'PATCH', `anonymous ${executor}`]);
  });

  test('ends the run with 6 and advice if the flow no longer starts', async () => {
    const text = flow(whole.join(', '), ', authentication: require_authenticated');
    const { ending, stderr } = await run(apply, fresh(), text, { allow });
    expect(ending).toBe('incomplete');
    expect(stderr).toContain('people can no longer log in');
    expect(stderr).toContain('ak-stage-access-denied');
    expect(stderr).toContain('- flow.default-authentication-flow: `authentication` was "none"');
    const document = await run(apply, fresh(), text, { allow, output: 'json' });
    expect(document.stdout).toContain('"code": "way-in-lost"');
  });

  test.each([
    [
      'a removed stage with its policies',
      flow([whole[0], whole[2], whole[3]].join(', '), ', authentication: require_authenticated'),
      '`stages["stage default-authentication-password"]` was {"order":20,"policies":[{"policy":{"name":"default-authentication-flow-password-stage"',
    ],
    [
      'the former order of a stage',
      flow(stage('login', 5), ', at_least: [stages]'),
      '`stages["stage default-authentication-login"].order` was 100\n',
    ],
    [
      'an added stage',
      `${flow('{ stage: { name: no }, order: 0 }', ', at_least: [stages]')}stages:\n  - { name: no, type: deny }\n`,
      '`stages["stage no"]` did not exist\n',
    ],
  ])('ends the run with advice that contains only what was altered: %s', async (_, text, advice) => {
    const { ending, stderr } = await run(apply, fresh(), text, { allow: [...allow, 'open-login'] });
    expect(ending, stderr).toBe('incomplete');
    expect(stderr).toContain(advice);
    expect(stderr).not.toContain('default-authentication-mfa-validation');
  });

  test('ends the run with advice that contains no secret of the manifests', async () => {
    const more = ', title: "${env:SECRET}", authentication: require_authenticated';
    const text = flow([whole[0], whole[2], whole[3]].join(', '), more);
    const secret = 'default-authentication-flow-password-stage';
    const { ending, stderr } = await runOn(
      apply,
      fresh().send,
      `version: 1\n${text}`,
      { config: 'rollcall.yaml', allow: [...allow, 'open-login'] },
      { files: config, env: { SECRET: secret } },
    );
    expect(ending, stderr).toBe('incomplete');
    expect(stderr).toContain('`stages["stage ');
    expect(stderr).not.toContain(secret);
  });

  test('ends the run with advice that contains no hidden bindings', async () => {
    const { ending, stderr } = await runOn(
      apply,
      fresh().send,
      `version: 1\n${flow([whole[0], whole[2], whole[3]].join(', '), ', authentication: require_authenticated')}`,
      { config: 'rollcall.yaml', allow: [...allow, 'open-login'] },
      { files: { 'rollcall.yaml': `${config['rollcall.yaml']}hide: [flow.stages]\n` } },
    );
    expect(ending, stderr).toBe('incomplete');
    expect(stderr).toContain('`stages` was "(hidden)"');
    expect(stderr).not.toContain('default-authentication-password');
  });

  test('reports nothing if the flow did not start before the apply either', async () => {
    const service = fresh();
    const text = flow(whole.join(', '), ', authentication: require_authenticated');
    await run(apply, service, text, { allow });
    await done(run(apply, service, text + longer, { allow }));
  });

  test('ends the run with 6 if no answer shows whether the flow still starts', async () => {
    const service = fresh();
    const isAsked = (path: string): boolean => path.includes('/flows/executor/');
    const send: typeof service.send = async (request) => {
      const isLater = service.requests.some(({ method }) => method === 'PATCH');
      return isAsked(request.path) && isLater ? answered(503, {}) : service.send(request);
    };
    const { ending, stderr } = await run(apply, { ...service, send }, longer, { allow });
    expect(ending).toBe('incomplete');
    expect(stderr).toContain('it is unknown whether people can still log in');
  });

  test('is sent for the new flow after the brand gets another flow', async () => {
    const service = fresh();
    const other = `flows:\n  - { slug: other, name: Other, title: Other, designation: authentication, stages: [${whole.join(', ')}] }\n`;
    const brand = 'brands:\n  - { domain: authentik-default, flow_authentication: { slug: other } }\n';
    await done(run(apply, service, other + brand, { allow }));
    const paths = asked(service).filter((one) => one.startsWith('anonymous'));
    expect(paths).toEqual([`anonymous ${executor}`, 'anonymous /api/v3/flows/executor/other/?query=']);
  });

  test('is answered a first time before any change is sent', async () => {
    const service = fresh();
    const events: string[] = [];
    const send: typeof service.send = async (request) => {
      const isAsked = request.path.includes('/flows/executor/');
      if (isAsked) await new Promise((resolve) => setImmediate(resolve));
      const answer = await service.send(request);
      if (isAsked || request.method === 'PATCH') events.push(request.method);
      return answer;
    };
    await done(run(apply, { ...service, send }, longer, { allow }));
    expect(events).toEqual(['GET', 'PATCH', 'GET']);
  });

  test('is sent for the former flow again if the change of the brand failed', async () => {
    const service = fresh();
    const shut =
      'flows:\n  - { slug: shut, name: Shut, title: Shut, designation: authentication, stages: [{ stage: { name: no }, order: 0 }] }\n';
    const rest =
      'stages:\n  - { name: no, type: deny }\nbrands:\n  - { domain: authentik-default, flow_authentication: { slug: shut } }\n';
    const send: typeof service.send = async (request) =>
      request.method === 'PATCH' ? answered(403, { detail: 'No.' }) : service.send(request);
    const { ending, stderr } = await run(apply, { ...service, send }, shut + rest, { allow });
    expect(ending).toBe('denied');
    expect(stderr).not.toContain('way-in-lost');
    const allowed = await run(apply, service, shut + rest, { allow });
    expect(allowed.stderr).toContain('way-in-lost');
  });

  test('is not sent if a plan does not affect the login flow', async () => {
    const service = fresh();
    await run(apply, service, 'groups:\n  - { name: a }\n');
    expect(asked(service)).toEqual(['POST']);
  });
});

describe('a plan that could remove the last active superuser', () => {
  const people = { tokens: [{ token: sandboxToken, superuser: true }], groups: [] };
  const user = (more: string): string => `users:\n  - { username: alice, name: Alice${more} }\n`;
  const group = (entry: string): string => `groups:\n  - { ${entry} }\n`;
  const entries = `${group('name: admins, is_superuser: true')}  - { name: ops, parents: [{ name: admins }] }
  - { name: night-shift, parents: [{ name: ops }] }\n  - { name: staff }\n`;

  /** A service in which alice is a superuser, because she is in a group of superusers or in a group below one. */
  async function withAlice(by: string, others = '', release?: '2023.10'): Promise<Service> {
    const service = sandboxTransport(people, undefined, release ?? '2025.12');
    const text = `${entries}${user(`, groups: [{ name: ${by} }, { name: staff }]`)}${others}`;
    await done(run(apply, service, text));
    return service;
  }

  const losses: readonly (readonly [condition: string, text: string])[] = [
    ['is disabled', user(', is_active: false')],
    ['is removed from the group', user(', groups: [{ name: staff }]')],
    ['is deleted', 'users:\n  - { username: alice, state: absent }\n'],
    ['is in a group that loses its superuser rights', group('name: admins, is_superuser: false')],
  ];
  const nested: typeof losses = [
    ...losses,
    ['is in a group whose parent leaves the superusers', group('name: ops, parents: []')],
    ['is in a group that leaves its parent', group('name: night-shift, parents: [{ name: staff }]')],
    ['is in a group that is deleted', group('name: night-shift, state: absent')],
    ['is in a group whose parent is deleted', group('name: ops, state: absent')],
  ];

  const cases = [
    ...losses.map(([condition, text]) => ({ condition, text, by: 'admins', release: undefined })),
    ...nested.map(([condition, text]) => ({ condition, text, by: 'night-shift', release: undefined })),
    ...nested.map(([condition, text]) => ({
      condition,
      text,
      by: 'night-shift',
      release: '2023.10' as const,
    })),
  ];
  test.each(someOf(cases, 8))(
    'is refused if that user, a superuser through the group $by, $condition',
    async ({ text, by, release }) => {
      const service = await withAlice(by, '', release);
      const { ending, stderr, stdout } = await run(plan, service, text);
      expect(ending, stdout + stderr).toBe('invalid');
      expect(stderr).toMatch(/no active superuser is left.*\[lockout\]/s);
      const allowed = await run(plan, service, text, { allow: [...all, 'lockout'] });
      expect(allowed.stdout).toContain('locks people out: no active superuser');
    },
  );

  test.each(
    losses
      .slice(0, 3)
      .flatMap(([condition, text]) => ['admins', 'ops'].map((by) => [condition, by, text] as const)),
  )(
    'is accepted if that user %s, and the group %s contains another active superuser',
    async (_, by, text) => {
      const other = `  - { username: bob, name: Bob, groups: [{ name: ${by} }] }\n`;
      const service = await withAlice('admins', other);
      await done(run(plan, service, text));
    },
  );

  test.each(['admins', 'ops', 'others'])(
    'is accepted if it makes another user a superuser, by %s',
    async (by) => {
      const service = await withAlice('admins');
      const others =
        group('name: others, parents: [{ name: more }]') + '  - { name: more, is_superuser: true }\n';
      const text = `${others}${user(', is_active: false')}  - { username: bob, name: Bob, groups: [{ name: ${by} }] }\n`;
      await done(run(plan, service, text));
    },
  );

  test('is refused if every other superuser is inactive', async () => {
    const other = '  - { username: bob, name: Bob, is_active: false, groups: [{ name: admins }] }\n';
    const service = await withAlice('admins', other);
    const { ending, stderr } = await run(plan, service, user(', is_active: false'));
    expect(ending).toBe('invalid');
    expect(stderr).toContain('no active superuser is left');
  });

  test('is accepted if the group of another superuser changes and keeps its rights', async () => {
    const other = '  - { username: bob, name: Bob, groups: [{ name: admins }] }\n';
    const service = await withAlice('admins', other);
    const text = user(', is_active: false') + group('name: admins, attributes: { a: 1 }');
    await done(run(plan, service, text));
  });

  test('is accepted with a note if the groups cannot be read', async () => {
    const service = await withAlice('admins');
    const send: Service['send'] = async (request, signal) =>
      request.path.includes('include_users=true')
        ? answered(403, { detail: 'No.' })
        : service.send(request, signal);
    const { stdout } = await done(run(plan, { ...service, send }, user(', is_active: false')));
    expect(stdout).toContain('note  it is unknown whether an active superuser is left');
  });

  test('is accepted without a request for all groups if somebody else leaves a group', async () => {
    const service = await withAlice(
      'admins',
      '  - { username: bob, name: Bob, groups: [{ name: staff }] }\n',
    );
    const from = service.requests.length;
    await done(run(plan, service, 'users:\n  - { username: bob, name: Bob, groups: [] }\n'));
    const groups = service.requests.slice(from).filter(({ path }) => path.includes('include_users=true'));
    expect(groups.map(({ path }) => path.includes('is_superuser=true'))).toEqual([true]);
  });
});

test('a plan without switches advises a command, and this command updates the login flow', async () => {
  const text = `version: 1\n${longer}users: [{ username: alice, name: Alice }]\n`;
  const service = fresh();
  const left = await runOn(plan, service.send, text, { failOn: ['opens'] });
  expect(left.ending, left.stderr).toBe('done');
  expect(left.stdout).toContain('! stage.default-authentication-login differs');
  const [, command = ''] = /apply with three flags: `(.*?)`/.exec(left.stdout) ?? [];
  const valuesOf = (flag: string): string[] =>
    Array.from(command.matchAll(new RegExp(`--${flag} (\\S+)`, 'g')), ([, value = '']) => value);
  const switches = { capability: valuesOf('capability'), allow: valuesOf('allow') };
  expect(switches).toEqual({ capability: ['update'], allow: ['update', 'way-in'] });
  const { ending, stdout } = await runOn(apply, service.send, text, switches);
  expect([ending, stdout]).toEqual(['done', expect.stringContaining('1 created, 1 changed')]);
});
