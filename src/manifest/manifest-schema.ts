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

const schema = lazy(() => JSON.parse(schemaText('manifest')) as JsonObject); // rollcall's own schema is an object

/** Extends an error with the wrong value and with the part of the published schema that describes this value. */
export function withErrorContext(error: ErrorObject, manifest: JsonValue): ErrorObject {
  let data = manifest;
  let parentSchema = schema();
  for (const step of pointerSteps(error.instancePath)) {
    const [inner, within] = isJsonList(data)
      ? [data[Number(step)], parentSchema['items']]
      : [isJsonObject(data) ? data[step] : null, objectIn(parentSchema['properties'])[step]];
    data = inner ?? null;
    parentSchema = schemaPart(objectIn(within), data);
  }
  return { ...error, data, parentSchema };
}

/** Resolves $ref, anyOf and oneOf in a schema to the part that applies to a value. */
function schemaPart(node: JsonObject, value: JsonValue): JsonObject {
  const { $ref, anyOf, oneOf, ...ownKeys } = node;
  if (typeof $ref === 'string') return schemaPart({ ...definition($ref), ...ownKeys }, value);
  if (isJsonList(anyOf)) return schemaPart({ ...objectIn(anyOf[0]), ...ownKeys }, value);
  if (!isJsonList(oneOf)) return node;
  const type = isJsonObject(value) ? value['type'] : undefined;
  const ofTypes = oneOf.map((item) => schemaPart(objectIn(item), value));
  return (
    ofTypes.find(({ properties }) => objectIn(objectIn(properties)['type'])['const'] === type) ?? ownKeys
  );
}

/** Resolves a reference to a definition, such as `#/definitions/group`, or to a part of a definition. */
function definition(ref: string): JsonObject {
  return objectIn(valueAt(schema(), pointerSteps(ref)));
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
