import type { ReadKind } from './kind.ts';
import { isUuid } from './values.ts';

const path = '/api/v3/flows/instances/';

/** What people go through to log in, to agree, or to log out. */
export const flow: ReadKind<'flow'> = {
  creates: false,
  type: 'flow',
  list: 'flows',
  path,
  permissionsOf: 'authentik_flows',
  changes: [],
  byName: {
    path,
    keys: { slug: 'slug' },
    query: { ordering: 'slug' },
    narrowedTo: (slug) => ({ slug }),
    listedFrom: 2,
    isId: isUuid,
  },
};

/** Where to find the id of a flow. */
export const flowId =
  'The slug of a flow stands in Flows and Stages > Flows, and its id is its `pk` in GET /api/v3/flows/instances/?slug=SLUG.';
