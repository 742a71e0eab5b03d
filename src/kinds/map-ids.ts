import { isJsonObject, isJsonList, type JsonValue } from '../base/json.ts';
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

function mapBoundIds({ binds: fields, inside }: Children, value: JsonValue, change: MapId): JsonValue {
  if (!isJsonList(value)) return value;
  return value.map((one, item) => {
    if (!isJsonObject(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, inner]) => {
        const field = fields.find(({ idField }) => idField === key);
        if (field) return [key, change(inner, field.refersTo, [item, key])];
        if (key !== inside?.field) return [key, inner];
        const within: MapId = (id, family, place) => change(id, family, [item, key, ...place]);
        return [key, mapBoundIds(inside.children, inner, within)];
      }),
    );
  });
}
