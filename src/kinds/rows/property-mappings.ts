import type { JsonObject } from '../../base/json.ts';
import { kindsFrom, type RowKind } from '../row.ts';

const shared = {
  list: 'property_mappings',
  unique: true,
  isInternal: ({ managed = null }: JsonObject) => managed !== null,
  notDeclarable: { managed: 'The service sets this field for its own mappings.' },
};

export const propertyMappings: readonly RowKind[] = kindsFrom(shared, {
  '/propertymappings/provider/scope/': {
    formerPath: { path: '/propertymappings/scope/' },
    plural: 'scope mappings',
    fields: {
      scope_name: { changeWarning: () => 'applications have to request the scope by another name' },
      expression: { changeWarning: () => 'applications receive other data about their users' },
      // In authentik 2023.10.7 and 2025.12.4, the default is an empty string.
      description: { default: '' },
    },
  },
  '/propertymappings/notification/': {},
  '/propertymappings/provider/google_workspace/': {},
  '/propertymappings/provider/microsoft_entra/': {},
  '/propertymappings/provider/rac/': {
    since: '2024.2',
    formerPath: { path: '/propertymappings/rac/' },
  },
  '/propertymappings/provider/radius/': {},
  '/propertymappings/provider/saml/': { formerPath: { path: '/propertymappings/saml/' } },
  '/propertymappings/provider/scim/': { formerPath: { path: '/propertymappings/scim/' } },
  '/propertymappings/source/kerberos/': {},
  // Releases before 2024.8 require `object_field`, which later releases do not have.
  '/propertymappings/source/ldap/': {},
  '/propertymappings/source/oauth/': {},
  '/propertymappings/source/plex/': {},
  '/propertymappings/source/saml/': {},
  '/propertymappings/source/scim/': {},
  '/propertymappings/source/telegram/': {},
});
