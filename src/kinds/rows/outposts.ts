import { kindsFrom, type RowKind } from '../row.ts';
import { requiredFieldCheck } from '../release-checks.ts';

const shared = { list: 'service_connections', unique: true };

export const serviceConnections: readonly RowKind[] = kindsFrom(shared, {
  '/outposts/service_connections/docker/': {},
  '/outposts/service_connections/kubernetes/': {
    // authentik 2023.10.7 and 2025.12.4 crashed on a create without this field.
    fields: {
      kubeconfig: {
        ifMissing: requiredFieldCheck(
          'a new connection to Kubernetes needs a `kubeconfig`, which is `{}` for a local connection',
        ),
      },
    },
  },
});
