import { kindFrom, type KindRow, type RowKind } from '../row.ts';
import { requireField } from './require-field.ts';

/** A duplicate name was refused by 2023.10.7 and by 2025.12.4, for both types. */
const connection = {
  list: 'service_connections',
  unique: true,
  deletion: {},
} as const satisfies Partial<KindRow>;

export const serviceConnections: readonly RowKind[] = [
  kindFrom({ ...connection, path: '/outposts/service_connections/docker/' }),
  kindFrom({
    ...connection,
    path: '/outposts/service_connections/kubernetes/',
    fields: {
      // 2023.10.7 and 2025.12.4 crashed on a create without this field.
      kubeconfig: {
        ifMissing: requireField('a new connection to Kubernetes needs a `kubeconfig`'),
      },
    },
  }),
];
