import type { Manifest } from '../generated/manifest.ts';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { addressOf, type Address, type Resource, type ResourceType } from '../resource.ts';
import type { SourceFile, Span } from '../source.ts';
import type { Places } from '../yaml/places.ts';

/** A manifest that has been read, with all that is known of its text. */
export interface ReadManifest {
  readonly manifest: Manifest;
  /** The manifest with its sensitive values blanked out: the same keys, and lists as long. */
  readonly shown: JsonValue;
  readonly secrets: readonly string[];
  /** The paths of the entries that break the schema, as `users/3`: they are left out. */
  readonly broken: ReadonlySet<string>;
  readonly places: Places;
  readonly file: SourceFile;
}

/** The resources that a manifest declares, each with the defaults of its file filled in. */
export function desiredResources(read: ReadManifest): Resource[] {
  const { manifest, file, secrets } = read;
  const resources: Resource[] = [];
  for (const [index, entry] of listIn(manifest.applications).entries()) {
    const declared = withDefaults('application', entry, index, read);
    if (declared)
      resources.push({
        type: 'application',
        ...named('application', entry.slug),
        ...declared,
        secrets,
        file,
      });
  }
  for (const [index, entry] of listIn(manifest.users).entries()) {
    const declared = withDefaults('user', entry, index, read);
    if (declared)
      resources.push({ type: 'user', ...named('user', entry.username), ...declared, secrets, file });
  }
  return resources;
}

function named(type: ResourceType, name: string): { name: string; address: Address } {
  return { name, address: addressOf(type, name) };
}

interface DeclaredFields<Entry> {
  readonly fields: Entry;
  readonly shown: JsonObject;
  readonly span: Span;
  readonly fieldSpans: Readonly<Record<string, Span>>;
}

function withDefaults<Entry extends object>(
  type: ResourceType,
  entry: Entry,
  index: number,
  { manifest, shown, broken, places }: ReadManifest,
): DeclaredFields<Entry> | undefined {
  const list = `${type}s`;
  if (broken.has(list) || broken.has(`${list}/${index}`)) return undefined;
  const defaults = broken.has(`defaults/${type}`) ? undefined : manifest.defaults?.[type];
  const fields: Entry = { ...entry, ...defaults, ...entry }; // the entry's order first, and its values last
  const fieldSpans: Record<string, Span> = {};
  const shownFields: Record<string, JsonValue> = {};
  for (const field of Object.keys(fields)) {
    const path = Object.hasOwn(entry, field) ? [list, index, field] : ['defaults', type, field];
    fieldSpans[field] = places.ofValue(path);
    shownFields[field] = valueAt(shown, path);
  }
  return { fields, shown: shownFields, span: places.ofValue([list, index]), fieldSpans };
}

function valueAt(root: JsonValue, path: readonly (string | number)[]): JsonValue {
  let value: JsonValue = root;
  for (const step of path) {
    if (typeof step === 'number') value = isJsonList(value) ? (value[step] ?? null) : null;
    else value = isJsonObject(value) ? (value[step] ?? null) : null;
  }
  return value;
}

/** A list that breaks the schema by not being one has no entries. */
function listIn<Entry>(list: readonly Entry[] | undefined): readonly Entry[] {
  return Array.isArray(list) ? list : [];
}
