import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { groupOfUser, memberOf } from './people.ts';
import { userUuid, uuid } from './ids.ts';
import { isWritten, type World, type WrittenKind } from './kind.ts';
import type { Filter, Query } from './query.ts';
import { valuesOf, type Row, type Values } from './rows.ts';
import { tableFrom } from './table.ts';
import { bindableAt } from './bindables.ts';

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
        ...(policy !== undefined && { policy: policyNamed(world, policy) }),
      })),
    newPk: (made) => uuid(`binding ${made}`),
    keep: (values, { own, made }) => {
      if (own && isLate && values['target'] === undefined) return { crashedOver: 'target' };
      const refusal = refusalOf(values, isLate);
      if (refusal !== undefined) return { errors: { non_field_errors: [refusal] } };
      if (own && isLate && hasTwin(world, own, values))
        return {
          errors: { non_field_errors: ['The fields policy, target, order must make a unique set.'] },
        };
      return { stored: own ? values : { ...values, label: labelOf(world, values), made } };
    },
    shown: ({ fields: { group, user } }) => {
      const bound = world.rows('group').at(textOf(group));
      const member = world.rows('user').at(textOf(user));
      return {
        group_obj: bound ? groupOf(world, bound) : null,
        user_obj: member ? (isLate ? memberOf(member) : userOf(world, member)) : null,
      };
    },
  });
}

/** The policy of a name, which is made where there is none: one that nobody passes. */
function policyNamed(world: World, name: string): JsonValue {
  const policies = world.kind('/policies/dummy/');
  const [known] = policies.rows.with('name', name);
  if (known) return known.pk;
  const made = isWritten(policies) && policies.writing.write({ name, result: false }, { name });
  return made && 'pk' in made ? made.pk : null;
}

/** Whether another has the policy, or none either, at the same order. The service compares them once a PATCH has the target. */
function hasTwin(world: World, own: Row, values: Values): boolean {
  const { policy = null, order, target } = { ...own.fields, ...values };
  return world
    .rows('binding')
    .with('target', target ?? null)
    .some(
      ({ pk, fields }) => pk !== own.pk && (fields['policy'] ?? null) === policy && fields['order'] === order,
    );
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
  const targetOf = (id: string): Row['pk'] | undefined => bindableAt(world, id)?.pk;
  const target = query.text('target');
  if (target !== undefined && targetOf(target) === undefined) return { target: [wrong] };
  const several = query.all('target_in');
  const absent = several.find((id) => targetOf(id) === undefined);
  if (absent !== undefined)
    return { target_in: [`Select a valid choice. ${absent} is not one of the available choices.`] };
  return [
    ...(target === undefined ? [] : [({ fields }: Row) => fields['target'] === targetOf(target)]),
    ...(several.length === 0
      ? []
      : [({ fields }: Row) => several.some((id) => fields['target'] === targetOf(id))]),
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
