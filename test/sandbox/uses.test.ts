import { describe, expect, test } from 'vitest';
import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../../src/base/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { askSandbox } from '../support/ask-sandbox.ts';
import { otherClient } from '../support/other-client.ts';

function made(sandbox: Sandbox, path: string, fields: JsonObject): JsonObject {
  const created = otherClient(sandbox).create(path, fields);
  if (!('record' in created)) throw new Error(JSON.stringify(created));
  return created.record;
}

/** The types of the records in `used_by` of a record, each with what a delete does to it. */
function uses(sandbox: Sandbox, path: string, { pk = null, slug }: JsonObject): string[] {
  const headers = { authorization: `Bearer ${sandboxToken}` };
  const one = `/api/v3${path}${textOf(slug ?? pk)}/used_by/`;
  const body = parseJson(sandbox.handle({ method: 'GET', path: one, headers, body: '' }).body) ?? null;
  const shown = (use: JsonValue): string =>
    isJsonObject(use) ? `${textOf(use['model_name'])} ${textOf(use['action'])}` : 'no use';
  return isJsonList(body) ? body.map(shown).toSorted() : ['no list'];
}

const flowFields = (slug: string): JsonObject => ({
  slug,
  name: slug,
  title: slug,
  designation: 'authorization',
});

describe.each([
  ['2023.10', (action: string): string => action.toUpperCase()],
  ['2025.12', (action: string): string => action],
] as const)('in the sandbox of release %s', (release, said) => {
  test('the delete of a flow frees the name of a provider that refers to the flow twice', () => {
    const { sandbox } = seedSandbox({ is_fresh: true }, release);
    const provider = (pk: JsonValue = null): JsonObject => ({
      name: 'own',
      authorization_flow: pk,
      authentication_flow: pk,
      invalidation_flow: pk,
    });
    const { pk } = made(sandbox, '/flows/instances/', flowFields('own'));
    made(sandbox, '/providers/ldap/', provider(pk));
    otherClient(sandbox).delete('/flows/instances/', 'own');
    const again = made(sandbox, '/flows/instances/', flowFields('own'));
    expect(made(sandbox, '/providers/ldap/', provider(again['pk']))['name']).toBe('own');
  });

  test('a provider that two lists show has each use of its flow once', () => {
    const { sandbox } = seedSandbox({ is_fresh: true }, release);
    const flow = made(sandbox, '/flows/instances/', flowFields('own'));
    const { pk = null } = flow;
    made(sandbox, '/providers/proxy/', {
      name: 'own',
      external_host: 'https://a.example',
      internal_host: 'https://b.example',
      authorization_flow: pk,
      invalidation_flow: pk,
    });
    askSandbox(sandbox, 'GET', '/providers/oauth2/');
    const both = [`provider ${said('cascade')}`, `provider ${said('set_default')}`];
    expect(uses(sandbox, '/flows/instances/', flow)).toEqual(release === '2023.10' ? both.slice(0, 1) : both);
  });

  test('the delete of a flow cascades to its bindings and providers, and clears other references', () => {
    const { sandbox } = seedSandbox({ is_fresh: true }, release);
    const flow = made(sandbox, '/flows/instances/', flowFields('own'));
    const { pk = null } = flow;
    const other = otherClient(sandbox).pk('/flows/instances/', 'default-invalidation-flow') ?? null;
    const stage = made(sandbox, '/stages/deny/', { name: 'no' });
    const { pk: binding } = made(sandbox, '/flows/bindings/', {
      target: pk,
      stage: stage['pk'] ?? null,
      order: 0,
    });
    const ofProvider = {
      url: 'https://x.example.com/',
      acs_url: 'https://x.example.com/',
      invalidation_flow: other,
    };
    made(sandbox, '/providers/saml/', { name: 'gone', authorization_flow: pk, ...ofProvider });
    made(sandbox, '/providers/saml/', {
      name: 'stays',
      authorization_flow: other,
      authentication_flow: pk,
      ...ofProvider,
    });
    const brands = release === '2023.10' ? '/core/tenants/' : '/core/brands/';
    made(sandbox, brands, { domain: 'x.example.com', flow_recovery: pk });

    expect(uses(sandbox, '/flows/instances/', flow)).toEqual(
      [
        `${release === '2023.10' ? 'tenant' : 'brand'} ${said('set_null')}`,
        `flowstagebinding ${said('cascade')}`,
        `provider ${said('cascade')}`,
        `provider ${said('set_null')}`,
        `stage ${said('cascade_many')}`,
      ].toSorted(),
    );
    expect(otherClient(sandbox).delete('/flows/instances/', 'own')).toBe(true);
    expect(otherClient(sandbox).record('/providers/saml/', 'gone')).toBeUndefined();
    expect(otherClient(sandbox).record('/providers/saml/', 'stays')).toMatchObject({
      authentication_flow: null,
    });
    expect(otherClient(sandbox).record(brands, 'x.example.com')).toMatchObject({ flow_recovery: null });
    expect(otherClient(sandbox).record('/stages/deny/', 'no')).toMatchObject({ flow_set: [] });
    const path = `/api/v3/flows/bindings/${textOf(binding)}/`;
    const headers = { authorization: `Bearer ${sandboxToken}` };
    expect(sandbox.handle({ method: 'GET', path, headers, body: '' }).status).toBe(404);
  });

  test('the delete of a policy cascades to all of its bindings', () => {
    const { sandbox } = seedSandbox({ is_fresh: true }, release);
    const policy = made(sandbox, '/policies/dummy/', { name: 'never' });
    const { pk: target = null } = made(sandbox, 'application', { slug: 'wiki', name: 'Wiki' });
    made(sandbox, '/policies/bindings/', { target, policy: policy['pk'] ?? null, order: 0 });
    expect(uses(sandbox, '/policies/dummy/', policy)).toEqual([`policybindingmodel ${said('cascade_many')}`]);
    otherClient(sandbox).delete('/policies/dummy/', 'never');
    const headers = { authorization: `Bearer ${sandboxToken}` };
    const path = `/api/v3/policies/bindings/?target=${textOf(target)}`;
    const { results } = parseJson(
      sandbox.handle({ method: 'GET', path, headers, body: '' }).body,
    ) as JsonObject; // the answer is a list
    expect(results).toEqual([]);
  });

  test('the delete of a provider or role clears references in applications and groups', () => {
    const { sandbox } = seedSandbox({}, release);
    made(sandbox, 'application', { slug: 'wiki', name: 'Wiki', provider: 3 });
    expect(uses(sandbox, '/providers/saml/', { pk: 3 })).toEqual([`application ${said('set_default')}`]);
    otherClient(sandbox).delete('/providers/saml/', 'Provider 3');
    expect(otherClient(sandbox).record('application', 'wiki')).toMatchObject({ provider: null });
    otherClient(sandbox).change('group', 'staff', {
      roles: [otherClient(sandbox).pk('role', 'auditors') ?? ''],
    });
    otherClient(sandbox).delete('role', 'auditors');
    expect(otherClient(sandbox).record('group', 'staff')).toMatchObject({ roles: [] });
  });

  test('the delete of a prompt removes the prompt from all stages', () => {
    const { sandbox } = seedSandbox({ is_fresh: true }, release);
    const fields = { name: 'own', field_key: 'own', label: 'Own', type: 'text', order: 0 };
    const { pk = null } = made(sandbox, '/stages/prompt/prompts/', fields);
    const { pk: other = null } = made(sandbox, '/stages/prompt/prompts/', { ...fields, name: 'other' });
    const stage = made(sandbox, '/stages/prompt/stages/', { name: 'asks', fields: [pk, other] });
    expect(uses(sandbox, '/stages/prompt/stages/', stage)).toEqual([
      `prompt ${said('cascade_many')}`,
      `prompt ${said('cascade_many')}`,
    ]);
    otherClient(sandbox).delete('/stages/prompt/prompts/', 'own');
    expect(otherClient(sandbox).record('/stages/prompt/stages/', 'asks')).toMatchObject({ fields: [other] });
  });
});
