import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { isAsShipped } from '../kinds/shipped.ts';
import type { Declaration } from './writable.ts';

/** The fields in which a declaration differs from the shipped record. A missing field counts as its default value. */
export function changedFieldsOf(
  kind: Kind<ResourceType>,
  declared: JsonObject,
  shipped: JsonObject,
  without: ReadonlySet<string>,
): JsonObject {
  const changes: Record<string, JsonValue> = {};
  for (const field of new Set([...Object.keys(declared), ...Object.keys(shipped)])) {
    const byDefault = kind.fields[field]?.default;
    const value = declared[field] ?? byDefault;
    const isWanted = value !== undefined && !without.has(`${kind.type}.${field}`);
    if (isWanted && !isAsShipped(value, shipped[field] ?? byDefault ?? null)) changes[field] = value;
  }
  return changes;
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
