import { providerFields } from '../provider.ts';
import { requireField } from './require-field.ts';
import { inRange } from '../release.ts';
import { kindFrom, type KindRow, type RowKind } from '../row.ts';

/**
 * Their names are unique in the list of all types: a second one of a name was refused by 2023.10.7 and by 2025.12.4, of every type that
 * each has without a licence.
 */
const provider = { list: 'providers', unique: true, deletion: {} } as const satisfies Partial<KindRow>;

/** Those through which people log in. */
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

/** What a provider of remote access leads to. A second one of a name was taken by 2025.12.4, also of the same provider. */
export const racEndpoint: RowKind = kindFrom({
  path: '/rac/endpoints/',
  list: 'rac_endpoints',
  scope: 'provider',
  leftOut: { superuser_full_list: 'true' },
  deletion: {},
});
