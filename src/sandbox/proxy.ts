import { textOf, type JsonValue } from '../base/json.ts';
import { choice, flag, text, type Field } from './fields.ts';
import { digest } from './ids.ts';
import type { World, WrittenKind } from './kind.ts';
import { certificateField, typedProviderKind, validity } from './provider.ts';

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
    internal_host: line('Internal host'),
    external_host: { type: 'url', label: 'External host', read: text() },
    internal_host_ssl_validation: {
      type: 'boolean',
      label: 'Internal host SSL Validation',
      read: flag,
      default: true,
    },
    certificate: certificateField(world, 'Certificate'),
    skip_path_regex: line('Skip path regex'),
    basic_auth_enabled: {
      type: 'boolean',
      label: 'Set HTTP-Basic Authentication',
      read: flag,
      default: false,
    },
    basic_auth_password_attribute: line('HTTP-Basic Password Key'),
    basic_auth_user_attribute: line('HTTP-Basic Username Key'),
    mode: choice(
      'Mode',
      { proxy: 'Proxy', forward_single: 'Forward Single', forward_domain: 'Forward Domain' },
      'proxy',
    ),
    intercept_header_auth: { type: 'boolean', label: 'Intercept header auth', read: flag, default: true },
    cookie_domain: line('Cookie domain'),
    access_token_validity: validity('Access token validity', 'hours=1'),
    refresh_token_validity: validity('Refresh token validity', 'days=30'),
  };
}

function line(label: string): Field {
  return { type: 'string', label, read: text({ blank: true }), default: '' };
}
