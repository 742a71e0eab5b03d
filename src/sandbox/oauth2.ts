import { isJsonList, isJsonObject, textOf, type JsonValue } from '../base/json.ts';
import { blankField, choiceField, fieldOf, flagField, textField, type Field } from './fields.ts';
import { digest } from './ids.ts';
import type { World, WrittenKind } from './kind.ts';
import { certificateField, typedProviderKind, validityField } from './provider.ts';
import { typeName } from './python.ts';
import type { Row } from './rows.ts';

const path = '/api/v3/providers/oauth2/';

/** The providers of OAuth2 and OpenID. What nobody sends as id and secret, the service makes, and shows. */
export function oauth2Kind(world: World): WrittenKind {
  return typedProviderKind(world, {
    path,
    component: 'ak-provider-oauth2-form',
    madeOfIt: ['ak-provider-proxy-form'],
    exact: ['name', 'client_id'],
    fields: oauth2Fields(world),
    made: (values, own, pk) => ({
      stored: {
        ...values,
        ...(!own && values['client_id'] === undefined && { client_id: digest(`client ${pk}`, 40) }),
        ...(!own && values['client_secret'] === undefined && { client_secret: madeSecret(pk) }),
      },
    }),
  });
}

function madeSecret(pk: number): string {
  return digest(`one half of a secret ${pk}`, 64) + digest(`the other half ${pk}`, 64);
}

function oauth2Fields(world: World): Record<string, Field> {
  const { isLate } = world.rules;
  const taken = (id: string, own?: Row): string | undefined =>
    world.rows('provider').isTaken('client_id', id, own)
      ? 'OAuth2/OpenID Provider with this Client ID already exists.'
      : undefined;
  return {
    client_type: choiceField({ confidential: 'Confidential', public: 'Public' }, 'confidential'),
    client_id: textField({ first: taken, maxLength: 255 }, { label: 'Client ID', isMade: true }),
    client_secret: textField({ blank: true, maxLength: 255 }, { label: 'Client Secret', isMade: true }),
    access_code_validity: validityField('minutes=1'),
    access_token_validity: validityField('hours=1'),
    refresh_token_validity: validityField('days=30'),
    include_claims_in_id_token: flagField(true, { label: 'Include claims in id_token' }),
    signing_key: certificateField(world, 'Signing Key'),
    redirect_uris: isLate
      ? fieldOf(world.rules.hidesApplications ? readTypedUris : readUris, { label: 'Redirect URIs' })
      : blankField({}, { type: 'field', label: 'Redirect URIs' }),
    sub_mode: choiceField(subModes, 'hashed_user_id'),
    issuer_mode: choiceField({ global: 'Same identifier', per_provider: 'Each provider' }, 'per_provider'),
    ...(isLate && {
      encryption_key: certificateField(world, 'Encryption Key'),
      refresh_token_threshold: validityField('seconds=0'),
      logout_uri: blankField({}, { type: 'url', label: 'Logout URI' }),
      logout_method: choiceField(
        { backchannel: 'Back-channel', frontchannel: 'Front-channel' },
        'backchannel',
      ),
    }),
    ...(world.rules.hidesApplications && { grant_types: fieldOf(readTexts, { type: 'list', default: [] }) }),
  };
}

const subModes = Object.fromEntries(
  ['hashed_user_id', 'user_id', 'user_uuid', 'user_username', 'user_email', 'user_upn'].map((mode) => [
    mode,
    mode,
  ]),
);

/** A list of URIs, each with its mode. */
const readUris: Field['read'] = (value) => {
  if (!isJsonList(value))
    return {
      errors: { non_field_errors: [`Expected a list of items but got type "${typeName(value)}".`] },
    };
  const uris: JsonValue[] = [];
  for (const uri of value) {
    if (
      !isJsonObject(uri) ||
      typeof uri['url'] !== 'string' ||
      !/^(?:strict|regex)$/.test(textOf(uri['matching_mode']))
    )
      return { errors: [{ matching_mode: ['This field is required.'] }] };
    uris.push({ matching_mode: uri['matching_mode'] ?? null, url: uri['url'] });
  }
  return { value: uris };
};

/** The same, each with its type. */
const readTypedUris: Field['read'] = (value, ...rest) => {
  const read = readUris(value, ...rest);
  if (!('value' in read) || !isJsonList(read.value) || !isJsonList(value)) return read;
  const types = value.map((uri) => (isJsonObject(uri) ? uri['redirect_uri_type'] : undefined));
  return {
    value: read.value.map((uri, index) => ({
      ...(isJsonObject(uri) && uri),
      redirect_uri_type: types[index] ?? 'authorization',
    })),
  };
};

const readTexts: Field['read'] = (value) =>
  isJsonList(value) ? { value } : { errors: [`Expected a list of items but got type "${typeName(value)}".`] };
