import { kindFrom, type RowKind } from './row.ts';

/** What a scope of OAuth2 tells an application about a user. */
export const scopeMapping: RowKind = kindFrom({
  path: '/propertymappings/provider/scope/',
  was: { before: '2024.8', path: '/propertymappings/scope/' },
  list: 'property_mappings',
  several: 'scope mappings',
  // A second one of a name was refused by 2023.10.7 and by 2025.12.4, which both leave the description empty.
  unique: true,
  isInternal: ({ managed = null }) => managed !== null,
  deletion: {},
  fields: {
    scope_name: { changeWarning: () => 'applications have to request the scope by another name' },
    expression: { changeWarning: () => 'applications receive other data about their users' },
    description: { default: '' },
  },
  notDeclarable: { managed: 'The service sets it for its own mappings.' },
});
