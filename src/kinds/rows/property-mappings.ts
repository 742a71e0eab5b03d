import { kindFrom, type KindRow, type RowKind } from '../row.ts';

/**
 * What sources and providers make of a user. Their names are unique in the list of all types: a second one of a name was refused by
 * 2023.10.7 and by 2025.12.4, of every type that each has.
 */
const mapping = {
  list: 'property_mappings',
  unique: true,
  isInternal: ({ managed = null }) => managed !== null,
  deletion: {},
  notDeclarable: { managed: 'The service sets it for its own mappings.' },
} as const satisfies Partial<KindRow>;

const before = '2024.8';

/** What a scope of OAuth2 tells an application about a user. */
export const scopeMapping: RowKind = kindFrom({
  ...mapping,
  path: '/propertymappings/provider/scope/',
  formerPath: { before, path: '/propertymappings/scope/' },
  several: 'scope mappings',
  fields: {
    scope_name: { changeWarning: () => 'applications have to request the scope by another name' },
    expression: { changeWarning: () => 'applications receive other data about their users' },
    // Both releases leave it empty.
    description: { default: '' },
  },
});

export const propertyMappings: readonly RowKind[] = [
  kindFrom({ ...mapping, path: '/propertymappings/notification/' }),
  kindFrom({ ...mapping, path: '/propertymappings/provider/google_workspace/' }),
  kindFrom({ ...mapping, path: '/propertymappings/provider/microsoft_entra/' }),
  kindFrom({
    ...mapping,
    path: '/propertymappings/provider/rac/',
    since: '2024.2',
    formerPath: { before, path: '/propertymappings/rac/' },
  }),
  kindFrom({ ...mapping, path: '/propertymappings/provider/radius/' }),
  kindFrom({
    ...mapping,
    path: '/propertymappings/provider/saml/',
    formerPath: { before, path: '/propertymappings/saml/' },
  }),
  kindFrom({
    ...mapping,
    path: '/propertymappings/provider/scim/',
    formerPath: { before, path: '/propertymappings/scim/' },
  }),
  kindFrom({ ...mapping, path: '/propertymappings/source/kerberos/' }),
  // What releases before 2024.8 have for it demands an `object_field`, which is none of its fields now.
  kindFrom({ ...mapping, path: '/propertymappings/source/ldap/' }),
  kindFrom({ ...mapping, path: '/propertymappings/source/oauth/' }),
  kindFrom({ ...mapping, path: '/propertymappings/source/plex/' }),
  kindFrom({ ...mapping, path: '/propertymappings/source/saml/' }),
  kindFrom({ ...mapping, path: '/propertymappings/source/scim/' }),
  kindFrom({ ...mapping, path: '/propertymappings/source/telegram/' }),
];
