import type { ErrorObject } from 'ajv';
import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ListCheck,
  type Validate,
} from '../base/json.ts';
import { listOf, lists, validate as validateTop } from '../generated/manifest.ts';
import { withSchema } from './manifest-schema.ts';

/** The lists that a manifest has, or defaults for. */
export function listsIn(manifest: JsonValue): readonly string[] {
  if (!isJsonObject(manifest)) return [];
  const { defaults = null } = manifest;
  const types = isJsonObject(defaults) ? Object.keys(defaults) : [];
  const named = [...types.map((type) => listOf[type] ?? ''), ...Object.keys(manifest)];
  return [...new Set(named)].filter((list) => Object.hasOwn(lists, list));
}

const loaded = new Map<string, ListCheck>();

/** The check of manifests that have no other lists than these. Those of a list are loaded when a manifest first has it. */
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
    const errors = errorsOf(validateTop, manifest, '');
    if (isJsonObject(manifest)) {
      if (!Object.keys(manifest).some((list) => Object.hasOwn(lists, list))) errors.push(broken('', 'anyOf'));
      for (const error of errorsInside(manifest, known)) errors.push(error);
    }
    validate.errors = errors.map((error) => withSchema(error, manifest));
    return errors.length === 0;
  };
  return validate;
}

function* errorsInside(manifest: JsonObject, known: ReadonlyMap<string, ListCheck>): Iterable<ErrorObject> {
  const { defaults = null } = manifest;
  for (const [type, fields] of isJsonObject(defaults) ? Object.entries(defaults) : []) {
    const check = known.get(listOf[type] ?? '');
    if (check && isJsonObject(fields)) yield* errorsInDefaults(check, fields, `/defaults/${type}`);
  }
  for (const [list, { checks }] of known) {
    const entries = manifest[list] ?? null;
    if (!isJsonList(entries)) continue;
    for (const [index, entry] of entries.entries()) yield* errorsInEntry(checks, entry, `/${list}/${index}`);
  }
}

/** Each field is checked as one of the entries that have it. That such an entry has others as well is not asked of it. */
function* errorsInDefaults(
  { checks, defaults }: ListCheck,
  fields: JsonObject,
  at: string,
): Iterable<ErrorObject> {
  for (const [field, value] of Object.entries(fields)) {
    const type = Object.hasOwn(defaults, field) ? defaults[field] : undefined;
    const check = type === undefined ? undefined : checks[type];
    if (check === undefined) yield broken(at, 'additionalProperties', { additionalProperty: field });
    else yield* errorsOf(check, { [field]: value }, at).filter(({ instancePath }) => instancePath !== at);
  }
}

function* errorsInEntry(checks: ListCheck['checks'], entry: JsonValue, at: string): Iterable<ErrorObject> {
  const tagValue = isJsonObject(entry) ? entry['type'] : undefined;
  const check =
    checks[''] ?? (typeof tagValue === 'string' && Object.hasOwn(checks, tagValue) && checks[tagValue]);
  if (check) yield* errorsOf(check, entry, at);
  else if (!isJsonObject(entry)) yield broken(at, 'type', { type: 'object' });
  else {
    const error = typeof tagValue === 'string' ? 'mapping' : 'tag'; // as ajv calls them
    yield broken(at, 'discriminator', { error, tag: 'type', tagValue, choices: Object.keys(checks) });
  }
}

/** Checks a value that stands in a manifest at a place. */
function errorsOf(check: Validate, value: JsonValue, at: string): ErrorObject[] {
  return check(value, { instancePath: at }) ? [] : (check.errors ?? []);
}

function broken(instancePath: string, keyword: string, params: ErrorObject['params'] = {}): ErrorObject {
  return { instancePath, keyword, params, schemaPath: '' };
}
