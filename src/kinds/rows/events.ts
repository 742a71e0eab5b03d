import { kindFrom, type RowKind } from '../row.ts';

/** A duplicate name was refused by 2023.10.7 and by 2025.12.4. */
export const transport: RowKind = kindFrom({
  path: '/events/transports/',
  list: 'transports',
  unique: true,
  deletion: {},
  // 2025.12.4 fills it in like this, and no manifest can declare the blank at its end.
  fields: { email_subject_prefix: { default: 'authentik Notification: ' } },
});

/** A duplicate name was refused by 2023.10.7 and by 2025.12.4. */
export const eventRule: RowKind = kindFrom({
  path: '/events/rules/',
  list: 'event_rules',
  unique: true,
  deletion: {},
});
