import { kindFrom, kindsFrom, type KindRow, type RowKind } from '../row.ts';
import { isJsonList, isJsonObject, type JsonValue } from '../../base/json.ts';
import { gainIfSetTo, type ItemProblem } from '../kind.ts';
import { policyBindings } from '../policy-bindings.ts';
import { likelyRefusedProblem, refusedProblem } from '../release.ts';
import { timeChecks } from '../time.ts';
import { sameJson } from '../values.ts';

/** The intents of tokens that the API can create. */
const intents: ReadonlySet<JsonValue> = new Set(['api', 'app_password']);

const rows: readonly KindRow[] = [
  {
    list: 'roles',
    unique: true,
    rights: { to: 'its holders', lostInUpdates: 'its global permissions' },
    notDeclarable: { permissions: 'rollcall sets no permissions. Grant them in the service.' },
  },
  { list: 'event_rules', unique: true, fields: { destination_group: { earlier: { field: 'group' } } } },
  { list: 'prompts', unique: true },
  {
    list: 'transports',
    unique: true,
    // This is the default of 2025.12.4. A manifest cannot declare this default, because the default ends with a space.
    fields: {
      email_subject_prefix: { default: 'authentik Notification: ' },
      webhook_mapping_body: { earlier: { field: 'webhook_mapping' } },
    },
  },
  {
    list: 'blueprints',
    note: 'the service itself writes what an enabled blueprint declares, whatever the switches of rollcall allow',
    unique: true,
    // authentik 2023.10.7 and 2025.12.4 refused an update that contained neither field.
    requires: { oneOf: ['content', 'path'], by: 'a new blueprint' },
  },
  {
    list: 'tokens',
    unique: true,
    notDeclarable: { key: 'rollcall sets no keys: the service makes the key, and shows it to the owner.' },
    // The service itself creates tokens for outposts, and for links to recover an account or verify an address.
    isInternal: ({ managed = null, intent = 'api' }) => managed !== null || !intents.has(intent),
    rights: {
      to: 'a token',
      owner: 'user',
      takenBy: { intent: 'change', expiring: 'change', expires: 'change' },
    },
    update: {
      // If a PATCH omits these fields, the service gives the token to the user of the request, and sets the intent to `api`.
      requiredInUpdates: ['user', 'intent'],
      refusal: ({ user: before = null }, { user = before }) =>
        sameJson(user, before)
          ? undefined
          : 'rollcall, like the service since 2024.6, does not give a token to another user: delete this token, and declare one of another name',
    },
    // authentik 2023.10.7 and 2025.12.4 leave `managed` empty.
    fields: {
      managed: { default: null },
      intent: { written: { enum: [...intents] } },
      expires: {
        isAccepted: ({ intent = 'api' }) => intent !== 'api',
        checks: [
          ...timeChecks,
          (_, _release, others) => {
            const { intent = null, expiring = true } = others?.() ?? {};
            return intent === 'api' && expiring !== false
              ? likelyRefusedProblem(
                  'the service sets its own expiry for a token with the intent `api`',
                  'Leave out `expires`, or write `expiring: false`.',
                )
              : undefined;
          },
        ],
      },
      user: { fact: { field: 'is_superuser', grants: "gives its holder a superuser's rights" } },
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
    notDeclarable: { event_retention: 'Since release 2024.2, this is a field of `settings`.' },
    login: { kind: 'login brand', isDefault: 'default', flow: 'flow_authentication' },
    fields: {
      default: {
        singleOwner: {
          code: 'duplicate-resource',
          summary: (_, owner) => `\`${owner}\` is already the default brand`,
          detail: 'The service has only one default brand.',
        },
      },
    },
  },
  {
    list: 'invitations',
    fields: {
      single_use: { accessGain: gainIfSetTo(false, 'everyone who gets its link, any number of times') },
    },
  },
  {
    list: 'rac_endpoints',
    scope: 'provider',
    // For other tokens, the service returns the endpoints that the user may open, from a cache that ignores the filters.
    listing: { completeFor: 'superusers' },
    words: { usersBeforeBindings: 'everyone who may open an application of its provider' },
  },
  { list: 'enrollment_tokens', scope: 'connector' },
  // authentik 2025.12.4 refused a duplicate name within an application, and accepted the same name in another application.
  {
    list: 'entitlements',
    scope: 'app',
    isClosedUnbound: true,
    fields: { policies: { children: policyBindings, checks: [policyOfEntitlement] } },
  },
  // The source of the service refuses a duplicate name.
  {
    list: 'lifecycle_rules',
    isEnterprise: true,
    unique: true,
    update: { requiredInUpdates: ['content_type'] },
  },
  // No recording shows whether a duplicate name is refused. Without its flow, a PATCH is refused unless the brand has such a flow.
  { list: 'request_rules', isEnterprise: true, update: { requiredInUpdates: ['request_flow'] } },
];

function policyOfEntitlement(bindings: JsonValue): ItemProblem[] {
  if (!isJsonList(bindings)) return [];
  return bindings.flatMap((binding, item) =>
    isJsonObject(binding) && Object.hasOwn(binding, 'policy')
      ? { ...refusedProblem('a policy here', 'Bind a group or a user.', 'invalid-value'), item }
      : [],
  );
}

export const singleTypes: readonly RowKind[] = rows.map(kindFrom);

/** A duplicate name was accepted by 2025.12.4. */
export const connectors: readonly RowKind[] = kindsFrom(
  { list: 'connectors' },
  {
    '/endpoints/agents/connectors/': {},
    '/endpoints/fleet/connectors/': { isEnterprise: true },
    '/endpoints/google_chrome/connectors/': { isEnterprise: true },
  },
);
