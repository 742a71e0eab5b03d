import type { Manifest } from '../generated/manifest.ts';
import { isJsonList, isJsonObject, pointer, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Address } from '../base/address.ts';
import {
  addressOf,
  type Origin,
  type Resource,
  type ResourceType,
  type Template,
} from '../kinds/resource.ts';
import type { SourceFile, Span } from '../base/source.ts';
import type { References } from './references.ts';
import type { Places } from '../yaml/places.ts';

/** A manifest that has been read, with all that is known of its text. */
export interface ReadManifest {
  readonly manifest: Manifest;
  /** The manifest with its sensitive values blanked out: the same keys, and lists as long. */
  readonly shown: JsonValue;
  readonly secrets: readonly string[];
  readonly references: References;
  /** Where the schema is broken or a reference is not resolved, three steps deep at the most: `users/3/email`. */
  readonly broken: ReadonlySet<string>;
  readonly places: Places;
  readonly file: SourceFile;
}

/** What a manifest declares, in its order. */
export interface Declared {
  /** Every entry that has a name; the fields that are broken are left out. Enough for rules over all entries. */
  readonly named: readonly Resource[];
  /** Those of them of which nothing is broken. */
  readonly whole: readonly Resource[];
}

/** The resources that a manifest declares, each with the defaults of its file filled in. */
export function desiredResources(read: ReadManifest): Declared {
  const { manifest, secrets } = read;
  const brokenEntries = new Set(Array.from(read.broken, (path) => path.split('/').slice(0, 2).join('/')));
  const named: Resource[] = [];
  const whole: Resource[] = [];
  const add = (resource: Resource, list: string, index: number): void => {
    named.push(resource);
    if (!brokenEntries.has(`${list}/${index}`)) whole.push(resource);
  };
  for (const [index, entry] of listIn(manifest.applications).entries()) {
    if (!hasName(entry, 'slug') || read.broken.has(`applications/${index}/slug`)) continue;
    const declared = withDefaults('application', entry, index, read);
    add(
      { type: 'application', ...identity('application', entry.slug), ...declared, secrets },
      'applications',
      index,
    );
  }
  for (const [index, entry] of listIn(manifest.users).entries()) {
    if (!hasName(entry, 'username') || read.broken.has(`users/${index}/username`)) continue;
    const declared = withDefaults('user', entry, index, read);
    add({ type: 'user', ...identity('user', entry.username), ...declared, secrets }, 'users', index);
  }
  return { named, whole };
}

/** An entry that breaks the schema may be no mapping, or have no name. */
function hasName(entry: unknown, field: string): boolean {
  return isJsonObject(entry) && typeof entry[field] === 'string';
}

function identity(type: ResourceType, name: string): { name: string; address: Address } {
  return { name, address: addressOf(type, name) };
}

interface DeclaredFields<Entry> {
  readonly fields: Entry;
  readonly shown: JsonObject;
  readonly references?: Readonly<Record<string, Template>>;
  readonly origin: Origin;
}

function withDefaults<Entry extends object>(
  type: ResourceType,
  entry: Entry,
  index: number,
  { manifest, shown, references, broken, places, file }: ReadManifest,
): DeclaredFields<Entry> {
  const list = `${type}s`;
  const written: unknown = manifest.defaults?.[type];
  const defaults = isJsonObject(written) ? manifest.defaults?.[type] : undefined; // the schema may be broken here
  const fields: Entry = { ...entry, ...defaults, ...entry }; // the entry's order first, and its values last
  const fieldSpans: Record<string, Span> = {};
  const itemSpans: Record<string, readonly Span[]> = {};
  const ofFields: Record<string, Template> = {};
  const shownFields: Record<string, JsonValue> = {};
  for (const field of Object.keys(fields)) {
    const path = Object.hasOwn(entry, field) ? [list, index, field] : ['defaults', type, field];
    if (broken.has(path.join('/'))) {
      Reflect.deleteProperty(fields, field);
      continue;
    }
    fieldSpans[field] = places.ofValue(path);
    const value = valueAt(shown, path);
    shownFields[field] = value;
    if (isJsonList(value)) itemSpans[field] = value.map((_, item) => places.ofValue([...path, item]));
    for (const { path: inner, template } of references.get(path.join('/')) ?? [])
      ofFields[pointer([field, ...inner])] = template;
  }
  return {
    fields,
    shown: shownFields,
    ...(Object.keys(ofFields).length > 0 && { references: ofFields }),
    origin: {
      kind: 'manifest',
      file,
      entry: places.ofValue([list, index]),
      fields: fieldSpans,
      ...(Object.keys(itemSpans).length > 0 && { items: itemSpans }),
    },
  };
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
