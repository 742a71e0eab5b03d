import type { JsonObject } from '../base/json.ts';
import { uuid } from './ids.ts';
import { byPk, type SandboxKind, type World } from './kind.ts';
import { Rows, type Row } from './rows.ts';

const someFlow = uuid('authorization flow');

export function providerKind(world: World): SandboxKind {
  return {
    title: 'Provider',
    list: 'providers',
    path: '/api/v3/providers/all/',
    allow: { list: 'GET, HEAD, OPTIONS', one: 'GET, DELETE, HEAD, OPTIONS' },
    key: byPk,
    identity: 'name',
    ordering: 'pk',
    exact: [],
    searched: ({ pk, fields }) => [fields['name'], applicationOf(world, 'provider', pk)?.fields['name']],
    rows: new Rows(
      (world.seed.providers ?? [])
        .toSorted((a, b) => a.pk - b.pk)
        .map(({ pk, name, authorization_flow = someFlow }) => ({
          pk,
          fields: { name, authorization_flow },
        })),
    ),
    record: (provider) => providerRecord(world, provider),
  };
}

/** A provider by itself or as the main one of an application, or else among its backchannel providers. */
export function providerRecord(
  world: World,
  { pk, fields }: Row,
  as: 'main' | 'backchannel' = 'main',
): JsonObject {
  const { isLate } = world.rules;
  const backchannel = applicationOf(world, 'backchannel_providers', pk);
  return {
    pk,
    authentication_flow: null,
    ...fields,
    ...(isLate && { invalidation_flow: uuid('invalidation flow') }),
    property_mappings: [],
    ...assigned('assigned_application', applicationOf(world, 'provider', pk)),
    ...((isLate || backchannel || as === 'backchannel') &&
      assigned('assigned_backchannel_application', backchannel)),
    ...models[as],
  };
}

const models = {
  main: {
    component: 'ak-provider-oauth2-form',
    verbose_name: 'OAuth2/OpenID Provider',
    verbose_name_plural: 'OAuth2/OpenID Providers',
    meta_model_name: 'authentik_providers_oauth2.oauth2provider',
  },
  backchannel: {
    component: '',
    verbose_name: 'provider',
    verbose_name_plural: 'providers',
    meta_model_name: 'authentik_core.provider',
  },
};

/** The application that has a provider in that field. */
function applicationOf(
  { rows }: World,
  field: 'provider' | 'backchannel_providers',
  pk: Row['pk'],
): Row | undefined {
  return rows('application').with(field, pk)[0];
}

function assigned(as: string, application: Row | undefined): JsonObject {
  const { slug = null, name = null } = application?.fields ?? {};
  return { [`${as}_slug`]: slug, [`${as}_name`]: name };
}
