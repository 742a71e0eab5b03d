import { textOf, type JsonValue } from '../base/json.ts';
import { blankField, choiceField, flagField, textField, type Field } from './fields.ts';
import { digest } from './ids.ts';
import type { World, WrittenKind } from './kind.ts';
import { certificateField, typedProviderKind, validityField } from './provider.ts';

const path = '/api/v3/providers/proxy/';

/** The proxy providers: a list of them knows no `name`, and a change of one is checked by what is sent alone. */
export function proxyKind(world: World): WrittenKind {
  const { isLate } = world.rules;
  return typedProviderKind(world, {
    path,
    component: 'ak-provider-proxy-form',
    exact: [],
    filters: (query) => {
      const name = query.text('name__iexact')?.toLowerCase();
      return name === undefined ? [] : [({ fields }) => textOf(fields['name']).toLowerCase() === name];
    },
    fields: proxyFields(world),
    made: (values, own, pk) => {
      const { mode = 'proxy', internal_host: internal = '' } = values;
      if (mode === 'proxy' && internal === '')
        return {
          errors: { internal_host: ['Internal host cannot be empty when forward auth is disabled.'] },
        };
      const host = textOf(values['external_host'] ?? own?.fields['external_host'] ?? '');
      const stored = {
        ...(!own && {
          client_id: digest(`client ${pk}`, 40),
          outpost_set: [],
        }),
        ...values,
        redirect_uris: callbacks(host, isLate),
      };
      return { stored };
    },
  });
}

/** Where people come back to. */
function callbacks(host: string, isLate: boolean): JsonValue {
  const urls = [`${host}/outpost.goauthentik.io/callback`, host];
  return isLate
    ? urls.map((url) => ({ matching_mode: 'strict', url: `${url}?X-authentik-auth-callback=true` }))
    : urls.map((url) => `${url}\\?X-authentik-auth-callback=true`).join('\n');
}

function proxyFields(world: World): Record<string, Field> {
  return {
    internal_host: blankField(),
    external_host: textField({}, { type: 'url' }),
    internal_host_ssl_validation: flagField(true, { label: 'Internal host SSL Validation' }),
    certificate: certificateField(world, 'Certificate'),
    skip_path_regex: blankField(),
    basic_auth_enabled: flagField(false, { label: 'Set HTTP-Basic Authentication' }),
    basic_auth_password_attribute: blankField({}, { label: 'HTTP-Basic Password Key' }),
    basic_auth_user_attribute: blankField({}, { label: 'HTTP-Basic Username Key' }),
    mode: choiceField(
      { proxy: 'Proxy', forward_single: 'Forward Single', forward_domain: 'Forward Domain' },
      'proxy',
    ),
    intercept_header_auth: flagField(true),
    cookie_domain: blankField(),
    access_token_validity: validityField('hours=1'),
    refresh_token_validity: validityField('days=30'),
  };
}
