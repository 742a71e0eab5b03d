import { isJsonList } from '../../base/json.ts';
import { providerFields } from '../provider.ts';
import { requiredFieldCheck } from '../release-checks.ts';
import { inRange, refusedProblem } from '../release.ts';
import { kindsFrom, type FieldRows, type RowKind } from '../row.ts';

const shared = { list: 'providers', unique: true };

const { invalidation_flow: _, ...withoutInvalidation } = providerFields;

const withMfa: FieldRows = {
  ...providerFields,
  mfa_support: {
    changeWarning: (isOn) =>
      isOn === true
        ? 'people may have to append a code to their password'
        : 'people may log in without a second factor',
  },
};

export const providers: readonly RowKind[] = kindsFrom(shared, {
  '/providers/google_workspace/': { isEnterprise: true },
  '/providers/ldap/': {
    fields: withMfa,
    notDeclarable: {
      bind_flow: 'Write `authorization_flow`, which is the flow of a bind.',
      unbind_flow: 'Write `invalidation_flow`, which is the flow of an unbind.',
      search_group:
        'Since release 2024.8, the permission `search_full_directory` replaces this field. Grant it to a role in the service.',
    },
  },
  '/providers/microsoft_entra/': { isEnterprise: true },
  '/providers/rac/': { fields: withoutInvalidation },
  '/providers/radius/': { credentials: { fields: () => ['shared_secret'] }, fields: withMfa },
  '/providers/saml/': {
    // If a PATCH contains a key, the service requires the fields that say what is signed.
    requires: {
      oneOf: ['sign_assertion', 'sign_response'],
      by: 'a `signing_kp`',
      ifGiven: 'signing_kp',
      from: '2024.8',
    },
    fields: {
      ...providerFields,
      sign_assertion: {},
      logout_method: {
        checks: [
          (method, _release, others) =>
            method === 'backchannel' && others?.()['sls_binding'] === 'redirect'
              ? refusedProblem('this logout method for the binding `redirect`', 'Write `sls_binding: post`.')
              : undefined,
        ],
      },
      issuer_override: { earlier: { field: 'issuer' } },
      verification_kp: {
        changeWarning: (key) =>
          key === null
            ? 'requests for a login need no signature'
            : 'requests for a login need a signature by another key',
      },
    },
  },
  '/providers/scim/': {
    fields: {
      group_filters: {
        earlier: { field: 'filter_group', isSingle: true },
        changeWarning: (groups, before) => {
          if (!isJsonList(groups) || !isJsonList(before)) return 'other users are provisioned';
          if (groups.length === 0)
            return 'all users are provisioned, no longer only the members of certain groups';
          return before.length === 0
            ? 'only the members of certain groups are provisioned, no longer all users'
            : 'the members of a different set of groups are provisioned';
        },
      },
      token: {
        ifMissing: requiredFieldCheck(
          'before release 2025.10, a new SCIM provider needs a `token`',
          (_sent, release) => inRange({ from: '2025.10' }, release) !== true,
        ),
      },
    },
  },
  '/providers/ssf/': { isEnterprise: true },
  '/providers/wsfed/': {
    isEnterprise: true,
    requires: { oneOf: ['sign_assertion'], by: 'a `signing_kp`', ifGiven: 'signing_kp' },
    fields: providerFields,
  },
});
