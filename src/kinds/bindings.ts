import {
  filterKeys,
  isJsonList,
  isJsonObject,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import type { Bindable, Binding, Child, Children, Parent, WantedChild, WantedChildren } from './children.ts';
import { fieldsWith, type Kind } from './kind.ts';
import { memoizePerKey } from '../base/memoize.ts';
import { idOrName, isNameReference, type PartialComparison, recordKey, sameJson } from './values.ts';

export const childFields: (kind: Pick<Kind, 'fields'>) => readonly (readonly [string, Children])[] =
  memoizePerKey((kind) => fieldsWith(kind, 'children'));

export function targetId({ targetIdField }: Children, { pk, bindable = pk }: Parent): string {
  return targetIdField === 'pk' ? pk : bindable;
}

/** Pairs each declared binding with an existing binding of the same child, preferably one with the same order. */
export function matchBindings<Declared extends Binding, Observed extends Binding>(
  wanted: readonly Declared[],
  held: readonly Observed[],
): ReadonlyMap<Declared, Observed> {
  const pairs = new Map<Declared, Observed>();
  const remaining = new Set(held);
  const pair = (binding: Declared, isMatch: (other: Observed) => boolean): void => {
    if (pairs.has(binding)) return;
    const match = [...remaining].find((other) => childKey(other) === childKey(binding) && isMatch(other));
    if (match === undefined) return;
    pairs.set(binding, match);
    remaining.delete(match);
  };
  for (const one of wanted) pair(one, (other) => hasSameOrder(one, other) && hasSameValues(one, other));
  for (const one of wanted) pair(one, (other) => hasSameOrder(one, other));
  for (const one of wanted) pair(one, () => true);
  return pairs;
}

/** The existing binding for each declared binding. The lowest id is preferred, so that every run makes the same choice. */
export function bindingsByDeclaration(
  { wanted, covers }: WantedChildren,
  bound: readonly Child[],
): ReadonlyMap<WantedChild, Child> {
  return matchBindings(
    wanted,
    bound.filter((child) => covers(child)),
  );
}

export function missingBindings(declared: WantedChildren, bound: readonly Child[]): readonly WantedChild[] {
  const pairs = bindingsByDeclaration(declared, bound);
  return declared.wanted.filter((one) => !pairs.has(one));
}

export function changedBindings(
  declared: WantedChildren,
  bound: readonly Child[],
): readonly (readonly [WantedChild, Child])[] {
  return [...bindingsByDeclaration(declared, bound)].filter(
    ([one, child]) => differingFields(one, child).length > 0,
  );
}

/** A declared binding for which several existing bindings have the same child and order, but none of them has the declared values. */
export function ambiguousBinding(declared: WantedChildren, bound: readonly Child[]): WantedChild | undefined {
  return changedBindings(declared, bound).find(([one, child]) =>
    bound.some(
      (other) =>
        declared.covers(other) &&
        childKey(other) === childKey(one) &&
        hasSameOrder(one, other) &&
        !hasSameValues(child, other),
    ),
  )?.[0];
}

function hasSameOrder({ values: { order } }: Binding, { values }: Binding): boolean {
  return order === values['order'];
}

/** The existing bindings that are missing from the manifest, each with the field that would declare the binding. */
export function extraBindings(
  declared: WantedChildren,
  bound: readonly Child[],
): readonly { readonly child: Child; readonly field: string }[] {
  const kept = new Set(bindingsByDeclaration(declared, bound).values());
  return bound.flatMap((child) => {
    const field = kept.has(child) ? undefined : declared.omittingField(child);
    return field === undefined ? [] : [{ child, field }];
  });
}

/** The existing bindings after an update, together with the missing ones. */
export function childrenAfter(declared: WantedChildren, bound: readonly Child[]): readonly Binding[] {
  const pairs = bindingsByDeclaration(declared, bound);
  const kept = new Set(pairs.values());
  const extra = new Set(extraBindings(declared, bound).map(({ child }) => child));
  return [
    ...declared.wanted.map((one) => ({ ...one, values: { ...pairs.get(one)?.values, ...one.values } })),
    ...bound.filter((child) => !kept.has(child) && !extra.has(child)),
  ];
}

export function removesBindings(declared: WantedChildren, bound: readonly Child[]): boolean {
  const nested = changedBindings(declared, bound).some(([{ values, inside }, child]) => {
    if (inside === undefined || !Object.hasOwn(values, inside.field)) return false;
    const [wanted, held] = [values, child.values].map((of) =>
      bindingsIn(inside.children, of[inside.field] ?? null),
    );
    return (held?.length ?? 0) > matchBindings(wanted ?? [], held ?? []).size;
  });
  return nested || extraBindings(declared, bound).length > 0;
}

export function childKey({ binds, id = null }: Pick<Binding, 'binds' | 'id'>): string {
  return `${binds?.idField} ${recordKey(idOrName(id))}`;
}

export function differingFields({ values, inside }: Binding, held: Binding): string[] {
  return Object.keys(values).filter((field) => {
    const [declared, observed] = [values[field] ?? null, held.values[field] ?? null];
    return field === inside?.field
      ? !sameBindings(inside.children, declared, observed)
      : !sameJson(declared, observed);
  });
}

export function isEnabled({ values }: Pick<Binding, 'values'>): boolean {
  return values['enabled'] !== false;
}

export function isEffective(one: Pick<Binding, 'values'> & Partial<Pick<Child, 'isExpired'>>): boolean {
  return isEnabled(one) && one.isExpired !== true;
}

/** Whether people must pass all bindings of a record, instead of any one of them. */
export function mustPassAll({ mode }: Bindable, values: JsonObject): boolean {
  return mode !== undefined && values[mode.field] === mode.all;
}

export function valuesWithoutNested({ values, inside }: Binding): JsonObject {
  return filterKeys(values, (field) => field !== inside?.field);
}

function hasSameValues(one: Binding, held: Binding): boolean {
  return differingFields(one, held).length === 0;
}

export function bindingsIn(
  { binds: fields, assumed, inside }: Children,
  value: JsonValue,
): readonly DeclaredBinding[] {
  return (isJsonList(value) ? value : []).flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const binds = fields.find(({ idField }) => Object.hasOwn(one, idField));
    if (binds === undefined) return [];
    const { [binds.idField]: id = null, ...values } = one;
    return [{ binds, id, values: { ...assumed, ...values }, inside }];
  });
}

