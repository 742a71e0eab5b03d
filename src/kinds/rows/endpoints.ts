import { kindFrom, type KindRow, type RowKind } from '../row.ts';

/** A duplicate name was accepted by 2025.12.4. */
const connector = { list: 'connectors', deletion: {} } as const satisfies Partial<KindRow>;

export const connectors: readonly RowKind[] = [
  kindFrom({ ...connector, path: '/endpoints/agents/connectors/' }),
  kindFrom({ ...connector, path: '/endpoints/fleet/connectors/' }),
  kindFrom({ ...connector, path: '/endpoints/google_chrome/connectors/' }),
];

/** A duplicate name was refused by 2025.12.4. */
export const deviceAccessGroup: RowKind = kindFrom({
  path: '/endpoints/device_access_groups/',
  list: 'device_access_groups',
  unique: true,
  deletion: {},
});

/** A duplicate name was accepted by 2025.12.4, even for the same connector. */
export const enrollmentToken: RowKind = kindFrom({
  path: '/endpoints/agents/enrollment_tokens/',
  list: 'enrollment_tokens',
  scope: 'connector',
  deletion: {},
});
