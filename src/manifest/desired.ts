import { isJsonList, isJsonObject, pointer, type JsonObject, type JsonValue } from '../base/json.ts';
import { kinds } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { hiddenOf, type Hide } from '../kinds/hide.ts';
import { addressOf, withHidden, type Resource, type Template } from '../kinds/resource.ts';
import type { SourceFile, Span } from '../base/source.ts';
import type { References } from './references.ts';
import type { Places } from '../yaml/places.ts';

/** A manifest that has been read, with all that is known of its text. */
interface ReadManifest {
  /** What does not satisfy the schema is told by `broken`. */
  readonly manifest: JsonObject;
  /** The manifest with its sensitive values blanked out: the same keys, and lists as long. */
  readonly shown: JsonValue;
  readonly secrets: readonly string[];
  readonly references: References;
  /** Whether the values that hold references are not known. */
  readonly areAssumed: boolean;
  /** Where the schema is broken or a reference is not resolved, three steps deep at the most: `users/3/email`. */
  readonly broken: ReadonlySet<string>;
  readonly places: Places;
  readonly file: SourceFile;
  /** The fields that people are not shown. */
  readonly hide: Hide;
}

/** What a manifest declares, in its order. */
export interface Declared {
  /** Every entry that has a name; the fields that are broken are left out. Enough for rules over all entries. */
  readonly named: readonly Resource[];
  /** Those, and the mappings that have no name, as if it were empty. Enough for the checks of single fields. */
  readonly mappings: readonly Resource[];
  /** Those that have a name and of which nothing is broken. */
  readonly whole: readonly Resource[];
}

/** The resources that a manifest declares, each with the defaults of its file filled in. */
export function desiredResources(read: ReadManifest): Declared {
  const { manifest, broken } = read;
  const brokenEntries = new Set(Array.from(broken, (path) => path.split('/').slice(0, 2).join('/')));
  const named: Resource[] = [];
  const mappings: Resource[] = [];
  const whole: Resource[] = [];
  for (const kind of kinds) {
    const { list, identity } = kind;
    const hidden = hiddenOf(kind, read.hide);
    for (const [index, entry] of entriesOf(manifest, kind).entries()) {
      // An entry that breaks the schema may be no mapping, or have no name.
      if (!isJsonObject(entry)) continue;
      const name = broken.has(`${list}/${index}/${identity}`) ? undefined : entry[identity];
      const isNamed = typeof name === 'string';
      const resource = withHidden(resourceOf(kind, isNamed ? name : '', entry, index, read), hidden);
      mappings.push(resource);
      if (!isNamed) continue;
      named.push(resource);
      if (!brokenEntries.has(`${list}/${index}`)) whole.push(resource);
    }
  }
  return { named, mappings, whole };
}

/** The entries of one kind. A list that breaks the schema by not being one has none. */
export function entriesOf(manifest: JsonObject, { list }: Kind): readonly JsonValue[] {
  const entries = manifest[list];
  return isJsonList(entries) ? entries : [];
}

function resourceOf(
  kind: Resource['kind'],
  name: string,
  entry: JsonObject,
  index: number,
  { manifest, shown, secrets, references, areAssumed, broken, places, file }: ReadManifest,
): Resource {
  const { type, list } = kind;
  const defaults = valueAt(manifest, ['defaults', type]);
  // The entry's order first, and its values last. The schema may be broken in the defaults.
  const fields: Record<string, JsonValue> = { ...entry, ...(isJsonObject(defaults) && defaults), ...entry };
  const fieldSpans: Record<string, Span> = {};
  const itemSpans: Record<string, readonly Span[]> = {};
  const ofFields: Record<string, Template> = {};
  const shownFields: Record<string, JsonValue> = {};
  for (const field of Object.keys(fields)) {
    const path = Object.hasOwn(entry, field) ? [list, index, field] : ['defaults', type, field];
    fieldSpans[field] = places.ofValue(path);
    if (broken.has(path.join('/'))) {
      Reflect.deleteProperty(fields, field);
      continue;
    }
    const value = valueAt(shown, path);
    shownFields[field] = value;
    if (isJsonList(value)) itemSpans[field] = value.map((_, item) => places.ofValue([...path, item]));
    const made = references.get(path.join('/')) ?? [];
    for (const { path: inner, template } of made) ofFields[pointer([field, ...inner])] = template;
    if (areAssumed && made.length > 0) Reflect.deleteProperty(fields, field);
  }
  const areHidden = Object.keys(ofFields).length > 0;
  return {
    kind,
    name,
    address: addressOf(type, name),
    fields,
    shown: areHidden ? shownFields : fields,
    secrets,
    ...(areHidden && { references: ofFields }),
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
