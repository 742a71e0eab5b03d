import { isJsonList, textOf, type JsonValue } from '../../base/json.ts';
import { gainIfSetTo, type ValueForms } from '../kind.ts';
import { validityRefusal } from '../provider.ts';
import { likelyRefusedProblem } from '../release.ts';
import { kindsFrom, type FieldRow, type RowKind } from '../row.ts';
import { requiredFieldCheck } from '../release-checks.ts';

/** Converts between the string that later releases use and the number that earlier releases use. */
function earlierNumber(former: (text: string) => number, text: (number: JsonValue) => string): ValueForms {
  return {
    former: (declared) => former(textOf(declared)),
    held: (observed) => (typeof observed === 'number' ? text(observed) : observed),
  };
}

function minutesIn(text: string): number {
  return Number(/^minutes=(\d+)$/.exec(text)?.[1]);
}

/** A text that the service probably refuses as a duration. */
const duration: FieldRow = {
  checks: [
    (text) =>
      validityRefusal(textOf(text)) &&
      likelyRefusedProblem(
        'the service probably refuses this duration',
        'Write units and numbers, such as `hours=10`.',
      ),
  ],
};

function isEmptyList(value: JsonValue): boolean {
  return isJsonList(value) && value.length === 0;
}

const identifying = { kind: 'login stage', identifies: true } as const;

const shared = { list: 'stages', unique: true, login: { kind: 'login stage' } } as const;

export const stages: readonly RowKind[] = kindsFrom(shared, {
  '/stages/account_lockdown/': { isEnterprise: true },
  '/stages/authenticator/duo/': {},
  '/stages/authenticator/email/': {},
  '/stages/authenticator/endpoint_gdtc/': { isEnterprise: true },
  '/stages/authenticator/sms/': {},
  '/stages/authenticator/static/': {},
  // Releases before 2024.2 use a number for `digits`.
  '/stages/authenticator/totp/': {
    fields: {
      digits: {
        written: { type: ['string', 'integer'], enum: ['6', '8', 6, 8] },
        form: { ...earlierNumber((digits) => Number(digits), textOf), sent: textOf },
        same: (declared, observed) => textOf(declared) === textOf(observed),
      },
    },
  },
  // In 2025.12.4, users without a device skip the stage by default. With `configure`, anyone who knows a user name can set up a device.
  '/stages/authenticator/validate/': {
    login: {
      ...identifying,
      proves: { field: 'not_configured_action', value: 'deny' },
      // Without `configuration_stages`, nobody can set up a device in the stage.
      refuses: ({ not_configured_action: action = null, configuration_stages: offered = null }) =>
        action === 'deny' || (action === 'configure' && isJsonList(offered) && offered.length === 0)
          ? 'people without a device'
          : undefined,
    },
    // If a PATCH contains `configure`, the service requires the stages for the configuration.
    update: { requiredInUpdates: ['configuration_stages'] },
    fields: {
      last_auth_threshold: duration,
      not_configured_action: {
        changeWarning: (action) =>
          action === 'deny' ? 'people without a device can no longer pass this stage' : undefined,
      },
      configuration_stages: {
        ifMissing: requiredFieldCheck(
          'the action `configure` needs `configuration_stages`',
          ({ not_configured_action: action = null }) => action === 'configure',
        ),
      },
    },
  },
  '/stages/authenticator/webauthn/': {},
  '/stages/captcha/': {},
  '/stages/consent/': { fields: { consent_expire_in: duration } },
  '/stages/deny/': { login: { kind: 'login stage', denies: true } },
  '/stages/dummy/': {},
  '/stages/email/': {
    login: { kind: 'login stage', proves: true },
    // Releases before 2025.4 use a number of minutes for `token_expiry`.
    fields: { token_expiry: { form: earlierNumber(minutesIn, (minutes) => `minutes=${textOf(minutes)}`) } },
  },
  '/stages/endpoints/': { login: identifying },
  '/stages/identification/': {
    // authentik 2023.10.7 and 2025.12.4 refused an update that contained none of these fields.
    requires: { oneOf: ['user_fields', 'sources'], by: 'a new identification stage' },
    login: {
      ...identifying,
      challenge: 'ak-stage-identification',
      takesName: 'user_fields',
      shows: 'password_stage',
      offers: ['sources', 'passwordless_flow'],
      passkeys: 'webauthn_stage',
    },
    fields: {
      user_fields: {
        checks: [
          (given, _, otherFields) =>
            isEmptyList(given) && isEmptyList(otherFields?.()['sources'] ?? [])
              ? likelyRefusedProblem(
                  'an identification stage needs `user_fields` or `sources`',
                  'If the record already has `sources`, ignore this.',
                )
              : undefined,
        ],
      },
      enrollment_flow: {
        accessGain: ({ now }) => (now === null ? undefined : 'anyone, who may now enrol'),
      },
    },
  },
  '/stages/invitation/stages/': {
    login: { kind: 'login stage', invites: 'continue_flow_without_invitation' },
    fields: {
      continue_flow_without_invitation: { accessGain: gainIfSetTo(true, 'people without an invitation') },
    },
  },
  '/stages/mtls/': {
    isEnterprise: true,
    login: { ...identifying, proves: { field: 'mode', value: 'required' } },
  },
  '/stages/password/': {
    login: {
      kind: 'login stage',
      challenge: 'ak-stage-password',
      proves: true,
      needsUser: true,
      needs: 'backends',
    },
  },
  '/stages/prompt/stages/': { login: identifying },
  '/stages/redirect/': {
    login: identifying,
    // The service requires the target of the mode in the same request.
    update: { requiredInUpdates: ['mode'] },
    requires: { oneOf: ['target_static', 'target_flow'], by: 'a new redirect stage' },
  },
  '/stages/source/': {
    isEnterprise: true,
    login: { ...identifying, challenge: 'ak-stage-source', proves: true },
  },
  '/stages/user_delete/': {
    login: { kind: 'login stage', undoes: { words: 'deletes everybody', where: 'anywhere' } },
  },
  '/stages/user_login/': {
    login: { kind: 'login stage', logsIn: true, needsUser: true },
    fields: { session_duration: duration, remember_me_offset: duration },
  },
  '/stages/user_logout/': {
    login: { kind: 'login stage', undoes: { words: 'logs everybody out', where: 'after' } },
  },
  '/stages/user_write/': {
    login: { ...identifying, writes: true },
    fields: {
      // The service adds users to the group whom it does not create, too.
      create_users_group: {
        fact: { field: 'is_superuser', grants: "gives everyone whom it creates a superuser's rights" },
        accessGain: ({ now }) =>
          now === null ? undefined : 'everyone whom it adds to its `create_users_group`',
      },
      create_users_as_inactive: {
        accessGain: ({ now, before, valuesOf }) =>
          now === false && before === true && !valuesOf('user_creation_mode').includes('never_create')
            ? 'people whose new accounts need no activation'
            : undefined,
      },
      user_creation_mode: {
        accessGain: ({ now, before }) =>
          before === 'never_create' && now !== before ? 'people who had no account' : undefined,
      },
      user_type: { changeWarning: () => 'the accounts that it creates get another type' },
    },
  },
});
