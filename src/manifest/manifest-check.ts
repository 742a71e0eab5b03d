import type { ErrorObject } from 'ajv';
import {
  type EntryCheck,
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ListCheck,
  type Validate,
  pointerSteps,
  valueAt,
} from '../base/json.ts';
import { listOf, lists, version } from '../generated/manifest.ts';
import { lazy, memoizePerText } from '../base/memoize.ts';
import { schemaText } from '../base/package-file.ts';

/** The names of lists in a manifest, including lists for which it only has defaults. */
export function listsOfManifest(manifest: JsonValue): readonly string[] {
  if (!isJsonObject(manifest)) return [];
  const { defaults = null } = manifest;
  const types = isJsonObject(defaults) ? Object.keys(defaults) : [];
  const usedLists = [...types.map((key) => listOf[typeOfDefaults(key)] ?? ''), ...Object.keys(manifest)];
  return [...new Set(usedLists)].filter((list) => Object.hasOwn(lists, list));
}

/** Returns `provider` for the keys `provider` and `provider.oauth2` in defaults. */
function typeOfDefaults(key: string): string {
  return key.replace(/\..*/s, '');
}

/** Importing a loaded module again takes longer than remembering it. */
const listCheck = memoizePerText((list) => lists[list]?.());

/** A check for manifests with only these lists; the generated code for a list is loaded when it is first needed. */
export async function manifestCheck(listNames: readonly string[]): Promise<Validate> {
  const listChecks = new Map<string, ListCheck>();
  for (const list of listNames) {
    const check = await listCheck(list);
    if (check) listChecks.set(list, check);
  }
  const validate: Validate = (value) => {
    const manifest = value as JsonValue; // the YAML reader returns JSON
    validate.errors = Array.from(errorsIn(manifest, listChecks), (error) =>
      withErrorContext(error, manifest),
    );
    return validate.errors.length === 0;
  };
  return validate;
}

const isMapping = typed('object', isJsonObject);
const isList = typed('array', isJsonList);
const rootCheck: EntryCheck = {
  required: ['version'],
  unlessAbsent: [],
  fields: {
    version,
    defaults: isMapping,
    ...Object.fromEntries(Object.keys(lists).map((list) => [list, isList])),
  },
};

function* errorsIn(manifest: JsonValue, listChecks: ReadonlyMap<string, ListCheck>): Iterable<ErrorObject> {
  yield* errorsInEntry(rootCheck, manifest, '');
  if (!isJsonObject(manifest)) return;
  if (!Object.keys(manifest).some((list) => Object.hasOwn(lists, list))) yield schemaError('', 'anyOf');
  const { defaults = null } = manifest;
  if (isJsonObject(defaults)) yield* errorsInDefaults(defaults, listChecks);
  for (const [list, { entries }] of listChecks) {
    const values = manifest[list] ?? null;
    if (!isJsonList(values)) continue;
    for (const [index, entry] of values.entries()) {
      const at = `/${list}/${index}`;
      const check = entries[''] ?? checkByType(entries, entry, at);
      if ('keyword' in check) yield check;
      else yield* errorsInEntry(check, entry, at);
    }
  }
}

