import { isJsonList } from '../../base/json.ts';
import { kindFrom, kindsFrom, type FieldRows, type RowKind } from '../row.ts';

const shared = { list: 'service_connections', unique: true };

export const serviceConnections: readonly RowKind[] = kindsFrom(shared, {
  '/outposts/service_connections/docker/': {},
  '/outposts/service_connections/kubernetes/': {
    // authentik 2023.10.7 and 2025.12.4 crashed on a create without this field.
    fields: { kubeconfig: { isRequired: true } },
  },
});

/** Every new service contains this outpost, without providers. */
const embedded = 'authentik Embedded Outpost';

const fields = {
  type: {},
  providers: {
    // An update replaces the whole list, which may contain providers that others have added.
    part: 'unless exactly',
    changeWarning: () => 'this outpost starts or stops serving the applications of these providers',
  },
  service_connection: { default: null },
  config: {},
} satisfies FieldRows;

export const outpost: RowKind = kindFrom({
  list: 'outposts',
  unique: true,
  update: {
    refusal: ({ name }, declared) =>
      name === embedded && declared['name'] !== embedded
        ? 'the service rejects another name for its own outpost'
        : undefined,
  },
  deletion: {
    refusal: ({ name }) =>
      name === embedded ? 'the service creates its own outpost again when it starts' : undefined,
  },
  isInternal: ({ name, providers = [] }) =>
    name === embedded && isJsonList(providers) && providers.length === 0,
  fields,
  notDeclarable: { managed: 'The service sets this field for its own outpost.' },
});
