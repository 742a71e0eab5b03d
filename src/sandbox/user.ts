import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { dateTime } from './date-time.ts';
import { isEmailAddress } from './email-address.ts';
import {
  choice,
  flag,
  mapping,
  text,
  wrong,
  type Field,
  type FieldErrors,
  type ReadField,
} from './fields.ts';
import { uidOf, type Groups } from './group.ts';
import { uuid } from './ids.ts';
import type { Asker, Held, SandboxKind, Taken, Values } from './kind.ts';
import { exactly, listed, searched, seen, those, type Condition, type Listed } from './listed.ts';
import { uuidDigits } from './python.ts';
import type { Query } from './query.ts';
import { groupId, setOf } from './related.ts';
import type { Reach, Rights } from './rights.ts';
import { Rows, type Row } from './rows.ts';

/** A user as the sandbox stores it. */
export interface User extends Row {
  readonly pk: number;
  fields: Values;
  isSuperuser: boolean;
}

/** The service has a user for anonymous requests. Nothing shows it, except that its name is refused. */
const anonymous = 'AnonymousUser';

export class Users implements SandboxKind {
  readonly path = '/api/v3/core/users/';
  readonly allow = { list: 'GET, POST, HEAD, OPTIONS', one: 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS' };
  readonly names: RegExp = /^[^/.]+$/;
  readonly fields: Readonly<Record<string, Field>>;
  readonly #groups: Groups;
  readonly #rows = new Rows<User>();
  readonly #byUsername = new Map<string, User>();
  readonly #byPk = new Map<number, User>();
  #made = 0;

  constructor(groups: Groups) {
    this.#groups = groups;
    const takenUsername = (username: string, own?: Row): string | undefined => {
      const found = this.#byUsername.get(username);
      const isTaken = username === anonymous || (found !== undefined && found !== own);
      return isTaken ? 'This field must be unique.' : undefined;
    };
    this.fields = {
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
          groupId((pk) => groups.has(pk)),
          (pk) => groups.placeOf(pk),
        ),
        default: [],
      },
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
    };
  }

  mayCreate({ addUsers }: Rights): boolean {
    return addUsers;
  }

  mayDelete({ deleteUsers }: Rights): boolean {
    return deleteUsers;
  }

  changed({ changeUsers }: Rights): Reach {
    return changeUsers;
  }

  viewed({ viewUsers }: Rights): Reach {
    return viewUsers;
  }

  create(values: Values): Taken {
    if (isUnstorable(values['attributes'] ?? null)) return { crashedOver: 'attributes' };
    return { record: this.#record(this.#keep(values, false)) };
  }

  /** The user whose token it is: the one of that name, or else a service account, which is made for it. */
  ofToken(username: string, isSuperuser: boolean): User {
    const existing = this.#byUsername.get(username);
    if (existing !== undefined) {
      existing.isSuperuser ||= isSuperuser;
      return existing;
    }
    const byDefault = Object.entries(this.fields).map(([name, field]) => [name, field.default ?? null]);
    const values = Object.fromEntries(byDefault) as Values;
    return this.#keep({ ...values, username, name: username, type: 'service_account' }, isSuperuser);
  }

  #keep(fields: Values, isSuperuser: boolean): User {
    this.#made += 1;
    const user: User = { pk: this.#made, fields, isSuperuser };
    this.#byPk.set(user.pk, user);
    this.#rows.add(user);
    this.#link(user);
    return user;
  }

  #link(user: User): void {
    this.#byUsername.set(nameOf(user), user);
    this.#groups.join(user, groupsOf(user));
  }

  #unlink(user: User): void {
    this.#byUsername.delete(nameOf(user));
    this.#groups.leave(user, groupsOf(user));
  }

  #change(user: User, values: Values): Taken {
    if (user.fields['type'] === internalServiceAccount)
      return { errors: { non_field_errors: ["Can't modify internal service account users"] } };
    if (isUnstorable(values['attributes'] ?? null)) return { crashedOver: 'attributes' };
    this.#unlink(user);
    user.fields = { ...user.fields, ...values };
    this.#link(user);
    this.#rows.changed();
    return { record: this.#record(user) };
  }

  #delete(user: User): void {
    this.#unlink(user);
    this.#byPk.delete(user.pk);
    this.#rows.delete(user);
  }

  at(id: string): Held | undefined {
    return this.#held(this.#byPk.get(/^\d+$/.test(id) ? Number(id) : 0));
  }

  named(username: string): Held | undefined {
    return this.#held(this.#byUsername.get(username));
  }

  #held(user: User | undefined): Held | undefined {
    return (
      user && {
        name: nameOf(user),
        row: user,
        record: () => this.#record(user),
        change: (values) => this.#change(user, values),
        delete: () => this.#delete(user),
      }
    );
  }

  list(query: Query, { rights }: Asker): Listed {
    if (rights.viewUsers === 'none') return 'forbidden';
    const errors = badFilters(query);
    if (Object.keys(errors).length > 0) return { errors };
    const username = query.text('username');
    const named = username === undefined ? undefined : this.#byUsername.get(username);
    const rows = named === undefined ? this.#rows.inOrder(query, 'username') : [named];
    const found = those(username !== undefined && named === undefined ? [] : rows, [
      seen(rights.viewUsers, nameOf),
      ...exactly(query, ['name', 'email', 'path']),
      ...otherFilters(query),
      searched(query, ({ pk, fields }) => [fields['username'], fields['name'], fields['email'], uuidOf(pk)]),
    ]);
    return listed(query, found, (user) => this.#record(user));
  }

  /** A user as the service answers it. */
  #record(user: User): JsonObject {
    const { pk, fields, isSuperuser } = user;
    return {
      pk,
      ...fields,
      is_superuser: isSuperuser,
      groups_obj: groupsOf(user).map((group) => this.#groups.ofUser(group)),
      avatar,
      uid: uidOf(pk),
      uuid: uuidOf(pk),
    };
  }

  /** A user as the service tells it who it is. */
  me({ pk, fields, isSuperuser }: User): JsonObject {
    const { username = '', name = '', is_active = true, email = '', type = '' } = fields;
    return {
      user: {
        pk,
        username,
        name,
        is_active,
        is_superuser: isSuperuser,
        groups: groupsOf({ fields }).map((group) => ({
          name: this.#groups.ofUser(group)['name'] ?? '',
          pk: group,
        })),
        email,
        avatar,
        uid: uidOf(pk),
        settings: {},
        type,
        system_permissions: isSuperuser ? systemPermissions : [],
      },
    };
  }
}

