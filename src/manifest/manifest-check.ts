import type { ErrorObject } from 'ajv';
import {
  type EntryCheck,
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ListCheck,
  type Validate,
} from '../base/json.ts';
import { listOf, lists, version } from '../generated/manifest.ts';
import { withSchema } from './manifest-schema.ts';

/** The lists that a manifest has, or defaults for. */
export function listsIn(manifest: JsonValue): readonly string[] {
  if (!isJsonObject(manifest)) return [];
  const { defaults = null } = manifest;
  const types = isJsonObject(defaults) ? Object.keys(defaults) : [];
  const named = [...types.map((key) => listOf[typeIn(key)] ?? ''), ...Object.keys(manifest)];
  return [...new Set(named)].filter((list) => Object.hasOwn(lists, list));
}

/** The type of the entries that defaults are for: `provider`, also of `provider.oauth2`. */
function typeIn(key: string): string {
  return key.replace(/\..*/s, '');
}

const loaded = new Map<string, ListCheck>();

/** The check of manifests with only these lists. The check of a list is loaded when a manifest first has it. */
export async function checkOf(some: readonly string[]): Promise<Validate> {
  const known = new Map<string, ListCheck>();
  for (const list of some) {
    const check = loaded.get(list) ?? (await lists[list]?.());
    if (!check) continue;
    loaded.set(list, check);
    known.set(list, check);
  }
  const validate: Validate = (value) => {
    const manifest = value as JsonValue; // what is checked against a schema is JSON
    validate.errors = Array.from(errorsIn(manifest, known), (error) => withSchema(error, manifest));
    return validate.errors.length === 0;
  };
  return validate;
}

const isMapping = typed('object', isJsonObject);
const isList = typed('array', isJsonList);
const top: EntryCheck = {
  required: ['version'],
  unlessAbsent: [],
  fields: {
    version,
    defaults: isMapping,
    ...Object.fromEntries(Object.keys(lists).map((list) => [list, isList])),
  },
};

function* errorsIn(manifest: JsonValue, known: ReadonlyMap<string, ListCheck>): Iterable<ErrorObject> {
  yield* errorsInEntry(top, manifest, '');
  if (!isJsonObject(manifest)) return;
  if (!Object.keys(manifest).some((list) => Object.hasOwn(lists, list))) yield broken('', 'anyOf');
  const { defaults = null } = manifest;
  if (isJsonObject(defaults)) yield* errorsInDefaults(defaults, known);
  for (const [list, { entries }] of known) {
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

/** Each field is checked as in an entry that has it. */
function* errorsInDefaults(
  defaults: JsonObject,
  known: ReadonlyMap<string, ListCheck>,
): Iterable<ErrorObject> {
  const keys = Object.keys(listOf).flatMap((type) => {
    const ofTypes = Object.keys(known.get(listOf[type] ?? '')?.entries ?? {}).filter((sort) => sort !== '');
    return [type, ...ofTypes.map((sort) => `${type}.${sort}`)];
  });
  yield* errorsInFields(Object.fromEntries(keys.map((key) => [key, isMapping])), defaults, '/defaults');
  for (const [key, fields] of Object.entries(defaults)) {
    const type = typeIn(key);
    const check = known.get(listOf[type] ?? '');
    if (!check || !isJsonObject(fields)) continue;
    const own = check.entries[key.slice(type.length + 1)];
    if (own && key !== type) {
      const { required, unlessAbsent } = own;
      const never = new Set([...required, ...unlessAbsent, 'formerly', 'state']);
      const some = Object.entries(own.fields).filter(([field]) => !never.has(field));
      yield* errorsInFields(Object.fromEntries(some), fields, `/defaults/${key}`);
      continue;
    }
    const checks = Object.entries(check.defaults).flatMap(([field, of]) => {
      const { [field]: one } = check.entries[of]?.fields ?? {};
      return one ? [[field, one] as const] : [];
    });
    yield* errorsInFields(Object.fromEntries(checks), fields, `/defaults/${type}`);
  }
}

/** The check of an entry of a list with several types, or the problem of its type. */
function checkByType(entries: ListCheck['entries'], entry: JsonValue, at: string): EntryCheck | ErrorObject {
  if (!isJsonObject(entry)) return broken(at, 'type', { type: 'object' });
  const { type: tagValue } = entry;
  const check = typeof tagValue === 'string' && Object.hasOwn(entries, tagValue) && entries[tagValue];
  if (check) return check;
  const error = typeof tagValue === 'string' ? 'mapping' : 'tag'; // as ajv calls them
  return broken(at, 'discriminator', { error, tag: 'type', tagValue, choices: Object.keys(entries) });
}

function* errorsInEntry(
  { required, unlessAbsent, fields }: EntryCheck,
  entry: JsonValue,
  at: string,
): Iterable<ErrorObject> {
  if (!isJsonObject(entry)) {
    yield broken(at, 'type', { type: 'object' });
    return;
  }
  for (const field of Object.hasOwn(entry, 'state') ? required : [...unlessAbsent, ...required])
    if (!Object.hasOwn(entry, field)) yield broken(at, 'required', { missingProperty: field });
  yield* errorsInFields(fields, entry, at);
}

function* errorsInFields(fields: EntryCheck['fields'], value: JsonObject, at: string): Iterable<ErrorObject> {
  for (const [field, inner] of Object.entries(value)) {
    const check = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (check === undefined) yield broken(at, 'additionalProperties', { additionalProperty: field });
    else if (!check(inner, { instancePath: `${at}/${field}` })) yield* check.errors ?? [];
  }
}

function typed(type: string, is: (value: unknown) => boolean): Validate {
  const validate: Validate = (value, { instancePath } = { instancePath: '' }) => {
    validate.errors = is(value) ? null : [broken(instancePath, 'type', { type })];
    return validate.errors === null;
  };
  return validate;
}

function broken(instancePath: string, keyword: string, params: ErrorObject['params'] = {}): ErrorObject {
  return { instancePath, keyword, params, schemaPath: '' };
}
