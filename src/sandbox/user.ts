import { textOf, valueAt, type JsonValue } from '../base/json.ts';
import { emailRefusal } from '../kinds/email.ts';
import { readRelease } from '../kinds/release.ts';
import type { FieldRows } from './field-facts.ts';
import { readFields, type FieldErrors } from './fields.ts';
import { allGroupsOf, groupRecord, roleRecord } from './people.ts';
import { userUuid } from './ids.ts';
import { rejected, type World } from './kind.ts';
import type { Filter, Query } from './query.ts';
import type { Row, Rows, Values } from './rows.ts';
import type { TableRow } from './table.ts';

const listPath = '/core/users/';

export function userRow(world: World): TableRow {
  const { rules } = world;
  const { isFrom2025 } = rules;
  let time = Date.UTC(2026, 0, 1); // advances by a millisecond at each change
  const now = (): string => new Date((time += 1)).toISOString();
  const begun = (): Values => {
    const at = now();
    return { is_superuser: false, date_joined: at, password_change_date: at, last_updated: at };
  };
  /** The service crashes when it returns values that its JSON parser accepts but its JSON writer does not. */
  const isUnreadable = (user: Row): boolean =>
    isFrom2025 && hasHugeInteger(user.fields['attributes'] ?? null);
  return {
    identity: 'username',
    searchTexts: (user) => [
      ...['username', 'name', 'email'].map((name) => user.fields[name]),
      userUuid(user.pk),
    ],
    filtersFor: filters,
    isUnreadable,
    fields: userFields(world),
    shown: (user, _, query) => {
      const shows = (list: string): boolean =>
        !isFrom2025 || query?.isTrue(`include_${list}`, true) !== false;
      const groups = world.at('/core/groups/').those(user.fields['groups']);
      const roles = world.at('/rbac/roles/').those(user.fields['roles']);
      return {
        groups: groups.map((group) => group.pk),
        is_superuser: [user, ...allGroupsOf(world, user)].some(
          ({ fields: { is_superuser } }) => is_superuser === true,
        ),
        groups_obj: shows('groups') ? groups.map((group) => groupRecord(group, rules)) : null,
        roles_obj: shows('roles') ? roles.map(roleRecord) : null,
        uuid: userUuid(user.pk),
      };
    },
    refuse: (values, { existing }) => {
      if (existing?.fields['type'] === internalServiceAccount)
        return rejected("Can't modify internal service account users");
      if (isUnstorable(values['attributes'] ?? null)) return { crashedOver: 'attributes' };
      const demanded = rules.hasRequests ? world.at('/core/object_attributes/').all() : [];
      const errors = refusedAttributes(demanded, values['attributes'] ?? {}, world.at(listPath), existing);
      return errors && { errors };
    },
    stored: (values, { existing }) => ({ ...values, ...(existing ? { last_updated: now() } : begun()) }),
    // The change is stored, but the service crashes when it writes the answer.
    afterSave: (user, values, existing) =>
      existing && values['attributes'] === undefined && isUnreadable(user)
        ? { crashedOver: 'attributes' }
        : undefined,
    userForToken: (username, isSuperuser) => {
      const rows = world.at(listPath);
      const [user] = rows.with('username', username);
      if (user !== undefined) return isSuperuser ? rows.change(user, { is_superuser: true }) : user;
      const { values } = readFields({ name: username, type: 'service_account' }, world.kind(listPath).fields);
      const fields = { ...values, username, ...begun(), is_superuser: isSuperuser };
      return rows.add({ pk: rows.nextNumber(), fields });
    },
  };
}

/** The attributes that violate the rules that administrators have set. An omitted field is checked like an empty field. */
function refusedAttributes(
  demanded: readonly Row[],
  attributes: JsonValue,
  users: Rows,
  existing?: Row,
): FieldErrors | undefined {
  for (const { fields } of demanded) {
    const { is_required: isRequired, is_unique: isUnique, enabled, object_type: type } = fields;
    const [key, regex] = [textOf(fields['key']), textOf(fields['regex'])];
    if (enabled !== true || type !== 'authentik_core.user') continue;
    const path = key.split('.');
    const value = valueAt(attributes, path);
    const isTaken = (): boolean =>
      users
        .all()
        .some((user) => user !== existing && valueAt(user.fields['attributes'] ?? null, path) === value);
    const refuse = (reason: string): FieldErrors => ({ [`attributes_${key}`]: [reason] });
    if (value === null || value === '') {
      if (isRequired === true) return refuse('This field is required');
    } else if (!new RegExp(regex).test(textOf(value)))
      return refuse('Value does not match configured pattern.');
    else if (isUnique === true && isTaken()) return refuse('Value is not unique.');
  }
  return undefined;
}

/** The service's user for anonymous requests. This user is never returned, but clients can see that its name is taken. */
const anonymous = 'AnonymousUser';

const internalServiceAccount = 'internal_service_account';

/** An internal service account cannot be created, but another account can be changed into one. */
function badType(type: string, existing?: Row): string | undefined {
  const isRefused = existing === undefined && type === internalServiceAccount;
  return isRefused ? 'Setting a user to internal service account is not allowed.' : undefined;
}

function userFields({ rules, at }: World): FieldRows {
  const takenUsername = (username: string, existing?: Row): string | undefined => {
    const isTaken = username === anonymous || at(listPath).isTaken('username', username, existing);
    return isTaken ? 'This field must be unique.' : undefined;
  };
  return {
    username: { checkFirst: takenUsername },
    email: { checkLast: (email) => badEmail(email, rules) },
    path: { checkLast: badPath },
    type: { checkFirst: badType },
  };
}

const longestEmail = 320;

function badEmail(email: string, rules: World['rules']): string | undefined {
  const isLong = Array.from(email).length > longestEmail;
  return isLong || emailRefusal(email, readRelease(rules.version))
    ? 'Enter a valid email address.'
    : undefined;
}

function badPath(path: string): string | undefined {
  if (path.startsWith('/') || path.endsWith('/')) return 'No leading or trailing slashes allowed.';
  return path.includes('//') ? 'No empty segments in user path allowed.' : undefined;
}

const userTypes = new Set(['internal', 'external', internalServiceAccount, 'service_account']);

function filters(query: Query): readonly Filter[] | FieldErrors {
  const types = query.all('type');
  const noType = types.find((asked) => !userTypes.has(asked));
  const start = query.text('path_startswith');
  const uuid = query.text('uuid')?.replaceAll('-', '').toLowerCase();
  if (noType !== undefined)
    return { type: [`Select a valid choice. ${noType} is not one of the available choices.`] };
  if (uuid !== undefined && !/^[\da-f]{32}$/.test(uuid)) return { uuid: ['Enter a valid UUID.'] };
  const conditions: (Filter | false)[] = [
    types.length > 0 && (({ fields }) => types.includes(textOf(fields['type']))),
    start !== undefined && (({ fields }) => textOf(fields['path']).startsWith(start)),
    uuid !== undefined && (({ pk }) => userUuid(pk).replaceAll('-', '') === uuid),
  ];
  return conditions.filter((condition) => condition !== false);
}

/** Whether a value contains NUL or lone surrogates, which the database rejects. */
function isUnstorable(value: JsonValue): boolean {
  if (typeof value === 'string') return /\0|\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => isUnstorable(key) || isUnstorable(item));
}

function hasHugeInteger(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && (value >= 2 ** 64 || value < -(2 ** 63));
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHugeInteger);
}
