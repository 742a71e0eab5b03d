import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Binding, Child, Children, Parent, WantedChild, WantedChildren } from './children.ts';
import type { Family, FieldOfKind, Kind } from './kind.ts';
import { memoizePerKey } from '../base/memoize.ts';
import { isNameReference, type PartialValue, plainUuid, sameJson } from './values.ts';

export const childFields: (kind: Pick<Kind, 'fields'>) => readonly (readonly [string, Children])[] =
  memoizePerKey(({ fields }) =>
    Object.entries(fields).flatMap(([field, { children }]) => (children ? [[field, children] as const] : [])),
  );

/** The id of a record in its bindings. */
export function targetId({ by }: Children, { pk, bindable = pk }: Parent): string {
  return by === 'pk' ? pk : bindable;
}

/** For each declared binding, the held one with the same child and order, or else with the same child. */
export function matchBindings<Wanted extends Binding, Held extends Binding>(
  wanted: readonly Wanted[],
  held: readonly Held[],
): ReadonlyMap<Wanted, Held> {
  const pairs = new Map<Wanted, Held>();
  const left = new Set(held);
  const take = (one: Wanted, isMatch: (other: Held) => boolean): void => {
    if (pairs.has(one)) return;
    const match = [...left].find((other) => keyOf(other) === keyOf(one) && isMatch(other));
    if (match === undefined) return;
    pairs.set(one, match);
    left.delete(match);
  };
  // Of several at one order, prefer the one that is as declared.
  for (const one of wanted) take(one, (other) => isAtOrder(one, other) && isAs(one, other));
  for (const one of wanted) take(one, (other) => isAtOrder(one, other));
  for (const one of wanted) take(one, () => true);
  return pairs;
}

/** The held binding for each declared one; of several with its child the first by id, so that each run keeps the same one. */
export function bindingsByDeclaration(
  { wanted, isAbout }: WantedChildren,
  bound: readonly Child[],
): ReadonlyMap<WantedChild, Child> {
  return matchBindings(
    wanted,
    bound.filter((child) => isAbout(child)),
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
    ([one, child]) => differingIn(one, child).length > 0,
  );
}

/** A declared binding that cannot be told apart: several held ones have its child and order, and all differ. */
export function ambiguousBinding(declared: WantedChildren, bound: readonly Child[]): WantedChild | undefined {
  return changedBindings(declared, bound).find(([one, child]) =>
    bound.some(
      (other) =>
        declared.isAbout(other) &&
        keyOf(other) === keyOf(one) &&
        isAtOrder(one, other) &&
        isAtOrder(one, child) &&
        !isAs(child, other),
    ),
  )?.[0];
}

function isAtOrder({ values: { order } }: Binding, { values }: Binding): boolean {
  return order !== undefined && order === values['order'];
}

/** Held bindings that are not declared, if the declaration covers them; each with the field that omits it. */
export function extraBindings(
  declared: WantedChildren,
  bound: readonly Child[],
): readonly { readonly child: Child; readonly field: string }[] {
  const kept = new Set(bindingsByDeclaration(declared, bound).values());
  return bound.flatMap((child) => {
    const field = kept.has(child) ? undefined : declared.leftOutBy(child);
    return field === undefined ? [] : [{ child, field }];
  });
}

/** Whether a held binding, or one inside of a binding, is to be deleted. */
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

/** Equal for bindings of the same child. */
export function keyOf({ binds, id = null }: Pick<Binding, 'binds' | 'id'>): string {
  const known = isNameReference(id) ? (id['id'] ?? id) : id;
  return `${binds?.idIn} ${textOf(plainUuid(known))}`;
}

/** The fields of a declared binding with other held values. */
export function differingIn({ values, inside }: Binding, held: Binding): string[] {
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

/** Whether a binding admits or excludes somebody. */
export function counts(one: Pick<Binding, 'values'> & Partial<Pick<Child, 'isExpired'>>): boolean {
  return isEnabled(one) && one.isExpired !== true;
}

export function ownValues({ values, inside }: Binding): JsonObject {
  return only(values, (field) => field !== inside?.field);
}

function isAs(one: Binding, held: Binding): boolean {
  return differingIn(one, held).length === 0;
}

/** The bindings in a value of their field, as a manifest or `valueOf` writes it. */
export function bindingsIn({ binds: fields, inside }: Children, value: JsonValue): readonly Bound[] {
  return (isJsonList(value) ? value : []).flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const binds = fields.find(({ idIn }) => Object.hasOwn(one, idIn));
    if (binds === undefined) return [];
    const { [binds.idIn]: id = null, ...values } = one;
    return [{ binds, id, values, inside }];
  });
}

type Bound = Binding & Pick<WantedChild, 'binds' | 'id'>;

export function declaredBindings(
  children: Children,
  field: string,
  value: JsonValue,
): readonly WantedChild[] {
  return bindingsIn(children, value).map((one) => ({
    ...one,
    field,
    id: isNameReference(one.id) ? (one.id['id'] ?? one.id) : one.id,
    ...(isNameReference(one.id) && { name: one.id.name }),
  }));
}

export function valueOf(held: readonly Child[]): JsonValue {
  return held
    .filter(({ binds, isExpired }) => binds !== undefined && !isExpired)
    .toSorted((a, b) => Number(a.values['order']) - Number(b.values['order']))
    .map(({ binds, id = null, name, values }) => ({
      [binds?.idIn ?? '']: name === undefined ? id : { name, id },
      ...values,
    }));
}

