import { kindFrom, type KindRow, type RowKind } from '../row.ts';

/** Names are unique across types. A duplicate was refused by 2023.10.7 and by 2025.12.4 for every type. */
const mapping = {
  list: 'property_mappings',
  unique: true,
  isInternal: ({ managed = null }) => managed !== null,
  deletion: {},
  notDeclarable: { managed: 'The service sets it for its own mappings.' },
} as const satisfies Partial<KindRow>;

const before = '2024.8';

export const scopeMapping: RowKind = kindFrom({
  ...mapping,
  path: '/propertymappings/provider/scope/',
  formerPath: { before, path: '/propertymappings/scope/' },
  several: 'scope mappings',
  fields: {
    scope_name: { changeWarning: () => 'applications have to request the scope by another name' },
    expression: { changeWarning: () => 'applications receive other data about their users' },
    // In 2023.10.7 and 2025.12.4, the default is an empty string.
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
  // Releases before 2024.8 require `object_field`, which later releases do not have.
  kindFrom({ ...mapping, path: '/propertymappings/source/ldap/' }),
  kindFrom({ ...mapping, path: '/propertymappings/source/oauth/' }),
  kindFrom({ ...mapping, path: '/propertymappings/source/plex/' }),
  kindFrom({ ...mapping, path: '/propertymappings/source/saml/' }),
  kindFrom({ ...mapping, path: '/propertymappings/source/scim/' }),
  kindFrom({ ...mapping, path: '/propertymappings/source/telegram/' }),
];
