import { isJsonList, isJsonObject, textOf, type JsonValue } from '../base/json.ts';
import { isMasked } from '../base/sensitive.ts';
import { isInstruction, partialComparisonOf, partialComparison, sentValue } from '../kinds/fields.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { bindingsIn, labelBindings, matchBindings } from '../kinds/bindings.ts';
import { mapIds } from '../kinds/map-ids.ts';
import type { Children } from '../kinds/children.ts';
import { isNameReference, type PartialComparison } from '../kinds/values.ts';
import { namesByPointer, namesById } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Alteration, AlteredField } from '../manifest/baseline.ts';
import type { ObservedRecord } from '../service/types.ts';

/** Adds remarks on fields that were removed from an entry but keep their value in the service. */
export function withRemovedFields(
  alteration: Alteration,
  resource: Resource,
  observed: ObservedRecord,
): Alteration {
  if (alteration.kind !== 'altered' || !alteration.fields || isToBeDeleted(resource)) return alteration;
  return {
    kind: 'altered',
    fields: alteration.fields.map((altered) => {
      const stays = remainingText(altered, resource, observed);
      return stays === undefined ? altered : { ...altered, stays };
    }),
  };
}

function remainingText(
  { field, before, now: current }: AlteredField,
  resource: Resource,
  observed: ObservedRecord,
): string | undefined {
  const { kind } = resource;
  if (before === undefined || isInstruction(kind, field)) return undefined;
  // If a field is declared in part, its undeclared items stay in the service.
  const isInPart = kind.fields[field]?.part !== undefined;
  const part =
    current === undefined
      ? isInPart
        ? partialComparisonOf(kind, field)
        : undefined
      : partialComparison(resource, field);
  if (current === undefined && (part === undefined || isMasked(before))) return `keeps its \`${field}\``;
  const { children } = kind.fields[field] ?? {};
  if (part === undefined) {
    const texts = children ? removedBindingFields(children, before, sentValue(resource, field) ?? null) : [];
    return texts.length === 0 ? undefined : `keeps ${texts.join(', ')} of its \`${field}\``;
  }
  if (isMasked(before) || (isJsonList(before) && before.some((item) => isMasked(item))))
    return `keeps any undeclared part of its \`${field}\``;
  if (children) return remainingBindingsText(children, part, before, resource, field, observed);
  const known = observed.names?.[field];
  const names = new Map([...(known ?? []), ...namesById(resource, field)]);
  // The manifest may contain a name instead of the id.
  const withNames = (ids: JsonValue): JsonValue =>
    isJsonList(ids)
      ? [...ids, ...Object.values(namesByPointer(kind, field, ids, names)).map((name) => ({ name }))]
      : ids;
  const dropped = part.dropped(before, withNames(sentValue(resource, field) ?? null));
  const observedValue = observed.fields[field];
  const isSeen =
    observedValue !== undefined &&
    (known !== undefined || !isJsonList(dropped) || !dropped.some(isNameReference));
  const texts = textsIn(isSeen ? part.managed(dropped, withNames(observedValue)) : dropped);
  if (texts.length === 0) return undefined;
  return `keeps ${texts.join(', ')} of its \`${field}\`${isSeen ? '' : ', if they are in the service'}`;
}

function remainingBindingsText(
  children: Children,
  part: PartialComparison,
  before: JsonValue,
  resource: Resource,
  field: string,
  { fields }: ObservedRecord,
): string | undefined {
  const [declared, there] = [sentValue(resource, field) ?? null, fields[field] ?? null].map((value) =>
    withoutKnownIds(children, value),
  );
  const dropped = part.dropped(before, declared ?? null);
  const texts = Object.keys(labelBindings(children, part.managed(dropped, there ?? null), []).declared);
  return texts.length === 0 ? undefined : `keeps ${texts.join(', ')} of its \`${field}\``;
}

/** The fields that are no longer declared for a binding. The service keeps their values. */
function removedBindingFields(children: Children, before: JsonValue, now: JsonValue): string[] {
  const [earlier, current] = [before, now].map((value) =>
    bindingsIn(children, withoutKnownIds(children, value)),
  );
  return Array.from(matchBindings(earlier ?? [], current ?? [])).flatMap(([{ binds, id, values }, kept]) => {
    const child = `${binds.idField} ${isNameReference(id) ? id.name : textOf(id)}`;
    const removed = Object.keys(values).filter((name) => !Object.hasOwn(kept.values, name));
    return removed.map((name) => `\`${name}\` of ${child}`);
  });
}

function withoutKnownIds(children: Children, value: JsonValue): JsonValue {
  return mapIds({ children }, value, (id) => (isNameReference(id) ? { name: id.name } : id));
}

/** The ids in a list, or the paths of the keys in an object, such as `theme.dark`. */
function textsIn(value: JsonValue): string[] {
  if (isJsonList(value)) return value.map((item) => (isNameReference(item) ? item.name : textOf(item)));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = textsIn(inner);
    return isJsonObject(inner) && below.length > 0 ? below.map((rest) => `${key}.${rest}`) : [key];
  });
}
