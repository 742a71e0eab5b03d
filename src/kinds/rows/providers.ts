import { providerFields } from '../provider.ts';
import { requireField } from './require-field.ts';
import { inRange } from '../release.ts';
import { kindFrom, type KindRow, type RowKind } from '../row.ts';

/** Names are unique across types. A duplicate was refused by 2023.10.7 and by 2025.12.4 for every type that needs no licence. */
const provider = { list: 'providers', unique: true, deletion: {} } as const satisfies Partial<KindRow>;

const login = {
  ...provider,
  fields: providerFields,
} as const satisfies Partial<KindRow>;

const { invalidation_flow: _, ...withoutInvalidation } = providerFields;

export const providers: readonly RowKind[] = [
  kindFrom({ ...provider, path: '/providers/google_workspace/', isEnterprise: true }),
  kindFrom({ ...login, path: '/providers/ldap/' }),
  kindFrom({ ...provider, path: '/providers/microsoft_entra/', isEnterprise: true }),
  kindFrom({ ...provider, path: '/providers/rac/', fields: withoutInvalidation }),
  kindFrom({ ...login, path: '/providers/radius/' }),
  kindFrom({
    ...login,
    path: '/providers/saml/',
    fields: { ...providerFields, issuer_override: { formerly: 'issuer' } },
  }),
  kindFrom({
    ...provider,
    path: '/providers/scim/',
    fields: {
      group_filters: { formerly: 'filter_group', wasSingle: true },
      token: {
        ifMissing: (release, beside) =>
          inRange({ from: '2025.10' }, release) === true
            ? undefined
            : requireField('a new SCIM provider needs a `token` before release 2025.10')(release, beside),
      },
    },
  }),
  kindFrom({ ...provider, path: '/providers/ssf/', isEnterprise: true }),
  kindFrom({ ...login, path: '/providers/wsfed/' }),
];

/** A duplicate name was accepted by 2025.12.4, even for the same provider. */
export const racEndpoint: RowKind = kindFrom({
  path: '/rac/endpoints/',
  list: 'rac_endpoints',
  scope: 'provider',
  leftOut: { superuser_full_list: 'true' },
  deletion: {},
});
