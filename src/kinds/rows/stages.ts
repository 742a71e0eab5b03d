import { textOf, type JsonValue } from '../../base/json.ts';
import type { ValueForms } from '../kind.ts';
import { kindFrom, type KindRow, type RowKind } from '../row.ts';
import { requireField } from './require-field.ts';

/** Names are unique across types. A duplicate was refused by 2023.10.7 and by 2025.12.4 for every type that needs no licence. */
const stage = { list: 'stages', unique: true, deletion: {} } as const satisfies Partial<KindRow>;

const identification = kindFrom({
  ...stage,
  path: '/stages/identification/',
  // 2023.10.7 and 2025.12.4 refused an update without these fields.
  update: { requiredInUpdates: ['user_fields', 'sources'] },
  login: {
    is: 'login stage',
    challenge: 'ak-stage-identification',
    takesName: 'user_fields',
    shows: 'password_stage',
    offers: 'sources',
  },
  fields: {
    user_fields: {
      ifMissing: requireField('a new identification stage needs `user_fields` or `sources`', ['sources']),
    },
  },
});

const redirect = kindFrom({
  ...stage,
  path: '/stages/redirect/',
  fields: {
    target_static: {
      ifMissing: requireField('a new redirect stage needs `target_static` or `target_flow`', ['target_flow']),
    },
  },
});

/** Converts between the string that later releases use and the number that earlier releases use. */
function formerly(former: (text: string) => number, text: (number: JsonValue) => string): ValueForms {
  return {
    sent: (declared) => declared,
    former: (declared) => former(textOf(declared)),
    held: (observed) => (typeof observed === 'number' ? text(observed) : observed),
    kept: (declared) => declared,
    dropUnknown: (observed) => observed,
  };
}

function minutesIn(text: string): number {
  return Number(/^minutes=(\d+)$/.exec(text)?.[1]);
}

export const stages: readonly RowKind[] = [
  kindFrom({ ...stage, path: '/stages/account_lockdown/' }),
  kindFrom({ ...stage, path: '/stages/authenticator/duo/' }),
  kindFrom({ ...stage, path: '/stages/authenticator/email/' }),
  kindFrom({ ...stage, path: '/stages/authenticator/endpoint_gdtc/', isEnterprise: true }),
  kindFrom({ ...stage, path: '/stages/authenticator/sms/' }),
  kindFrom({ ...stage, path: '/stages/authenticator/static/' }),
  kindFrom({
    ...stage,
    path: '/stages/authenticator/totp/',
    // Releases before 2024.2 use a number.
    fields: { digits: { form: formerly((digits) => Number(digits), textOf) } },
  }),
  kindFrom({
    ...stage,
    path: '/stages/authenticator/validate/',
    // In 2025.12.4, users without a device skip the stage by default. With `configure`, anyone who knows a user name can set up a
    // device.
    login: { is: 'login stage', proves: { field: 'not_configured_action', value: 'deny' } },
  }),
  kindFrom({ ...stage, path: '/stages/authenticator/webauthn/' }),
  kindFrom({ ...stage, path: '/stages/captcha/' }),
  kindFrom({ ...stage, path: '/stages/consent/' }),
  kindFrom({ ...stage, path: '/stages/deny/', login: { is: 'login stage', denies: true } }),
  kindFrom({ ...stage, path: '/stages/dummy/' }),
  kindFrom({
    ...stage,
    path: '/stages/email/',
    login: { is: 'login stage', proves: true },
    // Releases before 2025.4 use a number of minutes.
    fields: { token_expiry: { form: formerly(minutesIn, (minutes) => `minutes=${textOf(minutes)}`) } },
  }),
  kindFrom({ ...stage, path: '/stages/endpoints/' }),
  identification,
  kindFrom({ ...stage, path: '/stages/invitation/stages/' }),
  kindFrom({
    ...stage,
    path: '/stages/mtls/',
    isEnterprise: true,
    login: { is: 'login stage', proves: { field: 'mode', value: 'required' } },
  }),
  kindFrom({
    ...stage,
    path: '/stages/password/',
    login: { is: 'login stage', challenge: 'ak-stage-password', proves: true },
  }),
  kindFrom({ ...stage, path: '/stages/prompt/stages/' }),
  redirect,
  kindFrom({
    ...stage,
    path: '/stages/source/',
    isEnterprise: true,
    login: { is: 'login stage', challenge: 'ak-stage-source', proves: true },
  }),
  kindFrom({ ...stage, path: '/stages/user_delete/' }),
  kindFrom({ ...stage, path: '/stages/user_login/', login: { is: 'login stage', logsIn: true } }),
  kindFrom({ ...stage, path: '/stages/user_logout/' }),
  kindFrom({ ...stage, path: '/stages/user_write/' }),
];
