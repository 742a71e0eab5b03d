import { textOf, type JsonValue } from '../base/json.ts';
import { uuidFrom } from './ids.ts';
import { pathField } from './nested.ts';
import { rejected, type World } from './kind.ts';
import type { Filter, Query } from './query.ts';
import type { Row, Values } from './rows.ts';
import { bindableAt } from './bindables.ts';
import type { TableRow } from './table.ts';

/** Bindings of groups, users and policies. A record may have several equal bindings. */
export function bindingRow(world: World): TableRow {
  const { isFrom2025 } = world.rules;
  return {
    // Rights of tokens identify a binding by its label, such as `grafana/staff`.
    identity: 'label',
    // Bindings with the same order are listed newest first, as recorded.
    ordering: 'order,-made',
    searchTexts: () => [],
    filtersFor: (query) => filtersOf(world, query),
    newPk: (made) => uuidFrom(`binding ${made}`),
    refuse: (values, { existing }) => {
      if (existing && isFrom2025 && values['target'] === undefined) return { crashedOver: 'target' };
      const { target = null } = { ...existing?.fields, ...values };
      const isOfEntitlement =
        bindableAt(world, target)?.fields[pathField] === '/core/application_entitlements/';
      const refusal = refusalOf(values, isFrom2025, isOfEntitlement);
      if (refusal !== undefined) return rejected(refusal);
      return existing && isFrom2025 && hasTwin(world, existing, values)
        ? rejected('The fields policy, target, order must make a unique set.')
        : undefined;
    },
    stored: (values, { existing, count: made }) =>
      existing ? values : { ...values, label: labelOf(world, values), made, ...expiryOf(world, made) },
  };
}

/** Whether another binding of the target has the same order and the same policy; two bindings without a policy are equal. */
function hasTwin({ at }: World, existing: Row, values: Values): boolean {
  const { policy = null, order, target = null } = { ...existing.fields, ...values };
  return at('/policies/bindings/')
    .with('target', target)
    .some(
      ({ pk, fields }) =>
        pk !== existing.pk && (fields['policy'] ?? null) === policy && fields['order'] === order,
    );
}

/** The expiry of a binding. Only seeds set an expiry. The bindings of the seed are created first, so `made` is also the number in the seed. */
function expiryOf({ seed }: World, made: number): Values {
  const { expires } = seed.bindings?.[made - 1] ?? {};
  return expires === undefined ? {} : { expires, expiring: true };
}

export function isExpired({ fields: { expires } }: Row): boolean {
  return Date.parse(textOf(expires)) <= Date.now();
}

function refusalOf(values: Values, isFrom2025: boolean, isOfEntitlement: boolean): string | undefined {
  const allowed = [...(isOfEntitlement ? [] : ['policy']), 'group', 'user'];
  const children = allowed.filter((field) => (values[field] ?? null) !== null);
  if (children.length === 1) return undefined;
  const names = isFrom2025 ? "'group', 'policy', 'user'" : "'policy', 'group' or 'user'";
  return children.length > 1 ? `Only one of ${names} can be set.` : `One of ${names} must be set.`;
}

function labelOf(world: World, values: Row['fields']): string {
  const nameOf = (path: string, field: string, pk: JsonValue | undefined): JsonValue | undefined =>
    world.at(path).at(textOf(pk))?.fields[field];
  const subject =
    nameOf('/core/groups/', 'name', values['group']) ??
    nameOf('/core/users/', 'username', values['user']) ??
    'policy';
  return `${textOf(nameOf('/core/applications/', 'slug', values['target']))}/${textOf(subject)}`;
}

/** Rejects a filter for a target that does not exist. All filters except those for targets are ignored. */
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
  const given = [...(target === undefined ? [] : [[target]]), ...(several.length === 0 ? [] : [several])];
  return given.map(
    (ids): Filter =>
      ({ fields }) =>
        ids.some((id) => fields['target'] === targetOf(id)),
  );
}
