import type { ReadKind } from './kind.ts';
import { isUuid } from './values.ts';

const path = '/api/v3/propertymappings/all/';

/** Every release has mappings of its own, whose identifiers begin so: they are the same in every service. */
const ownMappings = 'goauthentik.io/';

/** What a provider tells an application about a user: a scope of OAuth2 is one. */
export const propertyMapping: ReadKind<'property_mapping'> = {
  creates: false,
  type: 'property_mapping',
  list: 'property_mappings',
  model: { type: 'propertymapping', list: 'property mappings' },
  path,
  changes: [],
  byName: {
    path,
    keys: { managed: 'managed', name: 'name' },
    keyFor: (name) => (name.startsWith(ownMappings) ? 'managed' : 'name'),
    query: { ordering: 'name' },
    // Of what is asked for by `managed`, some releases refuse what they do not have, and others know no such filter.
    narrowedTo: () => ({}),
    listedFrom: 1,
    isId: isUuid,
  },
};

/** Where to find the id of a property mapping. */
export const propertyMappingId =
  'Name and `managed` of a mapping stand in GET /api/v3/propertymappings/all/, and so does its id, its `pk`.';
