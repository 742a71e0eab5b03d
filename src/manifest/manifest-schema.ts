import type { ErrorObject } from 'ajv';
import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointerSteps,
  valueAt,
} from '../base/json.ts';
import { lazy } from '../base/memoize.ts';
import { schemaText } from '../base/package-file.ts';

const schema = lazy(() => JSON.parse(schemaText('manifest')) as JsonObject); // our own

/** An error with its value, and the part of the published schema for it. */
export function withSchema(error: ErrorObject, manifest: JsonValue): ErrorObject {
  let data = manifest;
  let parentSchema = schema();
  for (const step of pointerSteps(error.instancePath)) {
    const [inner, within] = isJsonList(data)
      ? [data[Number(step)], parentSchema['items']]
      : [isJsonObject(data) ? data[step] : null, objectIn(parentSchema['properties'])[step]];
    data = inner ?? null;
    parentSchema = plain(objectIn(within), data);
  }
  return { ...error, data, parentSchema };
}

/** The part of the schema for a value: of its definition, reference form or entry type. */
function plain(node: JsonObject, value: JsonValue): JsonObject {
  const { $ref, anyOf, oneOf, ...own } = node;
  if (typeof $ref === 'string') return plain({ ...definition($ref), ...own }, value);
  if (isJsonList(anyOf)) return plain({ ...objectIn(anyOf[0]), ...own }, value);
  if (!isJsonList(oneOf)) return node;
  const type = isJsonObject(value) ? value['type'] : undefined;
  const ofTypes = oneOf.map((one) => plain(objectIn(one), value));
  return ofTypes.find(({ properties }) => objectIn(objectIn(properties)['type'])['const'] === type) ?? own;
}

/** `#/definitions/group`, or a part of one. */
function definition(ref: string): JsonObject {
  return objectIn(valueAt(schema(), pointerSteps(ref)));
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
