import { textOf, type JsonObject } from '../base/json.ts';
import type { Problem } from '../base/diagnostic.ts';
import { federationFields, urlProblem, patternProblem, providerFields, validityField } from './provider.ts';
import { requiredFieldCheck } from './release-checks.ts';
import { type FieldRow, type FieldRows, kindFrom, type RowKind } from './row.ts';

const fields = {
  ...providerFields,
  ...federationFields,
  property_mappings: {
    default: [],
    // With every save, the service adds the mappings that every proxy needs.
    part: 'always',
  },
  mode: { default: 'proxy', changeWarning: () => 'requests reach the application in another way' },
  external_host: {
    checks: [urlProblem],
    changeWarning: () => 'people reach the application at another URL',
  },
  internal_host: {
    default: '',
    checks: [urlProblem],
    ifMissing: (_, { mode = 'proxy' }) =>
      mode === 'proxy'
        ? {
            code: 'missing-field',
            summary: 'a new provider with the mode `proxy` needs an `internal_host`',
            detail:
              'Write the internal URL of the application, such as http://wiki.internal:8080; or choose a mode in which another proxy forwards the requests: `mode: forward_single` or `forward_domain`.',
          }
        : undefined,
  },
  internal_host_ssl_validation: {
    default: true,
    changeWarning: (isValidated) =>
      isValidated === true
        ? 'the certificate of the application is checked'
        : 'an attacker on the network can impersonate the application',
  },
  certificate: { default: null },
  skip_path_regex: {
    default: '',
    checks: [patternsProblem],
    changeWarning: () => 'other paths are open without a login',
    accessGain: ({ now, before = '' }) => {
      const earlierPaths = new Set(textOf(before).split('\n'));
      const added = textOf(now)
        .split('\n')
        .filter((path) => path.trim() !== '' && !earlierPaths.has(path));
      return added.length > 0 ? 'everyone, at more paths and without a login' : undefined;
    },
  },
  basic_auth_enabled: { default: false },
  basic_auth_user_attribute: basicAuthAttribute('basic_auth_user_attribute'),
  basic_auth_password_attribute: basicAuthAttribute('basic_auth_password_attribute'),
  intercept_header_auth: {
    default: true,
    changeWarning: (isOn) =>
      `requests with an \`Authorization\` header ${isOn === false ? 'no longer ' : ''}log in by that header`,
  },
  cookie_domain: { default: '' },
  access_token_validity: { ...validityField, default: 'hours=1' },
  refresh_token_validity: { ...validityField, default: 'days=30' },
} satisfies FieldRows;

export const proxy: RowKind = kindFrom({
  path: '/providers/proxy/',
  list: 'providers',
  referencedBy: {
    list: 'outposts',
    field: 'providers',
    example: (name) =>
      `outposts: [{ name: authentik Embedded Outpost, providers: [{ name: ${JSON.stringify(name)} }] }]`,
  },
  unique: true,
  // If a PATCH omits these fields, the service validates the PATCH as if the mode were `proxy` and the others empty.
  update: {
    requiredInUpdates: [
      'mode',
      'internal_host',
      'basic_auth_user_attribute',
      'basic_auth_password_attribute',
    ],
  },
  fields,
});

function basicAuthAttribute(field: string): FieldRow {
  const summary = `\`basic_auth_enabled\` needs \`${field}\``;
  return { default: '', ifMissing: requiredFieldCheck(summary, usesBasicAuth) };
}

function usesBasicAuth({ basic_auth_enabled: isEnabled }: JsonObject): boolean {
  return isEnabled === true;
}

function patternsProblem(lines: string): Problem | undefined {
  return lines.split('\n').map(patternProblem).find(Boolean);
}
