import { filterKeys, isJsonObject, type JsonObject } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { isAsShipped } from '../kinds/shipped.ts';
import type { Declaration } from './writable.ts';

/** The values that differ from the shipped record, in which a missing field has its default value. A field that was not read is not a change. */
export function changedFieldsOf(
  { fields }: Kind<ResourceType>,
  values: JsonObject,
  shipped: JsonObject,
): JsonObject {
  return filterKeys(
    values,
    (field) => !isAsShipped(values[field] ?? null, shipped[field] ?? fields[field]?.default ?? null),
  );
}

/** Changed fields that are missing in the shipped record and whose defaults are unknown. Their declared values may be the defaults. */
export function possiblyUnchangedFields(
  { fields }: Kind<ResourceType>,
  changes: JsonObject,
  shipped: JsonObject,
): readonly string[] {
  return Object.entries(changes).flatMap(([field, value]) => {
    const shippedValue = shipped[field];
    if (shippedValue === undefined) return fields[field]?.default === undefined ? [field] : [];
    if (!isJsonObject(value) || !isJsonObject(shippedValue)) return [];
    return Object.keys(value).flatMap((key) => (Object.hasOwn(shippedValue, key) ? [] : [`${field}.${key}`]));
  });
}

/** Reduces a declaration to its changed fields and its identity. */
export function withOnlyChangedFields<One extends Declaration>(declared: One, changes: JsonObject): One {
  const { kind, fields } = declared;
  const identityFields = new Set([kind.identity, kind.scope, kind.variant?.field]);
  const kept = Object.entries(fields).filter(([field]) => identityFields.has(field) || field in changes);
  return { ...declared, fields: { ...changes, ...Object.fromEntries(kept) } };
}
