import { kindsFrom, type RowKind } from '../row.ts';

const shared = { list: 'service_connections', unique: true };

export const serviceConnections: readonly RowKind[] = kindsFrom(shared, {
  '/outposts/service_connections/docker/': {},
  '/outposts/service_connections/kubernetes/': {
    // authentik 2023.10.7 and 2025.12.4 crashed on a create without this field.
    fields: { kubeconfig: { isRequired: true } },
  },
});
