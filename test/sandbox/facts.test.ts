import { describe, expect, test } from 'vitest';
import { askSandbox, type SandboxAnswer } from '../support/ask-sandbox.ts';
import { isJsonList, isJsonObject, textOf, type JsonObject } from '../../src/base/json.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { otherClient } from '../support/other-client.ts';

// For these kinds, only the initial records are written by hand. The answers are as recorded from 2025.12.4.

function of(release: SandboxRelease): Sandbox {
  return seedSandbox({}, release).sandbox;
}

describe('a scope mapping in the sandbox', () => {
  const path = '/propertymappings/provider/scope/';
  const fields = { name: 'Rooms', scope_name: 'rooms', expression: 'return {}' };
  const record = {
    ...fields,
    managed: null,
    description: '',
    component: 'ak-property-mapping-provider-scope-form',
    verbose_name: 'Scope Mapping',
    verbose_name_plural: 'Scope Mappings',
    meta_model_name: 'authentik_providers_oauth2.scopemapping',
  };

  test('is created only with its required fields', () => {
    const sandbox = of('2025.12');
    const required = ['This field is required.'];
    expect(askSandbox(sandbox, 'POST', path, {})).toMatchObject({
      status: 400,
      body: { name: required, expression: required, scope_name: required },
    });
    const made = askSandbox(sandbox, 'POST', path, { ...fields, unknown: 1, pk: 'mine' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ pk: made.body['pk'], ...record });
  });

  test('needs a name that no mapping of any type has', () => {
    const sandbox = of('2025.12');
    askSandbox(sandbox, 'POST', path, fields);
    const taken = { status: 400, body: { name: ['Property Mapping with this name already exists.'] } };
    expect(askSandbox(sandbox, 'POST', path, fields)).toMatchObject(taken);
    expect(askSandbox(sandbox, 'POST', '/propertymappings/provider/saml/', fields)).toMatchObject(taken);
  });

  test('is in the list of all mappings and in the list of its type, but not in the list of another type', () => {
    const sandbox = of('2025.12');
    askSandbox(sandbox, 'POST', path, fields);
    const found = (list: string): unknown =>
      askSandbox(sandbox, 'GET', `${list}?name=Rooms&search=rooms`).body['results'];
    expect(found(path)).toEqual([expect.objectContaining(record)]);
    expect(found('/propertymappings/all/')).toEqual([
      expect.objectContaining({ name: 'Rooms', component: record.component }),
    ]);
    expect(found('/propertymappings/provider/saml/')).toEqual([]);
  });

  test('is read, updated and deleted by its id', () => {
    const sandbox = of('2025.12');
    const one = `${path}${textOf(askSandbox(sandbox, 'POST', path, fields).body['pk'])}/`;
    expect(askSandbox(sandbox, 'PATCH', one, {})).toMatchObject({ status: 200, body: record });
    expect(askSandbox(sandbox, 'PATCH', one, { name: 'Desks' })).toMatchObject({
      status: 200,
      body: { name: 'Desks' },
    });
    expect(askSandbox(sandbox, 'PUT', one, { name: 'Desks' }).status).toBe(400);
    expect(askSandbox(sandbox, 'GET', `${one}used_by/`).status).toBe(200);
    expect(askSandbox(sandbox, 'DELETE', one).status).toBe(204);
    expect(askSandbox(sandbox, 'GET', one)).toMatchObject({
      status: 404,
      body: { detail: 'No ScopeMapping matches the given query.' },
    });
  });

  test('has another path in release 2023.10', () => {
    const sandbox = of('2023.10');
    expect(askSandbox(sandbox, 'GET', path).status).toBe(404);
    expect(askSandbox(sandbox, 'POST', '/propertymappings/scope/', fields)).toMatchObject({
      status: 201,
      body: { ...fields, meta_model_name: record.meta_model_name },
    });
  });

  test('that ships with the service is found by the name of its scope', () => {
    const { results = [] } = askSandbox(of('2025.12'), 'GET', `${path}?scope_name=email`).body;
    expect(results).toEqual([
      expect.objectContaining({
        managed: 'goauthentik.io/providers/oauth2/scope-email',
        scope_name: 'email',
      }),
    ]);
  });
});

test('the sandbox creates a role, finds it by its name, and refuses a second one with that name', () => {
  const sandbox = of('2026.8');
  const made = askSandbox(sandbox, 'POST', '/rbac/roles/', { name: 'Readers' });
  expect(made).toMatchObject({ status: 201, body: { name: 'Readers' } });
  expect(askSandbox(sandbox, 'GET', '/rbac/roles/?name=Readers').body['results']).toEqual([made.body]);
  expect(askSandbox(sandbox, 'POST', '/rbac/roles/', { name: 'Readers' })).toMatchObject({
    status: 400,
    body: { name: ['Role with this name already exists.'] },
  });
});

