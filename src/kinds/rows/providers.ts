import { isJsonList } from '../../base/json.ts';
import { providerFields } from '../provider.ts';
import { requiredFieldCheck } from '../release-checks.ts';
import { inRange } from '../release.ts';
import { kindsFrom, type FieldRows, type RowKind } from '../row.ts';

/** Names are unique across types. authentik 2023.10.7 and 2025.12.4 refused a duplicate name for every type that needs no licence. */
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
  '/providers/ldap/': { fields: withMfa },
  '/providers/microsoft_entra/': { isEnterprise: true },
  '/providers/rac/': { fields: withoutInvalidation },
  '/providers/radius/': { fields: withMfa },
  '/providers/saml/': {
    fields: {
      ...providerFields,
      issuer_override: { formerly: 'issuer' },
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
        formerly: 'filter_group',
        wasSingle: true,
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
        ifMissing: (release, otherFields) =>
          inRange({ from: '2025.10' }, release) === true
            ? undefined
            : requiredFieldCheck('before release 2025.10, a new SCIM provider needs a `token`')(
                release,
                otherFields,
              ),
      },
    },
  },
  '/providers/ssf/': { isEnterprise: true },
  '/providers/wsfed/': { fields: providerFields },
});
