import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { SeedRole } from '../generated/sandbox-seed.ts';
import type { Field, FieldErrors } from './fields.ts';
import type { Groups } from './group.ts';
import { userUid, userUuid } from './ids.ts';
import type { Asker, Held, SandboxKind, Taken, Values } from './kind.ts';
import {
  exactly,
  onPage,
  paginationOf,
  searched,
  seen,
  those,
  type Condition,
  type Listed,
} from './listed.ts';
import { uuidDigits } from './python.ts';
import type { Query } from './query.ts';
import type { Rules } from './release.ts';
import type { Reach, Rights } from './rights.ts';
import { Rows, type Row } from './rows.ts';
import { internalServiceAccount, userFields, userTypes } from './user-fields.ts';

/** A user as the sandbox stores it. */
export interface User extends Row {
  readonly pk: number;
  fields: Values;
  isSuperuser: boolean;
  readonly joined: string;
  updated: string;
}

export class Users implements SandboxKind {
  readonly path = '/api/v3/core/users/';
  readonly title = 'User';
  readonly allow = { list: 'GET, POST, HEAD, OPTIONS', one: 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS' };
  readonly names: RegExp = /^[^/.]+$/;
  readonly fields: Readonly<Record<string, Field>>;
  readonly #groups: Groups;
  readonly #roles: ReadonlyMap<string, JsonObject>;
  readonly #rules: Rules;
  readonly #rows = new Rows<User>();
  readonly #byUsername = new Map<string, User>();
  readonly #byPk = new Map<number, User>();
  #made = 0;
  #changes = 0;

  constructor(groups: Groups, roles: readonly SeedRole[], rules: Rules) {
    this.#groups = groups;
    this.#roles = new Map(roles.map(({ pk, name }) => [pk.toLowerCase(), { pk: pk.toLowerCase(), name }]));
    this.#rules = rules;
    this.fields = userFields({
      groups,
      roles: [...this.#roles.keys()],
      rules,
      named: (username) => this.#byUsername.get(username),
    });
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
    const byDefault = Object.entries(this.fields).map(
      ([field, row]) => [field, row.default ?? null] as const,
    );
    return this.#keep(
      { ...Object.fromEntries(byDefault), username, name: username, type: 'service_account' },
      isSuperuser,
    );
  }

  #keep(fields: Values, isSuperuser: boolean): User {
    this.#made += 1;
    const at = this.#now();
    const user: User = { pk: this.#made, fields, isSuperuser, joined: at, updated: at };
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
    user.updated = this.#now();
    this.#link(user);
    this.#rows.changed();
    // It is done, and then the answer cannot be written.
    if (values['attributes'] === undefined && this.#isUnreadable(user)) return { crashedOver: 'attributes' };
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
        isUnreadable: this.#isUnreadable(user),
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
      searched(query, ({ pk, fields }) => [
        fields['username'],
        fields['name'],
        fields['email'],
        userUuid(pk),
      ]),
    ]);
    const pagination = paginationOf(query, found.length, this.#rules);
    if (pagination === undefined) return 'no such page';
    const page = onPage(found, pagination);
    if (page.some((user) => this.#isUnreadable(user))) return 'crashed';
    return { pagination, results: page.map((user) => this.#record(user, query)) };
  }

  /** A user as the service answers it; of a list, its query says what is left out. */
  #record(user: User, query?: Query): JsonObject {
    const { pk, fields, isSuperuser, joined, updated } = user;
    const { isLate } = this.#rules;
    const has = (what: string): boolean => !isLate || query?.isTrue(`include_${what}`, true) !== false;
    const groups = groupsOf(user).map((group) => this.#groups.ofUser(group));
    return {
      pk,
      ...fields,
      is_superuser: isSuperuser || groups.some((group) => group['is_superuser'] === true),
      groups_obj: has('groups') ? groups : null,
      ...(isLate && {
        roles_obj: has('roles') ? this.#rolesOf(user) : null,
        date_joined: joined,
        password_change_date: joined,
        last_updated: updated,
      }),
      avatar,
      uid: userUid(pk),
      uuid: userUuid(pk),
    };
  }

  #rolesOf({ fields }: User): JsonObject[] {
    const roles = (fields['roles'] ?? []) as readonly string[]; // as they were read: a list of ids
    return roles.map((pk) => this.#roles.get(pk) ?? { pk });
  }

  /** Whether the service breaks down over it: its parser of JSON takes numbers that its writer does not. */
  #isUnreadable({ fields }: User): boolean {
    return this.#rules.isLate && hasHugeInteger(fields['attributes'] ?? null);
  }

  /** There is no clock: a millisecond goes by with each change. */
  #now(): string {
    this.#changes += 1;
    return new Date(firstInstant + this.#changes).toISOString();
  }

  /** A user as the service tells it who it is. */
  me(user: User): JsonObject {
    const { pk, fields, isSuperuser } = user;
    const { isLate } = this.#rules;
    const permissions = [...systemPermissions, ...(isLate ? later : earlier)].toSorted();
    const { username = '', name = '', is_active = true, email = '', type = '' } = fields;
    return {
      user: {
        pk,
        username,
        name,
        is_active,
        is_superuser: isSuperuser,
        groups: groupsOf(user).map((group) => ({
          name: this.#groups.ofUser(group)['name'] ?? '',
          pk: group,
        })),
        email,
        avatar,
        uid: userUid(pk),
        settings: {},
        type,
        system_permissions: isSuperuser ? permissions : [],
        ...(isLate && { roles: this.#rolesOf(user) }),
      },
    };
  }
}

const avatar = '/static/dist/assets/images/user_default.png';

const firstInstant = Date.UTC(2026, 0, 1);

const systemPermissions = [
  'access_admin_interface',
  'add_role',
  'assign_role_permissions',
  'change_role',
  'delete_role',
  'unassign_role_permissions',
  'view_role',
  'view_system_info',
];
const earlier = ['run_system_tasks', 'view_system_tasks'];
const later = [
  'add_initialpermissions',
  'change_initialpermissions',
  'delete_initialpermissions',
  'edit_system_settings',
  'manage_media_files',
  'view_initialpermissions',
  'view_media_files',
  'view_system_settings',
];

function nameOf({ fields }: User): string {
  return textOf(fields['username']);
}

function groupsOf({ fields }: Pick<User, 'fields'>): readonly string[] {
  return fields['groups'] as readonly string[]; // as they were read: a list of ids
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
    id !== undefined && (({ pk }) => uuidDigits(userUuid(pk)) === id),
  ];
  return conditions.filter((condition) => condition !== false);
}

/** The service does not check attributes for NUL and lone surrogates, which its database refuses. */
function isUnstorable(value: JsonValue): boolean {
  if (typeof value === 'string') return /\0|\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => isUnstorable(key) || isUnstorable(item));
}

/** An integer that 64 bits do not hold: the database gives back every number without a fraction as one. */
function hasHugeInteger(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && (value >= 2 ** 64 || value < -(2 ** 63));
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHugeInteger);
}