test.each([
  ['/core/brands/', 'domain', 'brand_uuid', 'id.example.com'],
  ['/core/tokens/', 'identifier', 'pk', 'deploy'],
  ['/endpoints/agents/connectors/', 'name', 'connector_uuid', 'Agents'],
] as const)('the sandbox finds a record of %s by its %s, and names its id %s', (path, identity, id, name) => {
  const sandbox = of('2025.12');
  const { body } = askSandbox(sandbox, 'POST', path, { [identity]: name });
  expect(body).toMatchObject({ [identity]: name, [id]: otherClient(sandbox).pk(path, name) });
  const last = identity === 'identifier' ? name : textOf(body[id]);
  expect(askSandbox(sandbox, 'GET', `${path}${last}/`)).toMatchObject({ status: 200, body });
});

describe('the settings of the sandbox', () => {
  const path = '/admin/settings/';

  test('are one record, and an update replaces all flags, even flags that the release does not know', () => {
    const sandbox = of('2025.12');
    expect(askSandbox(sandbox, 'GET', path)).toMatchObject({
      status: 200,
      allow: 'GET, PUT, PATCH, HEAD, OPTIONS',
    });
    const flags = { core_default_app_access: false };
    expect(askSandbox(sandbox, 'PATCH', path, { flags })).toMatchObject({ status: 200, body: { flags } });
    expect(askSandbox(sandbox, 'PATCH', path, { flags: {} }).body['flags']).toEqual({});
    expect(askSandbox(sandbox, 'PATCH', path, { flags: 1 }).status).toBe(400);
    expect(askSandbox(of('2023.10'), 'GET', path).status).toBe(404);
  });

  test.each([
    ['2025.12', true],
    ['2026.5', false],
  ] as const)('deny access to records without bindings in releases with the flag: %s', (release, passing) => {
    const sandbox = of(release);
    otherClient(sandbox).create('application', { slug: 'wiki', name: 'Wiki' });
    const check = (): unknown =>
      askSandbox(sandbox, 'GET', '/core/applications/wiki/check_access/').body['passing'];
    expect(check()).toBe(true);
    askSandbox(sandbox, 'PATCH', path, { flags: { core_default_app_access: false } });
    expect(check()).toBe(passing);
  });
});

test('a token of the sandbox has the rights that the seed gives it for every kind', () => {
  const rights = {
    view_stages: ['No'],
    change_stages: 'none',
    add_event_rules: false,
    view_settings: 'none',
  };
  const { sandbox } = seedSandbox({ tokens: [{ token: 'few', rights }] }, '2025.12');
  for (const name of ['No', 'Never']) otherClient(sandbox).create('/stages/deny/', { name });
  const asked = (method: string, path: string): SandboxAnswer => askSandbox(sandbox, method, path, {}, 'few');
  const { results } = asked('GET', '/stages/all/').body;
  expect(results).toMatchObject([{ name: 'No' }]);
  const pk = textOf(otherClient(sandbox).pk('/stages/deny/', 'No'));
  expect(asked('PATCH', `/stages/deny/${pk}/`).status).toBe(403);
  expect(asked('POST', '/events/rules/').status).toBe(403);
  expect(asked('POST', '/stages/deny/').status).toBe(400);
  expect(asked('GET', '/admin/settings/').status).toBe(403);
});

describe.each([
  ['2023.10', 13, 18],
  ['2025.12', 14, 18],
  ['2026.8', 14, 18],
] as const)('a fresh sandbox of release %s', (release, flows, stages) => {
  const { sandbox } = seedSandbox({ is_fresh: true }, release);
  const listed = (path: string): JsonObject[] => {
    const { results = null } = askSandbox(sandbox, 'GET', `${path}?page_size=100`).body;
    return isJsonList(results) ? results.filter(isJsonObject) : [];
  };

  test('has the flows and stages that ship with the service, and nothing else', () => {
    expect(listed('/flows/instances/')).toHaveLength(flows);
    expect(listed('/stages/all/')).toHaveLength(stages);
    expect(listed('/providers/all/')).toEqual([]);
    const group = listed('/core/groups/').find(({ name }) => name === 'authentik Admins');
    const admins = listed('/core/users/').filter(({ username }) => username === 'akadmin');
    expect(admins).toMatchObject([{ is_superuser: true, groups: [group?.['pk']] }]);
  });

  test('has the bindings of its flows, and every record that another record refers to', () => {
    const bound = listed('/flows/bindings/').filter(
      ({ target }) => target === otherClient(sandbox).pk('/flows/instances/', 'default-authentication-flow'),
    );
    expect(
      bound.map(({ stage_obj }) => isJsonObject(stage_obj ?? null) && (stage_obj as JsonObject)['name']),
    ).toEqual([
      'default-authentication-identification',
      'default-authentication-password',
      'default-authentication-mfa-validation',
      'default-authentication-login',
    ]);
    for (const { policy_obj, target } of listed('/policies/bindings/')) {
      expect(policy_obj).toMatchObject({ bound_to: 1 });
      expect(target).not.toBeNull();
    }
  });

  test('can update its records', () => {
    const pk = textOf(otherClient(sandbox).pk('/stages/password/', 'default-authentication-password'));
    const changed = askSandbox(sandbox, 'PATCH', `/stages/password/${pk}/`, {
      failed_attempts_before_cancel: 3,
    });
    expect(changed).toMatchObject({ status: 200, body: { failed_attempts_before_cancel: 3 } });
  });
});

