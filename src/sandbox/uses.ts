import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { families } from '../kinds/families.ts';
import { referenceOf, referredLists, type Reference } from '../kinds/references.ts';
import { bindableIdOf } from './bindables.ts';
import type { SandboxKind, World } from './kind.ts';
import { valuesOf, type Row } from './rows.ts';

/** What a delete does to records that refer to the deleted record. */
type Action = 'cascade' | 'cascade_many' | 'set_null' | 'set_default';

interface ReferringField {
  readonly list: Reference['list'];
  readonly field: string;
  readonly action: Action;
  /** Whether all types of a list have the field. If so, answers contain the name of the list. */
  readonly isOfAllTypes: boolean;
}

/** Deleting either end of a binding deletes the binding, and deleting a provider keeps its application. */
const actions: readonly (readonly [at: RegExp, action: Action])[] = [
  [/^\/policies\/bindings\/ /, 'cascade'],
  [/ invalidation_flow$|^\/core\/applications\/ provider$/, 'set_default'],
];

const referring = new WeakMap<SandboxKind, readonly ReferringField[]>();

function referringFields(world: World, kind: SandboxKind): readonly ReferringField[] {
  const cached = referring.get(kind);
  if (cached !== undefined) return cached;
  const { path } = kind;
  const inAll = kind.allTypesPath === path ? {} : world.kind(kind.allTypesPath).facts.fields;
  const found = Object.entries(kind.facts.fields).flatMap(([field, of]): ReferringField[] => {
    const list = referenceOf(path, field, of)?.list;
    if (list === undefined) return [];
    const byRule = of.items ? 'cascade_many' : of.required || !of.nullable ? 'cascade' : 'set_null';
    const action = actions.find(([at]) => at.test(`${path} ${field}`))?.[1] ?? byRule;
    return [{ list, field, action, isOfAllTypes: field in inAll }];
  });
  referring.set(kind, found);
  return found;
}

interface Use {
  readonly kind: SandboxKind;
  readonly row: Row;
  readonly via: ReferringField;
}

function usesOf(world: World, kind: SandboxKind, { pk }: Row): Use[] {
  const list = kind.allTypesPath;
  const seen = new Set<string>();
  return [...world.kinds()].flatMap((other) =>
    referringFields(world, other).flatMap((by) => {
      if (by.list !== 'bindables' && referredLists[by.list] !== list) return [];
      const rows = other.rows.with(by.field, pk).filter((row) => other.includes?.(row) !== false);
      return rows.flatMap((row) => {
        const key = `${other.allTypesPath} ${by.field} ${row.pk}`;
        if (seen.has(key)) return [];
        seen.add(key);
        return [{ kind: other, row, via: by }];
      });
    }),
  );
}

/** Deletes a record, and changes or deletes the records that refer to it. Returns all deleted records. */
export function deleteRow(world: World, kind: SandboxKind, row: Row): readonly Row[] {
  const gone: Row[] = [row];
  kind.rows.delete(row);
  for (const { kind: other, row: user, via: by } of usesOf(world, kind, row)) {
    // A record that refers twice to the deleted record occurs twice here, and may already have been deleted at the first occurrence.
    if (other.rows.at(String(user.pk)) !== user) continue;
    if (by.action === 'cascade') gone.push(...deleteRow(world, other, user));
    else {
      const remaining = valuesOf(user, by.field).filter((pk) => pk !== row.pk);
      other.rows.change(user, { [by.field]: by.action === 'cascade_many' ? remaining : null });
    }
  }
  return gone;
}

export function dependentsOf(world: World, kind: SandboxKind, row: Row): JsonObject[] {
  const isPolicy = kind.allTypesPath === referredLists.policies;
  return [
    ...usesOf(world, kind, row).map(({ kind: other, row: user, via: by }) =>
      isPolicy && other.path === '/policies/bindings/'
        ? bindingTargets(world, user)
        : useRecord(world, by.isOfAllTypes ? other.allTypesPath : other.path, user, by.action),
    ),
    ...boundRecords(world, kind, row),
    ...referringFields(world, kind).flatMap(({ list, field, action }) =>
      list === 'bindables' || action !== 'cascade_many'
        ? []
        : usedRecords(world, referredLists[list], row.fields[field] ?? null),
    ),
  ];
}

function actionName(world: World, action: Action): string {
  return world.rules.isFrom2025 ? action : action.toUpperCase();
}

function useRecord(world: World, path: string, row: Row, action: Action): JsonObject {
  const family = families.find((one) => one.path === `/api/v3${path}`);
  const [app = '', model_name = ''] = family
    ? [family.permissionApp, family.model.name]
    : (world.kind(path).facts.model ?? '').split('.');
  return {
    app,
    model_name,
    pk: textOf(row.pk),
    name: nameOf(world, path, row),
    action: actionName(world, action),
  };
}

function nameOf(world: World, path: string, { fields }: Row): string {
  const text = (name: string): string => textOf(fields[name]);
  switch (path) {
    case '/flows/instances/':
      return `Flow ${text('name')} (${text('slug')})`;
    case '/flows/bindings/':
      return `Flow-stage binding #${text('order')} to ${text('target')}`;
    case '/policies/bindings/':
      return text('label');
    case referredLists.stages:
      return `Stage ${text('name')}`;
    case referredLists.prompts:
      return `Prompt field '${text('field_key')}' type ${text('type')}`;
    case referredLists.property_mappings:
      return `Property Mapping ${text('name')}`;
    default:
      return text(world.kind(path).identity);
  }
}

/** Describes the record to which a policy is bound, as one of the policy's dependents. */
function bindingTargets(world: World, { fields }: Row): JsonObject {
  const pk = bindableIdOf(world, textOf(fields['target']));
  const app = 'authentik_policies';
  const name = `PolicyBindingModel ${pk}`;
  return { app, model_name: 'policybindingmodel', pk, name, action: actionName(world, 'cascade_many') };
}

/** The stages of a flow or the flows of a stage, once per binding. */
function boundRecords(world: World, kind: SandboxKind, { pk }: Row): JsonObject[] {
  const { flows, stages } = referredLists;
  const list = kind.allTypesPath;
  if (list !== flows && list !== stages) return [];
  const [own, other, path] = list === flows ? ['target', 'stage', stages] : ['stage', 'target', flows];
  const ids = world
    .at('/flows/bindings/')
    .with(own, pk)
    .map(({ fields }) => fields[other] ?? null);
  return usedRecords(world, path, ids);
}

function usedRecords(world: World, path: string, ids: JsonValue): JsonObject[] {
  return world
    .at(path)
    .those(ids)
    .map((row) => useRecord(world, path, row, 'cascade_many'));
}
