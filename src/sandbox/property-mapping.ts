import { byPk, type SandboxKind, type World } from './kind.ts';
import { Rows } from './rows.ts';

/** The property mappings of providers. They are only read here. */
export function propertyMappingKind({
  seed: { property_mappings: mappings = [] },
  rules,
}: World): SandboxKind {
  return {
    title: 'Property Mapping',
    list: 'property_mappings',
    path: '/api/v3/propertymappings/all/',
    allow: { list: 'GET, HEAD, OPTIONS', one: 'GET, DELETE, HEAD, OPTIONS' },
    key: byPk,
    identity: 'name',
    ordering: 'name',
    exact: [],
    searched: ({ fields }) => [fields['name']],
    // Earlier releases know no such filter; recorded there is an empty list, of a service that had no mappings.
    filters: (query) => {
      const managed = query.text('managed');
      if (managed === undefined || !rules.isLate) return [];
      if (mappings.some((mapping) => mapping.managed === managed))
        return [({ fields }) => fields['managed'] === managed];
      const refusal = `Select a valid choice. ${managed} is not one of the available choices.`;
      return { managed: [refusal] };
    },
    rows: new Rows(
      mappings.map(({ pk, name, managed = null }) => ({ pk: pk.toLowerCase(), fields: { name, managed } })),
    ),
    record: ({ pk, fields }) => ({ pk, ...fields }),
  };
}