/** The errors in defaults, whose fields have the same schemas as the fields of entries. */
function* errorsInDefaults(
  defaults: JsonObject,
  listChecks: ReadonlyMap<string, ListCheck>,
): Iterable<ErrorObject> {
  const keys = Object.keys(listOf).flatMap((type) => {
    const ofTypes = Object.keys(listChecks.get(listOf[type] ?? '')?.entries ?? {}).filter(
      (sort) => sort !== '',
    );
    return [type, ...ofTypes.map((sort) => `${type}.${sort}`)];
  });
  yield* errorsInFields(Object.fromEntries(keys.map((key) => [key, isMapping])), defaults, '/defaults');
  for (const [key, fields] of Object.entries(defaults)) {
    const type = typeOfDefaults(key);
    const check = listChecks.get(listOf[type] ?? '');
    if (!check || !isJsonObject(fields)) continue;
    const typeCheck = check.entries[key.slice(type.length + 1)];
    if (typeCheck && key !== type) {
      const { required, unlessAbsent } = typeCheck;
      const excludedFields = new Set([...required, ...unlessAbsent, 'formerly', 'state']);
      const fieldsToCheck = Object.entries(typeCheck.fields).filter(([field]) => !excludedFields.has(field));
      yield* errorsInFields(Object.fromEntries(fieldsToCheck), fields, `/defaults/${key}`);
      continue;
    }
    const checks = Object.entries(check.defaults).flatMap(([field, of]) => {
      const { [field]: one } = check.entries[of]?.fields ?? {};
      return one ? [[field, one] as const] : [];
    });
    yield* errorsInFields(Object.fromEntries(checks), fields, `/defaults/${type}`);
  }
}

/** For an entry of a list with several types: the check for its type, or the error about its type. */
function checkByType(entries: ListCheck['entries'], entry: JsonValue, at: string): EntryCheck | ErrorObject {
  if (!isJsonObject(entry)) return schemaError(at, 'type', { type: 'object' });
  const { type: tagValue } = entry;
  const check = typeof tagValue === 'string' && Object.hasOwn(entries, tagValue) && entries[tagValue];
  if (check) return check;
  const error = typeof tagValue === 'string' ? 'mapping' : 'tag'; // the names of these errors in ajv
  return schemaError(at, 'discriminator', { error, tag: 'type', tagValue, choices: Object.keys(entries) });
}

function* errorsInEntry(
  { required, unlessAbsent, fields }: EntryCheck,
  entry: JsonValue,
  at: string,
): Iterable<ErrorObject> {
  if (!isJsonObject(entry)) {
    yield schemaError(at, 'type', { type: 'object' });
    return;
  }
  for (const field of Object.hasOwn(entry, 'state') ? required : [...unlessAbsent, ...required])
    if (!Object.hasOwn(entry, field)) yield schemaError(at, 'required', { missingProperty: field });
  yield* errorsInFields(fields, entry, at);
}

function* errorsInFields(fields: EntryCheck['fields'], value: JsonObject, at: string): Iterable<ErrorObject> {
  for (const [field, inner] of Object.entries(value)) {
    const check = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (check === undefined) yield schemaError(at, 'additionalProperties', { additionalProperty: field });
    else if (!check(inner, { instancePath: `${at}/${field}` })) yield* check.errors ?? [];
  }
}

function typed(type: string, isValid: (value: unknown) => boolean): Validate {
  const validate: Validate = (value, { instancePath } = { instancePath: '' }) => {
    validate.errors = isValid(value) ? null : [schemaError(instancePath, 'type', { type })];
    return validate.errors === null;
  };
  return validate;
}

function schemaError(instancePath: string, keyword: string, params: ErrorObject['params'] = {}): ErrorObject {
  return { instancePath, keyword, params, schemaPath: '' };
}

const schema = lazy(() => JSON.parse(schemaText('manifest')) as JsonObject); // rollcall's own schema is an object

/** Extends an error with the wrong value and with the part of the published schema that describes this value. */
function withErrorContext(error: ErrorObject, manifest: JsonValue): ErrorObject {
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
  if (typeof $ref === 'string')
    return schemaPart({ ...objectIn(valueAt(schema(), pointerSteps($ref))), ...ownKeys }, value);
  if (isJsonList(anyOf)) return schemaPart({ ...objectIn(anyOf[0]), ...ownKeys }, value);
  if (!isJsonList(oneOf)) return node;
  const type = isJsonObject(value) ? value['type'] : undefined;
  const ofTypes = oneOf.map((item) => schemaPart(objectIn(item), value));
  return (
    ofTypes.find(({ properties }) => objectIn(objectIn(properties)['type'])['const'] === type) ?? ownKeys
  );
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
