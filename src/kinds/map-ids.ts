import { isJsonList, isJsonObject, mapValues, type JsonValue } from '../base/json.ts';
import type { Children } from './children.ts';
import type { Family, FieldOfKind } from './kind.ts';

type MapId = (id: JsonValue, family: Family, place: readonly (string | number)[]) => JsonValue;

export function mapIds(
  { refersTo, children }: Pick<FieldOfKind, 'refersTo' | 'children'>,
  value: JsonValue,
  change: MapId,
): JsonValue {
  if (children) return mapBoundIds(children, value, change);
  if (!refersTo) return value;
  if (!isJsonList(value)) return change(value, refersTo, []);
  return value.map((one, item) => change(one, refersTo, [item]));
}

/** Every id or name in the value of a field, also those of bindings inside bindings. */
export function idsIn(
  row: Pick<FieldOfKind, 'refersTo' | 'children'>,
  value: JsonValue | undefined,
): readonly FoundId[] {
  if (value === undefined) return noIds;
  const found: FoundId[] = [];
  mapIds(row, value, (id, related, place) => {
    found.push({ id, related, place });
    return id;
  });
  return found;
}

const noIds: readonly FoundId[] = [];

interface FoundId {
  readonly id: JsonValue;
  readonly related: Family;
  readonly place: readonly (string | number)[];
}

function mapBoundIds({ binds: fields, inside }: Children, value: JsonValue, change: MapId): JsonValue {
  if (!isJsonList(value)) return value;
  return value.map((one, item) => {
    if (!isJsonObject(one)) return one;
    return mapValues(one, (inner, key) => {
      const field = fields.find(({ idField }) => idField === key);
      if (field) return change(inner, field.refersTo, [item, key]);
      if (key !== inside?.field) return inner;
      const within: MapId = (id, family, place) => change(id, family, [item, key, ...place]);
      return mapBoundIds(inside.children, inner, within);
    });
  });
}
