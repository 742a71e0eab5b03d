import { kindFrom, kindsFrom, type KindRow, type RowKind } from '../row.ts';
import { requiredFieldCheck } from '../release-checks.ts';

const rows: readonly KindRow[] = [
  // A duplicate name was refused by authentik 2023.10.7 and by 2025.12.4.
  { list: 'roles', unique: true, rights: { to: 'its holders' } },
  { list: 'event_rules', unique: true },
  { list: 'prompts', unique: true },
  {
    list: 'transports',
    unique: true,
    // This is the default of 2025.12.4. A manifest cannot declare this default, because the default ends with a space.
    fields: { email_subject_prefix: { default: 'authentik Notification: ' } },
  },
  {
    list: 'blueprints',
    note: 'the service itself writes what the blueprint declares, whatever the switches of rollcall allow',
    unique: true,
    // authentik 2023.10.7 and 2025.12.4 refused an update that contained neither field.
    update: { requiredInUpdates: ['path', 'content'] },
    fields: {
      content: { ifMissing: requiredFieldCheck('a new blueprint needs `content` or `path`', ['path']) },
    },
  },
  {
    list: 'tokens',
    unique: true,
    // The service itself creates tokens for outposts.
    isInternal: ({ managed = null }) => managed !== null,
    rights: {
      to: 'a token',
      owner: 'user',
      takenBy: { user: 'change', intent: 'change', expiring: 'change', expires: 'change' },
    },
    // authentik 2023.10.7 and 2025.12.4 leave `managed` empty.
    fields: {
      managed: { default: null },
      user: { factField: 'is_superuser', grants: "gives its holder a superuser's rights" },
    },
  },
  // A duplicate name was refused by 2025.12.4.
  { list: 'device_access_groups', unique: true, isClosedUnbound: true },
  // Releases before 2025.12 require the field `mode`, which later releases do not have.
  { list: 'initial_permissions', unique: true, since: '2025.12' },
  // A duplicate name was accepted by authentik 2023.10.7, by 2025.12.4, or by both.
  {
    list: 'brands',
    formerPath: { path: '/core/tenants/', id: 'tenant_uuid' },
    login: { is: 'login brand', isDefault: 'default', flow: 'flow_authentication' },
  },
  {
    list: 'invitations',
    fields: {
      single_use: {
        accessGain: (now, before) =>
          now === false && before === true ? 'everyone who gets its link, any number of times' : undefined,
      },
    },
  },
  {
    list: 'rac_endpoints',
    scope: 'provider',
    leftOut: { superuser_full_list: 'true' },
    words: { usersBeforeBindings: 'everyone who may open an application of its provider' },
  },
  { list: 'enrollment_tokens', scope: 'connector' },
  // authentik 2025.12.4 refused a duplicate name within an application, and accepted the same name in another application.
  { list: 'entitlements', scope: 'app', isClosedUnbound: true },
  // No recording shows whether a duplicate name is refused.
  { list: 'lifecycle_rules' },
  { list: 'request_rules' },
];

export const singleTypes: readonly RowKind[] = rows.map(kindFrom);

/** A duplicate name was accepted by 2025.12.4. */
export const connectors: readonly RowKind[] = kindsFrom(
  { list: 'connectors' },
  {
    '/endpoints/agents/connectors/': {},
    '/endpoints/fleet/connectors/': {},
    '/endpoints/google_chrome/connectors/': {},
  },
);