type DeclaredBinding = Binding & Pick<WantedChild, 'binds' | 'id'>;

export function declaredBindings(
  children: Children,
  field: string,
  value: JsonValue,
): readonly WantedChild[] {
  return bindingsIn(children, value).map((one) => ({
    ...one,
    field,
    id: idOrName(one.id),
    ...(isNameReference(one.id) && { name: one.id.name }),
  }));
}

export function bindingsAsValue(held: readonly Child[]): JsonValue {
  return held
    .filter(({ binds, isExpired }) => binds !== undefined && !isExpired)
    .toSorted((a, b) => Number(a.values['order']) - Number(b.values['order']))
    .map(({ binds, id = null, name, values }) => ({
      [binds?.idField ?? '']: name === undefined ? id : { name, id },
      ...values,
    }));
}

/** Converts two lists of bindings to objects, in which matching bindings have the same key, such as `group "staff"`. */
export function labelBindings(
  children: Children,
  declared: JsonValue,
  observed: JsonValue,
): { readonly declared: JsonObject; readonly observed: JsonObject } {
  const [wanted, held] = [bindingsIn(children, declared), bindingsIn(children, observed)];
  const pairs = matchBindings(wanted, held);
  const paired = new Set(pairs.values());
  const unpaired = held.filter((one) => !paired.has(one));
  const all = [...paired, ...unpaired, ...wanted.filter((one) => !pairs.has(one))];
  const labelOf = (one: DeclaredBinding): string => {
    const ofChild = all.filter((other) => childKey(other) === childKey(one));
    const ofOrder = ofChild.filter((other) => hasSameOrder(other, one));
    const order = ofChild.length === 1 ? '' : ` at ${textOf(one.values['order'] ?? null)}`;
    const place = ofOrder.indexOf(one) > 0 ? ` (${ofOrder.indexOf(one) + 1})` : '';
    return `${one.binds.idField} ${isNameReference(one.id) ? one.id.name : textOf(one.id)}${order}${place}`;
  };
  const { inside } = children;
  const field = inside?.field ?? '';
  const declaredByLabel: Record<string, JsonObject> = {};
  const observedByLabel: Record<string, JsonObject> = {};
  for (const one of wanted) {
    const other = pairs.get(one);
    const label = labelOf(other ?? one);
    const { assumed = {} } = children;
    const isShown = (name: string): boolean =>
      Object.hasOwn(one.values, name) &&
      [one, ...(other ? [other] : [])].some(({ values }) => values[name] !== assumed[name]);
    const seen = other && filterKeys(other.values, isShown);
    const nested = one.values[field];
    const sides =
      inside && nested !== undefined && labelBindings(inside.children, nested, seen?.[field] ?? []);
    declaredByLabel[label] = {
      ...filterKeys(one.values, isShown),
      ...(sides && { [field]: sides.declared }),
    };
    if (seen) observedByLabel[label] = { ...seen, ...(sides && { [field]: sides.observed }) };
  }
  for (const one of unpaired) observedByLabel[labelOf(one)] = withoutDefaults(children, one.values);
  return { declared: declaredByLabel, observed: observedByLabel };
}

