import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { reference } from './fields.ts';
import { groupOfUser, memberOf } from './group.ts';
import { userUuid, uuid } from './ids.ts';
import { type SandboxKind, type World, type WrittenKind } from './kind.ts';
import type { Filter, Query } from './query.ts';
import { valuesOf, type Row, type Values } from './rows.ts';
import { tableFrom } from './table.ts';

/** What lets a group or a user open an application, or is a policy that decides on it. Nothing keeps one from being there twice. */
export function bindingKind(world: World): WrittenKind {
  const { isLate } = world.rules;
  const byName = (kind: string, field: string, name: JsonValue): JsonValue =>
    world.rows(kind).with(field, name)[0]?.pk ?? name;
  return tableFrom(world, {
    path: '/policies/bindings/',
    list: 'bindings',
    // As rights name one: `grafana/staff`.
    identity: 'label',
    // As it was recorded, those of one order come the other way round.
    ordering: 'order,-made',
    searched: () => [],
    filters: (query) => filtersOf(world, query),
    fields: {
      policy: { read: (value) => ({ value }) },
      target: { type: 'field', read: reference('uuid', () => world.rows('application')) },
      negate: { more: { help_text: 'Negates the outcome of the policy. Messages are unaffected.' } },
      enabled: { default: true },
      timeout: {
        default: 30,
        more: { help_text: 'Timeout after which Policy execution is terminated.' },
      },
      failure_result: { more: { help_text: 'Result if the Policy execution fails.' } },
    },
    seed: () =>
      (world.seed.bindings ?? []).map(({ application, group, user, policy, ...more }, order) => ({
        order,
        ...more,
        target: byName('application', 'slug', application),
        ...(group !== undefined && { group: byName('group', 'name', group) }),
        ...(user !== undefined && { user: byName('user', 'username', user) }),
        ...(policy !== undefined && { policy: uuid(`policy ${policy}`) }),
      })),
    newPk: (made) => uuid(`binding ${made}`),
    keep: (values, { own, made }) => {
      if (own && isLate && values['target'] === undefined) return { crashedOver: 'target' };
      const refusal = refusalOf(values, isLate);
      if (refusal !== undefined) return { errors: { non_field_errors: [refusal] } };
      if (own && isLate)
        return {
          errors: { non_field_errors: ['The fields policy, target, order must make a unique set.'] },
        };
      return { stored: own ? values : { ...values, label: labelOf(world, values), made } };
    },
    shown: ({ fields: { policy = null, group, user } }) => {
      const bound = world.rows('group').at(textOf(group));
      const member = world.rows('user').at(textOf(user));
      return {
        policy_obj: policy === null ? null : { pk: policy, name: 'policy' },
        group_obj: bound ? groupOf(world, bound) : null,
        user_obj: member ? (isLate ? memberOf(member) : userOf(world, member)) : null,
      };
    },
  });
}

/** One has exactly one subject. */
function refusalOf(values: Values, isLate: boolean): string | undefined {
  const given = ['policy', 'group', 'user'].filter((field) => (values[field] ?? null) !== null);
  if (given.length === 1) return undefined;
  const names = isLate ? "'group', 'policy', 'user'" : "'policy', 'group' or 'user'";
  return given.length > 1 ? `Only one of ${names} can be set.` : `One of ${names} must be set.`;
}

function labelOf(world: World, values: Row['fields']): string {
  const nameOf = (kind: string, field: string, pk: JsonValue | undefined): JsonValue | undefined =>
    world.rows(kind).at(textOf(pk))?.fields[field];
  const subject =
    nameOf('group', 'name', values['group']) ?? nameOf('user', 'username', values['user']) ?? 'policy';
  return `${textOf(nameOf('application', 'slug', values['target']))}/${textOf(subject)}`;
}

/** An absent target is refused, and what a query asks for beside targets is ignored. */
function filtersOf(
  world: World,
  query: Query,
): readonly Filter[] | { readonly [field: string]: readonly string[] } {
  const wrong = 'Select a valid choice. That choice is not one of the available choices.';
  const isThere = (pk: string): boolean => world.rows('application').at(pk) !== undefined;
  const target = query.text('target');
  if (target !== undefined && !isThere(target)) return { target: [wrong] };
  const several = query.all('target_in');
  const absent = several.find((pk) => !isThere(pk));
  if (absent !== undefined)
    return { target_in: [`Select a valid choice. ${absent} is not one of the available choices.`] };
  return [
    ...(target === undefined ? [] : [({ fields }: Row) => fields['target'] === target]),
    ...(several.length === 0 ? [] : [({ fields }: Row) => several.includes(textOf(fields['target']))]),
  ];
}

