import type { SeedGroup, SeedProvider } from '../generated/sandbox-seed.ts';
import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { digest, uuid } from './ids.ts';

/** An application as the sandbox stores it: the fields of the request, and what can change later. */
export interface StoredApplication {
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** Another application may take these away. */
  backchannelProviders: readonly JsonValue[];
}

export interface Surroundings {
  readonly providers: ReadonlyMap<number, SeedProvider>;
  readonly groups: ReadonlyMap<string, SeedGroup>;
  /** The application that has a provider as its main one. */
  readonly mainOf: ReadonlyMap<JsonValue, StoredApplication>;
  /** The application that has a provider as one of its backchannel providers. */
  readonly backchannelOf: ReadonlyMap<JsonValue, StoredApplication>;
}

/** An application as the service answers it, to somebody with that username. */
export function applicationRecord(
  { fields, backchannelProviders }: StoredApplication,
  username: string,
  around: Surroundings,
): JsonObject {
  const main = fields['provider'] ?? null;
  const url = textOf(fields['meta_launch_url']).replaceAll('%(username)s', username);
  return {
    pk: uuid(`application ${textOf(fields['slug'])}`),
    ...fields,
    provider_obj: main === null ? null : mainProvider(main, around),
    backchannel_providers: backchannelProviders,
    backchannel_providers_obj: backchannelProviders.map((pk) => backchannelProvider(pk, around)),
    launch_url: url === '' ? null : url,
    meta_icon: null,
  };
}

/** A user as the service answers it. */
export function userRecord(
  pk: number,
  fields: StoredApplication['fields'],
  around: Surroundings,
): JsonObject {
  const username = textOf(fields['username']);
  const groups = fields['groups'] as readonly string[]; // as they were read: a list of ids
  return {
    pk,
    ...fields,
    is_superuser: false,
    groups_obj: groups.map((group) => ({
      pk: group,
      num_pk: around.groups.get(group)?.num_pk ?? 0,
      name: around.groups.get(group)?.name ?? '',
      is_superuser: false,
      parent: null,
      attributes: {},
    })),
    avatar: '/static/dist/assets/images/user_default.png',
    uid: digest(`uid ${username}`, 64),
    uuid: uuid(`user ${username}`),
  };
}

function mainProvider(pk: JsonValue, around: Surroundings): JsonObject {
  return {
    ...provider(pk, around),
    ...assigned('assigned_application', around.mainOf.get(pk)),
    ...(around.backchannelOf.has(pk) &&
      assigned('assigned_backchannel_application', around.backchannelOf.get(pk))),
    component: 'ak-provider-oauth2-form',
    verbose_name: 'OAuth2/OpenID Provider',
    verbose_name_plural: 'OAuth2/OpenID Providers',
    meta_model_name: 'authentik_providers_oauth2.oauth2provider',
  };
}

function backchannelProvider(pk: JsonValue, around: Surroundings): JsonObject {
  return {
    ...provider(pk, around),
    ...assigned('assigned_application', around.mainOf.get(pk)),
    ...assigned('assigned_backchannel_application', around.backchannelOf.get(pk)),
    component: '',
    verbose_name: 'provider',
    verbose_name_plural: 'providers',
    meta_model_name: 'authentik_core.provider',
  };
}

function assigned(as: string, application: StoredApplication | undefined): JsonObject {
  const { slug = null, name = null } = application?.fields ?? {};
  return { [`${as}_slug`]: slug, [`${as}_name`]: name };
}

function provider(pk: JsonValue, around: Surroundings): JsonObject {
  const known = around.providers.get(Number(pk));
  return {
    pk,
    name: known?.name ?? '',
    authentication_flow: null,
    authorization_flow: known?.authorization_flow ?? uuid('authorization flow'),
    property_mappings: [],
  };
}
