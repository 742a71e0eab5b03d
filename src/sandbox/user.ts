import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { SeedGroup } from '../generated/sandbox-seed.ts';
import { dateTime } from './date-time.ts';
import { isEmailAddress } from './email-address.ts';
import { choice, flag, mapping, text, wrong, type Reading } from './fields.ts';
import { digest, uuid } from './ids.ts';
import type { SandboxKind } from './kind.ts';
import { groupId, setOf } from './related.ts';

/** The users, given the groups that exist. */
export function users(groups: ReadonlyMap<string, SeedGroup>): SandboxKind {
  /** The service has a user for anonymous requests. Nothing shows it, except that its name is refused. */
  const usernames = new Set(['AnonymousUser']);
  const takenUsername = (username: string): string | undefined =>
    usernames.has(username) ? 'This field must be unique.' : undefined;

  /** A user as the service answers it. */
  const recordOf = (pk: number, fields: Readonly<Record<string, JsonValue>>): JsonObject => {
    const username = textOf(fields['username']);
    const memberOf = fields['groups'] as readonly string[]; // as they were read: a list of ids
    return {
      pk,
      ...fields,
      is_superuser: false,
      groups_obj: memberOf.map((group) => ({
        pk: group,
        num_pk: groups.get(group)?.num_pk ?? 0,
        name: groups.get(group)?.name ?? '',
        is_superuser: false,
        parent: null,
        attributes: {},
      })),
      avatar: '/static/dist/assets/images/user_default.png',
      uid: digest(`uid ${username}`, 64),
      uuid: uuid(`user ${username}`),
    };
  };

  return {
    path: '/api/v3/core/users/',
    fields: {
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
      groups: { type: 'field', label: 'Groups', read: setOf(groupId((pk) => groups.has(pk))), default: [] },
      email: {
        type: 'email',
        label: 'Email address',
        more: { max_length: 254 },
        read: text({ blank: true, maxLength: 254, last: badEmail }),
        default: '',
      },
      attributes: { type: 'field', label: 'Attributes', read: mapping, default: {} },
      path: { type: 'string', label: 'Path', read: text({ afterwards: badPath }), default: 'users' },
      type: { ...anyUserType, read: userType },
    },
    mayCreate: (token) => token.add_users !== false,
    create: (values) => {
      if (isUnstorable(values['attributes'] ?? null)) return { crashedOver: 'attributes' };
      const pk = usernames.size;
      usernames.add(textOf(values['username']));
      return { record: recordOf(pk, values) };
    },
  };
}

function badEmail(email: string): string | undefined {
  return isEmailAddress(email) ? undefined : 'Enter a valid email address.';
}

function badPath(path: string): string | undefined {
  if (path.startsWith('/') || path.endsWith('/')) return 'No leading or trailing slashes allowed.';
  return path.includes('//') ? 'No empty segments in user path allowed.' : undefined;
}

const userTypes = {
  internal: 'Internal',
  external: 'External',
  service_account: 'Service Account',
  internal_service_account: 'Internal Service Account',
};
const anyUserType = choice('Type', userTypes, 'internal');

function userType(value: JsonValue): Reading {
  return value === 'internal_service_account'
    ? wrong('Setting a user to internal service account is not allowed.')
    : anyUserType.read(value);
}

/** The service does not check attributes for NUL and lone surrogates, which its database refuses. */
function isUnstorable(value: JsonValue): boolean {
  if (typeof value === 'string') return /\0|\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => isUnstorable(key) || isUnstorable(item));
}