const avatar = '/static/dist/assets/images/user_default.png';

const systemPermissions = [
  'access_admin_interface',
  'add_role',
  'assign_role_permissions',
  'change_role',
  'delete_role',
  'run_system_tasks',
  'unassign_role_permissions',
  'view_role',
  'view_system_info',
  'view_system_tasks',
];

function nameOf({ fields }: User): string {
  return textOf(fields['username']);
}

function groupsOf({ fields }: Pick<User, 'fields'>): readonly string[] {
  return fields['groups'] as readonly string[]; // as they were read: a list of ids
}

function uuidOf(pk: User['pk']): string {
  return uuid(`user ${pk}`);
}

function badFilters(query: Query): FieldErrors {
  const type = query.all('type').find((asked) => !Object.hasOwn(userTypes, asked));
  const id = query.text('uuid');
  return {
    ...(type !== undefined && {
      type: [`Select a valid choice. ${type} is not one of the available choices.`],
    }),
    ...(id !== undefined && uuidDigits(id) === undefined && { uuid: ['Enter a valid UUID.'] }),
  };
}

function otherFilters(query: Query): Condition<User>[] {
  const types = new Set<JsonValue>(query.all('type'));
  const start = query.text('path_startswith');
  const id = uuidDigits(query.text('uuid') ?? '');
  const conditions: (Condition<User> | false)[] = [
    types.size > 0 && (({ fields }) => types.has(fields['type'] ?? null)),
    start !== undefined && (({ fields }) => textOf(fields['path']).startsWith(start)),
    id !== undefined && (({ pk }) => uuidDigits(uuidOf(pk)) === id),
  ];
  return conditions.filter((condition) => condition !== false);
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
const internalServiceAccount = 'internal_service_account';
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

/** The service does not check attributes for NUL and lone surrogates, which its database refuses. */
function isUnstorable(value: JsonValue): boolean {
  if (typeof value === 'string') return /\0|\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => isUnstorable(key) || isUnstorable(item));
}
