import { expect, test } from 'vitest';
import { textOf, type JsonObject } from '../../src/base/json.ts';
import { kindOf } from '../../src/kinds/all.ts';
import type { LoginRecord } from '../../src/kinds/way-in.ts';
import { readLogin, type ObservedLogin } from '../../src/observe/login.ts';
import { uuidFrom } from '../../src/sandbox/ids.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const ldap = 'authentik.sources.ldap.auth.LDAPBackend';

function stage(name: string, model: string, fields: JsonObject = {}): JsonObject {
  return { pk: uuidFrom(name), name, meta_model_name: `authentik_stages_${model}.${model}stage`, ...fields };
}

function flow(slug: string, designation = 'authentication'): JsonObject {
  return { pk: uuidFrom(slug), slug, name: slug, designation };
}

const binding = (target: string, bound: string): JsonObject => ({
  pk: uuidFrom(`${target} ${bound}`),
  target: uuidFrom(target),
  stage: uuidFrom(bound),
  order: 0,
  policybindingmodel_ptr_id: uuidFrom(`policies of ${bound}`),
});

const service: Readonly<Record<string, readonly JsonObject[]>> = {
  '/core/brands/': [
    { pk: uuidFrom('b'), domain: 'b', default: true, flow_authentication: uuidFrom('other') },
  ],
  '/flows/instances/': [flow('login'), flow('other', 'enrollment'), flow('unused', 'invalidation')],
  '/flows/bindings/': [
    binding('login', 'who'),
    binding('login', 'device'),
    binding('other', 'who'),
    binding('unused', 'consent'),
    binding('unused', 'invited'),
  ],
  '/policies/bindings/': [],
  '/stages/all/': [
    stage('who', 'identification'),
    stage('pw', 'password'),
    stage('pw of a new stage', 'password'),
    stage('device', 'authenticatorvalidate'),
    stage('consent', 'consent'),
    stage('invited', 'invitation'),
  ],
  '/stages/authenticator/validate/': [
    stage('device', 'authenticatorvalidate', { not_configured_action: 'deny' }),
  ],
  '/stages/identification/': [
    stage('who', 'identification', {
      user_fields: ['username'],
      password_stage: uuidFrom('pw'),
      sources: [],
    }),
  ],
  '/stages/invitation/stages/': [stage('invited', 'invitation', { continue_flow_without_invitation: true })],
  '/stages/password/': [
    stage('pw', 'password', { backends: [ldap] }),
    stage('pw of a new stage', 'password', { backends: [] }),
  ],
  '/sources/all/': [
    {
      pk: uuidFrom('dir'),
      name: 'dir',
      slug: 'dir',
      enabled: true,
      meta_model_name: 'authentik_sources_ldap.ldapsource',
    },
  ],
  '/policies/all/': [
    {
      pk: uuidFrom('score'),
      name: 'score',
      meta_model_name: 'authentik_policies_reputation.reputationpolicy',
    },
  ],
};

/** Reads the login records of the service, with other answers for some lists. */
function read(
  declared: readonly LoginRecord[],
  instead: Readonly<Record<string, Exchange>> = {},
): Promise<ObservedLogin> {
  const client = new Client(async ({ path }) => {
    const { pathname, searchParams } = new URL(path.replace('/api/v3', ''), 'http://localhost');
    if (pathname.endsWith('/me/'))
      return instead['me'] ?? answered(200, { user: { pk: 1, is_superuser: true } });
    const list = Object.keys(service).find((each) => pathname.startsWith(each)) ?? '';
    if (instead[list]) return instead[list];
    const targets = searchParams.getAll('target');
    const records = (service[list] ?? []).filter(
      ({ target }) => targets.length === 0 || targets.some((one) => one === target),
    );
    if (searchParams.has('page')) return pageOf(records, 1, 100);
    const record = records.find(({ pk }) => pathname === `${list}${textOf(pk)}/`);
    return record ? answered(200, record) : answered(404, { detail: 'Not found.' });
  });
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  return readLogin(declared, { client, pacing });
}

const newStage: LoginRecord = {
  kind: kindOf('stage', 'identificationstage'),
  name: 'new',
  fields: { password_stage: uuidFrom('pw of a new stage'), sources: [uuidFrom('dir')] },
};
const ofLdap: LoginRecord = {
  kind: kindOf('stage', 'passwordstage'),
  name: 'only ldap',
  fields: { backends: [ldap] },
};

const brandOfUnused: LoginRecord = {
  kind: kindOf('brand'),
  name: 'new',
  fields: { flow_authentication: uuidFrom('unused') },
};

test.each<[string, readonly LoginRecord[], readonly string[]]>([
  [
    'the flow of a brand, all login flows, and their stages, each once',
    [],
    ['b', 'login', 'other', 'who', 'device', 'pw'],
  ],
  [
    'what a declared stage shows',
    [newStage],
    ['b', 'login', 'other', 'who', 'device', 'pw', 'pw of a new stage', 'dir'],
  ],
  [
    'the flow of a declared brand',
    [brandOfUnused],
    ['b', 'login', 'other', 'unused', 'who', 'device', 'consent', 'invited', 'pw'],
  ],
  [
    'the policies of a declared flow',
    [{ kind: kindOf('flow'), name: 'new', fields: { policies: [{ policy: uuidFrom('score'), order: 0 }] } }],
    ['b', 'login', 'other', 'who', 'device', 'pw', 'score'],
  ],
  [
    'all sources if a declared stage needs one',
    [ofLdap],
    ['b', 'login', 'other', 'who', 'device', 'pw', 'dir'],
  ],
])('the login records are %s', async (_, declared, names) => {
  const { records, unread } = await read(declared);
  expect([records.map(({ name }) => name), unread]).toEqual([names, []]);
});

test.each([
  ['whether it requires a proof of identity', 'device', { not_configured_action: 'deny' }],
  ['whether it needs an invitation', 'invited', { continue_flow_without_invitation: true }],
])('the fields of a stage are read if they decide %s', async (_, stageName, fields) => {
  const { records } = await read([brandOfUnused]);
  const found = records.find(({ name }) => name === stageName);
  expect(found?.fields).toMatchObject(fields);
});

test.each<[string, boolean, Readonly<Record<string, Exchange>>, readonly string[]]>([
  ['are known if every list is read', true, {}, []],
  [
    'are not known to a token that may not see all sources',
    false,
    { me: answered(200, { user: { pk: 1, is_superuser: false } }) },
    [],
  ],
  [
    'are not known if a list is denied',
    false,
    { '/core/brands/': answered(403, { detail: 'No.' }) },
    ['brands'],
  ],
  [
    'are not known if the bindings of a flow are denied',
    false,
    { '/policies/bindings/': answered(403, { detail: 'No.' }) },
    ['the `stages` of flows'],
  ],
])('the needed sources %s', async (_, isKnown, instead, lists) => {
  const { hasNeededSources, unread } = await read([ofLdap], instead);
  expect([hasNeededSources, unread]).toEqual([isKnown, lists]);
});
