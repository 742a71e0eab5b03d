import { providerFields } from '../provider.ts';
import { requiredFieldCheck } from '../release-checks.ts';
import { inRange } from '../release.ts';
import { kindsFrom, type RowKind } from '../row.ts';

/** Names are unique across types. authentik 2023.10.7 and 2025.12.4 refused a duplicate name for every type that needs no licence. */
const shared = { list: 'providers', unique: true };

const { invalidation_flow: _, ...withoutInvalidation } = providerFields;

export const providers: readonly RowKind[] = kindsFrom(shared, {
  '/providers/google_workspace/': { isEnterprise: true },
  '/providers/ldap/': { fields: providerFields },
  '/providers/microsoft_entra/': { isEnterprise: true },
  '/providers/rac/': { fields: withoutInvalidation },
  '/providers/radius/': { fields: providerFields },
  '/providers/saml/': { fields: { ...providerFields, issuer_override: { formerly: 'issuer' } } },
  '/providers/scim/': {
    fields: {
      group_filters: { formerly: 'filter_group', wasSingle: true },
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