test('the sandbox refuses an enterprise type without a licence', () => {
  const fields = { name: 'Old' };
  const path = '/policies/unique_password/';
  expect(askSandbox(of('2025.12'), 'POST', path, fields)).toMatchObject({
    status: 400,
    body: { non_field_errors: ['Enterprise is required to create/update this object.'] },
  });
  expect(askSandbox(seedSandbox({ is_licensed: true }, '2025.12').sandbox, 'POST', path, fields).status).toBe(
    201,
  );
});

test('another client creates, changes and deletes records of any kind, by the path of the list', () => {
  const sandbox = of('2025.12');
  expect(otherClient(sandbox).create('/stages/deny/', { name: 'No' })).toMatchObject({
    record: { name: 'No' },
  });
  otherClient(sandbox).change('/stages/deny/', 'No', { deny_message: 'Never' });
  expect(otherClient(sandbox).record('/stages/deny/', 'No')).toMatchObject({ deny_message: 'Never' });
  expect(otherClient(sandbox).record('/stages/dummy/', 'No')).toBeUndefined();
  expect(otherClient(sandbox).delete('/stages/deny/', 'No')).toBe(true);
  expect(() => otherClient(sandbox).create('/stages/nothing/', {})).toThrow(
    'release 2025.12 cannot create records',
  );
});

test('the sandbox refuses a signing key of a provider that signs nothing', () => {
  const { sandbox } = seedSandbox({ is_fresh: true }, '2025.12');
  const others = otherClient(sandbox);
  const flow = (slug: string): string => textOf(others.pk('/flows/instances/', slug) ?? null);
  const provider = {
    name: 'S',
    acs_url: 'https://s.example.com/',
    authorization_flow: flow('default-provider-authorization-implicit-consent'),
    invalidation_flow: flow('default-provider-invalidation-flow'),
    signing_kp: textOf(others.pk('certificate', 'authentik Self-signed Certificate') ?? null),
  };
  expect(others.create('/providers/saml/', { ...provider, sign_assertion: false })).toHaveProperty('errors');
  expect(others.create('/providers/saml/', { ...provider, sign_assertion: true })).toHaveProperty('record');
});

describe.each(['2023.10', '2026.8'] as const)('a record in the sandbox of release %s', (release) => {
  test('with an invalid form, an unknown choice or a dangling reference is refused with a message for each field', () => {
    const refused = askSandbox(of(release), 'POST', '/flows/bindings/', {
      target: '00000000-0000-4000-8000-000000000000',
      stage: 'none',
      order: 2 ** 31,
      policy_engine_mode: 'some',
      evaluate_on_plan: 'perhaps',
    });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        target: ['Invalid pk "00000000-0000-4000-8000-000000000000" - object does not exist.'],
        stage: ['“none” is not a valid UUID.'],
        order: ['Ensure this value is less than or equal to 2147483647.'],
        policy_engine_mode: ['"some" is not a valid choice.'],
        evaluate_on_plan: ['Must be a valid boolean.'],
      },
    });
  });

  test.each([
    [-(2 ** 31), undefined],
    [-(2 ** 31) - 1, ['Ensure this value is greater than or equal to -2147483648.']],
    [2 ** 31 - 1, undefined],
  ])('with the order %i is refused only if the number is out of bounds', (order, errors) => {
    const { body } = askSandbox(of(release), 'POST', '/flows/bindings/', { order });
    expect(body['order']).toEqual(errors);
  });

  test('keeps write-only fields without showing them', () => {
    const fields = { name: 'Key', certificate_data: 'PEM', key_data: 'secret' };
    const made = askSandbox(of(release), 'POST', '/crypto/certificatekeypairs/', fields);
    expect(made).toMatchObject({ status: 201, body: { name: 'Key' } });
    expect(JSON.stringify(made.body)).not.toMatch(/certificate_data|key_data|secret/);
  });

  test('that is a stage is in the list of all stages, and this list has pages and can be sorted', () => {
    const sandbox = of(release);
    for (const name of ['b', 'a', 'c']) askSandbox(sandbox, 'POST', '/stages/dummy/', { name });
    askSandbox(sandbox, 'POST', '/stages/deny/', { name: 'd' });
    const { body } = askSandbox(sandbox, 'GET', '/stages/all/?ordering=-name&page_size=3');
    const { results = [], pagination } = body;
    expect(pagination).toMatchObject({ count: 4, total_pages: 2 });
    expect(isJsonList(results) ? results.map((one) => isJsonObject(one) && one['name']) : []).toEqual([
      'd',
      'c',
      'b',
    ]);
    expect(askSandbox(sandbox, 'POST', '/stages/all/', { name: 'e' })).toMatchObject({
      status: 405,
      allow: 'GET, HEAD, OPTIONS',
    });
  });
});