export function withoutDefaultsIn(children: Children, value: JsonValue): JsonValue {
  if (!isJsonList(value)) return value;
  return value.map((one) => (isJsonObject(one) ? withoutDefaults(children, one) : one));
}

function withoutDefaults({ fields, inside }: Children, values: JsonObject): JsonObject {
  const changed = filterKeys(
    values,
    (field) => !sameJson(fields[field]?.default ?? null, values[field] ?? null),
  );
  const nested = inside && changed[inside.field];
  if (inside === undefined || nested === undefined) return changed;
  const { [inside.field]: _, ...others } = changed;
  const isNothing = isJsonList(nested) && nested.length === 0;
  return isNothing ? others : { ...changed, [inside.field]: withoutDefaultsIn(inside.children, nested) };
}

export function sameBindings(children: Children, declared: JsonValue, observed: JsonValue): boolean {
  if (!isJsonList(declared) || !isJsonList(observed)) return sameJson(declared, observed);
  const [wanted, held] = [bindingsIn(children, declared), bindingsIn(children, observed)];
  if (wanted.length !== held.length) return false;
  const pairs = matchBindings(wanted, held);
  return wanted.every((one) => {
    const other = pairs.get(one);
    return other !== undefined && hasSameValues(one, other);
  });
}

/** The bindings after an update: declared values override the observed values of matching bindings. */
export function bindingsAfter(
  children: Children,
  declared: JsonValue,
  observed: JsonValue,
  isPart: boolean,
): JsonValue {
  const [wanted, there] = [bindingsIn(children, declared), bindingsIn(children, observed)];
  const pairs = matchBindings(wanted, there);
  const matched = new Set(pairs.values());
  const others = isPart ? there.filter((item) => !matched.has(item)) : [];
  return [
    ...wanted.map((item): JsonObject => ({
      [item.binds.idField]: item.id,
      ...pairs.get(item)?.values,
      ...item.values,
    })),
    ...others.map(({ binds, id, values }): JsonObject => ({ [binds.idField]: id, ...values })),
  ];
}

/** Compares bindings that are declared in part: the record may have further bindings. */
export function partialBindings(children: Children): PartialComparison {
  const split = (wanted: JsonValue, held: JsonValue, isPaired: boolean): JsonValue => {
    if (!isJsonList(wanted) || !isJsonList(held)) return held;
    const each = bindingsIn(children, held);
    if (each.length < held.length) return held;
    const pairs = new Set<unknown>(matchBindings(bindingsIn(children, wanted), each).values());
    return held.filter((_, index) => pairs.has(each[index]) === isPaired);
  };
  return {
    managed: (declared, observed) => split(declared, observed, true),
    // Each binding is sent in its own request, so nothing is merged.
    merged: (declared) => declared,
    dropped: (before, now) => split(now, before, false),
  };
}