/** The bindings of two values with one label for each pair: `group "staff"`. Bindings without a pair are shown without defaults. */
export function labelled(
  children: Children,
  declared: JsonValue,
  observed: JsonValue,
): { readonly declared: JsonObject; readonly observed: JsonObject } {
  const [wanted, held] = [bindingsIn(children, declared), bindingsIn(children, observed)];
  const pairs = matchBindings(wanted, held);
  const paired = new Set(pairs.values());
  const all = [...held, ...wanted.filter((one) => !pairs.has(one))];
  const labelOf = (one: Bound): string => {
    const isAlone = all.filter((other) => keyOf(other) === keyOf(one)).length === 1;
    const order = isAlone ? '' : ` at ${textOf(one.values['order'] ?? null)}`;
    return `${one.binds.idIn} ${isNameReference(one.id) ? one.id.name : textOf(one.id)}${order}`;
  };
  const { inside } = children;
  const inPairs = wanted.map((one) => {
    const other = pairs.get(one);
    const seen = other && only(other.values, (field) => Object.hasOwn(one.values, field));
    const nested = inside && one.values[inside.field];
    if (inside === undefined || nested === undefined)
      return { label: labelOf(other ?? one), declared: one.values, observed: seen };
    const { field } = inside;
    const sides = labelled(inside.children, nested, seen?.[field] ?? []);
    return {
      label: labelOf(other ?? one),
      declared: { ...one.values, [field]: sides.declared },
      observed: seen && { ...seen, [field]: sides.observed },
    };
  });
  return {
    declared: Object.fromEntries(inPairs.map(({ label, declared: values }) => [label, values])),
    observed: Object.fromEntries([
      ...inPairs.flatMap(({ label, observed: values }) => (values ? [[label, values] as const] : [])),
      ...held
        .filter((one) => !paired.has(one))
        .map((one) => [labelOf(one), withoutDefaults(children, one.values)] as const),
    ]),
  };
}

/** Bindings without default values. */
export function withoutDefaultsIn(children: Children, value: JsonValue): JsonValue {
  if (!isJsonList(value)) return value;
  return value.map((one) => (isJsonObject(one) ? withoutDefaults(children, one) : one));
}

function withoutDefaults({ fields, inside }: Children, values: JsonObject): JsonObject {
  const own = only(values, (field) => !sameJson(fields[field]?.default ?? null, values[field] ?? null));
  const nested = inside && own[inside.field];
  if (inside === undefined || nested === undefined) return own;
  const { [inside.field]: _, ...others } = own;
  const isNothing = isJsonList(nested) && nested.length === 0;
  return isNothing ? others : { ...own, [inside.field]: withoutDefaultsIn(inside.children, nested) };
}

function only(values: JsonObject, isWanted: (field: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([field]) => isWanted(field)));
}

type ChangeId = (id: JsonValue, family: Family, place: readonly (string | number)[]) => JsonValue;

/** Maps every id or name of a value, including those inside of bindings. */
export function mapIds(
  { refersTo, children }: Pick<FieldOfKind, 'refersTo' | 'children'>,
  value: JsonValue,
  change: ChangeId,
): JsonValue {
  if (children) return mapBoundIds(children, value, change);
  if (!refersTo) return value;
  if (!isJsonList(value)) return change(value, refersTo, []);
  return value.map((one, item) => change(one, refersTo, [item]));
}

function mapBoundIds({ binds: fields, inside }: Children, value: JsonValue, change: ChangeId): JsonValue {
  if (!isJsonList(value)) return value;
  return value.map((one, item) => {
    if (!isJsonObject(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, inner]) => {
        const field = fields.find(({ idIn }) => idIn === key);
        if (field) return [key, change(inner, field.refersTo, [item, key])];
        if (key !== inside?.field) return [key, inner];
        const within: ChangeId = (id, family, place) => change(id, family, [item, key, ...place]);
        return [key, mapBoundIds(inside.children, inner, within)];
      }),
    );
  });
}

/** Whether exactly the declared bindings are held. */
export function sameBindings(children: Children, declared: JsonValue, observed: JsonValue): boolean {
  if (!isJsonList(declared) || !isJsonList(observed)) return sameJson(declared, observed);
  const [wanted, held] = [bindingsIn(children, declared), bindingsIn(children, observed)];
  if (declared.length !== held.length || wanted.length !== observed.length) return false;
  const pairs = matchBindings(wanted, held);
  return wanted.every((one) => {
    const other = pairs.get(one);
    return other !== undefined && isAs(one, other);
  });
}

/** Compares declared bindings, among others. */
export function partialBindings(children: Children): PartialValue {
  const split = (wanted: JsonValue, held: JsonValue, isPaired: boolean): JsonValue => {
    if (!isJsonList(wanted) || !isJsonList(held)) return held;
    const each = bindingsIn(children, held);
    if (each.length < held.length) return held;
    const pairs = new Set<unknown>(matchBindings(bindingsIn(children, wanted), each).values());
    return held.filter((_, index) => pairs.has(each[index]) === isPaired);
  };
  return {
    managed: (declared, observed) => split(declared, observed, true),
    // Each binding is sent in its own request.
    merged: (declared) => declared,
    dropped: (before, now) => split(now, before, false),
  };
}
