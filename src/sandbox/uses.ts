import { isJsonList, textOf, type JsonObject } from '../base/json.ts';
import { referenceOf, referredLists, type Reference } from '../kinds/references.ts';
import { bindableIdOf, pathOf } from './bindables.ts';
import type { SandboxKind, World } from './kind.ts';
import { valuesOf, type Row } from './rows.ts';

/** The effect of a delete on records that refer to the deleted one: deleted, unlinked, set to null or to the default. */
type Action = 'cascade' | 'cascade_many' | 'set_null' | 'set_default';

interface Referring {
  readonly list: Reference['list'];
  readonly field: string;
  readonly action: Action;
  /** Whether the field belongs to all types of a list, which is named then. */
  readonly isOfAll: boolean;
}

/** Facts without a schema: a binding is deleted with either end, a provider and an application stay. */
const actions: readonly (readonly [at: RegExp, action: Action])[] = [
  [/^\/policies\/bindings\/ /, 'cascade'],
  [/ invalidation_flow$|^\/core\/applications\/ provider$/, 'set_default'],
];

const referring = new WeakMap<SandboxKind, readonly Referring[]>();

function referringOf(world: World, kind: SandboxKind): readonly Referring[] {
  const known = referring.get(kind);
  if (known !== undefined) return known;
  const path = pathOf(kind);
  const inAll = kind.all === path ? {} : world.kind(kind.all).facts.fields;
  const found = Object.entries(kind.facts.fields).flatMap(([field, of]): Referring[] => {
    const list = referenceOf(path, field, of)?.list;
    if (list === undefined) return [];
    const byRule = of.items ? 'cascade_many' : of.required || !of.nullable ? 'cascade' : 'set_null';
    const action = actions.find(([at]) => at.test(`${path} ${field}`))?.[1] ?? byRule;
    return [{ list, field, action, isOfAll: field in inAll }];
  });
  referring.set(kind, found);
  return found;
}

interface Use {
  readonly kind: SandboxKind;
  readonly row: Row;
  readonly by: Referring;
}

function usesOf(world: World, kind: SandboxKind, { pk }: Row): Use[] {
  const list = kind.all;
  const seen = new Set<string>();
  return [...world.kinds()].flatMap((other) =>
    referringOf(world, other).flatMap((by) => {
      if (by.list !== 'bindables' && referredLists[by.list] !== list) return [];
      const rows = other.rows.with(by.field, pk).filter((row) => other.has?.(row) !== false);
      return rows.flatMap((row) => {
        const key = `${other.all} ${by.field} ${row.pk}`;
        if (seen.has(key)) return [];
        seen.add(key);
        return [{ kind: other, row, by }];
      });
    }),
  );
}

/** Deletes a record with its cascade. */
export function deleteRow(world: World, kind: SandboxKind, row: Row): readonly Row[] {
  const gone: Row[] = [row];
  kind.rows.delete(row);
  for (const { kind: other, row: user, by } of usesOf(world, kind, row)) {
    if (by.action === 'cascade') gone.push(...deleteRow(world, other, user));
    else {
      const left = valuesOf(user, by.field).filter((pk) => pk !== row.pk);
      other.rows.change(user, { [by.field]: by.action === 'cascade_many' ? left : null });
    }
  }
  return gone;
}

/** The dependents of a record, as the service lists them. */
export function shownUses(world: World, kind: SandboxKind, row: Row): JsonObject[] {
  const isPolicy = kind.all === referredLists.policies;
  return [
    ...usesOf(world, kind, row).map(({ kind: other, row: user, by }) =>
      isPolicy && pathOf(other) === '/policies/bindings/'
        ? boundTo(world, user)
        : used(world, other, user, by),
    ),
    ...throughBindings(world, kind, row),
    ...referringOf(world, kind)
      .filter(({ action }) => action === 'cascade_many')
      .flatMap((by) => others(world, by, row)),
  ];
}

function said(world: World, action: Action): string {
  return world.rules.isLate ? action : action.toUpperCase();
}

function used(world: World, kind: SandboxKind, row: Row, by: Referring): JsonObject {
  const path = by.isOfAll ? kind.all : pathOf(kind);
  return shown(world, path, row, by.action);
}

/** A dependent; one of several types by the name of their list. */
function shown(world: World, path: string, row: Row, action: Action): JsonObject {
  const model = ofAll[path] ?? world.kind(path).facts.model ?? '';
  const [app = '', model_name = ''] = model.split('.');
  return { app, model_name, pk: textOf(row.pk), name: nameOf(world, path, row), action: said(world, action) };
}

const ofAll: Readonly<Record<string, string>> = {
  [referredLists.policies]: 'authentik_policies.policy',
  [referredLists.property_mappings]: 'authentik_core.propertymapping',
  [referredLists.providers]: 'authentik_core.provider',
  [referredLists.sources]: 'authentik_core.source',
  [referredLists.stages]: 'authentik_flows.stage',
};

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

/** A policy shows each record that it is bound to. */
function boundTo(world: World, { fields }: Row): JsonObject {
  const pk = bindableIdOf(world, textOf(fields['target']));
  const app = 'authentik_policies';
  const name = `PolicyBindingModel ${pk}`;
  return { app, model_name: 'policybindingmodel', pk, name, action: said(world, 'cascade_many') };
}

/** A flow shows its stages, and a stage its flows, once for each binding. */
function throughBindings(world: World, kind: SandboxKind, { pk }: Row): JsonObject[] {
  const ends = {
    [referredLists.flows]: ['target', 'stage', 'stages'],
    [referredLists.stages]: ['stage', 'target', 'flows'],
  } as const;
  const list = kind.all;
  if (list !== referredLists.flows && list !== referredLists.stages) return [];
  const [own, other, others_] = ends[list];
  return world
    .kind('/flows/bindings/')
    .rows.with(own, pk)
    .flatMap(({ fields }) => {
      const found = world.at(referredLists[others_]).at(textOf(fields[other]));
      return found ? [shown(world, referredLists[others_], found, 'cascade_many')] : [];
    });
}

function others(world: World, { list, field }: Referring, row: Row): JsonObject[] {
  if (list === 'bindables' || !isJsonList(row.fields[field] ?? null)) return [];
  const path = referredLists[list];
  return world
    .at(path)
    .those(row.fields[field])
    .map((other) => shown(world, path, other, 'cascade_many'));
}
