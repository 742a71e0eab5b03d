import { kindFrom, type RowKind } from '../row.ts';

/** A duplicate name was refused by 2023.10.7 and by 2025.12.4. */
export const transport: RowKind = kindFrom({
  path: '/events/transports/',
  list: 'transports',
  unique: true,
  deletion: {},
  // The default of 2025.12.4. A manifest cannot declare this default, because it ends with a space.
  fields: { email_subject_prefix: { default: 'authentik Notification: ' } },
});

/** A duplicate name was refused by 2023.10.7 and by 2025.12.4. */
export const eventRule: RowKind = kindFrom({
  path: '/events/rules/',
  list: 'event_rules',
  unique: true,
  deletion: {},
});
