import { textOf } from '../base/json.ts';
import { dateTime } from './date-time.ts';
import { isEmailAddress } from './email-address.ts';
import { choice, flag, mapping, text, wrong, type Field, type ReadField } from './fields.ts';
import type { Groups } from './group.ts';
import { recordId, setOf } from './related.ts';
import type { Rules } from './release.ts';
import type { Row } from './rows.ts';

/** The service has a user for anonymous requests. Nothing shows it, except that its name is refused. */
const anonymous = 'AnonymousUser';

/** By what a request calls them: what the service calls them. */
export const userTypes = {
  internal: 'Internal',
  external: 'External',
  service_account: 'Service Account',
  internal_service_account: 'Internal Service Account',
};
/** The type of the accounts that the service makes for itself. */
export const internalServiceAccount = 'internal_service_account';
const anyUserType = choice('Type', userTypes, 'internal');

/** Nobody can be created as such an account; to be made one is possible, and for ever. */
const userType: ReadField = (value, own) => {
  const result = anyUserType.read(value);
  if (!('value' in result)) return result;
  const isInternal = result.value === internalServiceAccount;
  if (own === undefined && isInternal)
    return wrong('Setting a user to internal service account is not allowed.');
  if (own?.fields['type'] === internalServiceAccount && !isInternal)
    return wrong("Can't change internal service account to other user type.");
  return result;
};

interface Surroundings {
  readonly groups: Groups;
  /** The ids of the roles that exist. */
  readonly roles: readonly string[];
  readonly rules: Rules;
  /** The user of that name. */
  readonly named: (username: string) => Row | undefined;
}

/** What a request for a user may hold, and how it is read. */
export function userFields({ groups, roles, rules, named }: Surroundings): Readonly<Record<string, Field>> {
  const takenUsername = (username: string, own?: Row): string | undefined => {
    const found = named(username);
    const isTaken = username === anonymous || (found !== undefined && found !== own);
    return isTaken ? 'This field must be unique.' : undefined;
  };
  return {
    username: {
      type: 'string',
      label: 'Username',
      more: { max_length: 150 },
      read: text({ first: takenUsername, maxLength: 150 }),
    },
    name: {
      type: 'string',
      label: 'Name',
      more: { help_text: "User's display name." },
      read: text({ blank: true }),
    },
    is_active: {
      type: 'boolean',
      label: 'Active',
      more: {
        help_text:
          'Designates whether this user should be treated as active. Unselect this instead of deleting accounts.',
      },
      read: flag,
      default: true,
    },
    last_login: { type: 'datetime', label: 'Last login', read: dateTime, default: null },
    groups: {
      type: 'field',
      label: 'Groups',
      read: setOf(
        recordId((pk) => groups.has(pk)),
        (pk) => groups.placeOf(pk),
      ),
      default: [],
    },
    ...(rules.isLate && {
      roles: {
        type: 'field',
        label: 'Roles',
        read: setOf(
          recordId((pk) => roles.includes(pk)),
          (pk) => roles.indexOf(textOf(pk)),
        ),
        default: [],
      },
    }),
    email: {
      type: 'email',
      label: 'Email address',
      more: { max_length: 254 },
      read: text({ blank: true, maxLength: 254, last: (email) => badEmail(email, rules) }),
      default: '',
    },
    attributes: { type: 'field', label: 'Attributes', read: mapping, default: {} },
    path: { type: 'string', label: 'Path', read: text({ afterwards: badPath }), default: 'users' },
    type: { ...anyUserType, read: userType },
  };
}

function badEmail(email: string, rules: Rules): string | undefined {
  return isEmailAddress(email, rules) ? undefined : 'Enter a valid email address.';
}

function badPath(path: string): string | undefined {
  if (path.startsWith('/') || path.endsWith('/')) return 'No leading or trailing slashes allowed.';
  return path.includes('//') ? 'No empty segments in user path allowed.' : undefined;
}