function groupOf(world: World, group: Row): JsonObject {
  const { roles: _, ...shown } = groupOfUser(group, world.rules);
  if (world.rules.isLate) return shown;
  const members = world.rows('user').with('groups', group.pk);
  return {
    ...shown,
    parent_name: null,
    users: members.map(({ pk }) => pk),
    users_obj: members.map((member) => memberOf(member)),
    roles: [],
    roles_obj: [],
  };
}

function userOf(world: World, user: Row): JsonObject {
  return {
    ...memberOf(user),
    is_superuser: false,
    avatar: '/static/dist/assets/images/user_default.png',
    uuid: userUuid(user.pk),
    groups: [...valuesOf(user, 'groups')],
    groups_obj: world
      .rows('group')
      .those(user.fields['groups'])
      .map((group) => groupOfUser(group, world.rules)),
    path: user.fields['path'] ?? 'users',
    type: user.fields['type'] ?? 'internal',
  };
}

/** In which field a binding has the id of a record of a list: it goes with that. */
const boundIn: Readonly<Record<string, string>> = { applications: 'target', groups: 'group', users: 'user' };

/** In which field a user has the ids of records of a list. */
const membersHave: Readonly<Record<string, string>> = { groups: 'groups' };

function use(app: string, model_name: string, row: Row, name: string, action: string): JsonObject {
  return { app, model_name, pk: textOf(row.pk), name: textOf(row.fields[name]), action };
}

/** In which field an application has the id of a record of a list. */
const assignedIn: Readonly<Record<string, string>> = { providers: 'provider' };

/** Deletes the bindings of a record that is deleted, and takes its users out of a group. */
export function deleteBindings(world: World, { list }: Pick<SandboxKind, 'list'>, { pk }: Row): void {
  const users = world.rows('user');
  const memberships = membersHave[list];
  for (const member of memberships === undefined ? [] : users.with(memberships, pk))
    users.change(member, {
      [memberships ?? '']: valuesOf(member, memberships ?? '').filter((id) => id !== pk),
    });
  const field = boundIn[list];
  const rows = world.rows('binding');
  for (const binding of field === undefined ? [] : rows.with(field, pk)) rows.delete(binding);
}

/** What hangs on a record, as the service lists it: bindings go with it, members and applications go on without it. */
export function usesOf(world: World, { list }: Pick<SandboxKind, 'list'>, { pk }: Row): JsonObject[] {
  const field = boundIn[list];
  const bound = field === undefined ? [] : world.rows('binding').with(field, pk);
  const memberships = membersHave[list];
  const members = memberships === undefined ? [] : world.rows('user').with(memberships, pk);
  const applications =
    assignedIn[list] === undefined ? [] : world.rows('application').with(assignedIn[list], pk);
  const said = (action: string): string => (world.rules.isLate ? action : action.toUpperCase());
  return [
    ...bound.map((row) => use('authentik_policies', 'policybinding', row, 'label', said('cascade'))),
    ...members.map((row) => use('authentik_core', 'user', row, 'username', said('cascade_many'))),
    ...applications.map((row) => use('authentik_core', 'application', row, 'slug', said('set_null'))),
  ];
}

/** What the service says of whether somebody could open an application; nothing where there is no such application or user. */
export function checkedAccess(world: World, slug: string, asker: Row, query: Query): JsonObject | undefined {
  const application = world.rows('application').with('slug', slug)[0];
  const pk = query.text('for_user');
  const user = pk === undefined ? asker : world.rows('user').at(pk);
  if (application === undefined || user === undefined) return undefined;
  return { passing: letsIn(world, application, user), messages: [], log_messages: [] };
}

/** Whether the bindings of an application let a user in. A policy is none that passes. */
function letsIn(world: World, application: Row, user: Row): boolean {
  const bindings = world
    .rows('binding')
    .with('target', application.pk)
    .filter(({ fields }) => fields['enabled'] === true);
  if (bindings.length === 0) return true;
  const groups = withParents(world, valuesOf(user, 'groups'));
  const passes = ({ fields }: Row): boolean =>
    (fields['user'] === user.pk || groups.has(fields['group'] ?? null)) !== (fields['negate'] === true);
  return application.fields['policy_engine_mode'] === 'all' ? bindings.every(passes) : bindings.some(passes);
}

function withParents({ rows }: World, pks: readonly JsonValue[]): ReadonlySet<JsonValue> {
  const all = new Set(pks);
  for (const pk of all) {
    const { parents = [], parent = null } = rows('group').at(textOf(pk))?.fields ?? {};
    for (const above of [parents, parent].flat()) if (above !== null) all.add(above);
  }
  all.delete(null);
  return all;
}
