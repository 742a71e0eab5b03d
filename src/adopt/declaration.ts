import { isJsonList, textOf, type JsonValue } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import { sameValue, type Kind } from '../kinds/kind.ts';
import type { Release } from '../kinds/release.ts';
import { isNameOfOne, type NameOfOne } from '../kinds/name-of-one.ts';
import type { Related } from '../kinds/related.ts';
import { sameJson } from '../kinds/same.ts';
import { trim } from '../manifest/trim.ts';
import type { Declaration } from './writable.ts';
import type { ListedRecord } from '../service/client.ts';

/** How records become what a manifest declares. */
export interface DeclaringOptions {
  /** The fields that are not to be declared, each with its kind: `user.email`. */
  readonly without: ReadonlySet<string>;
  /** The release of the service, where it is known. */
  readonly release?: Release;
  /** What stands in place of an id; the id itself by default. */
  readonly nameOf?: (related: Related, id: JsonValue) => NameOfOne | undefined;
}

/** What a manifest would declare of a record, and what of it is not for a manifest to hold. */
export interface Declared extends Declaration {
  /** The fields that hold what rollcall itself keeps secret. */
  readonly secret: readonly string[];
}

/**
 * What a person would declare of a record: what the service would not make of it by itself. A plan of that finds nothing to do.
 */
export function declarationOf(
  kind: Kind<ResourceType>,
  { received, shown }: ListedRecord,
  { without, nameOf, release }: DeclaringOptions,
): Declared {
  const fields: Record<string, JsonValue> = {};
  const secret: string[] = [];
  for (const [field, known] of Object.entries(kind.fields)) {
    const value = received[field];
    if (value === undefined || known.isInstruction || known.isHistory) continue;
    if (without.has(`${kind.type}.${field}`) || known.isAccepted?.(received) === false) continue;
    if (isByDefault(kind, field, value)) continue;
    if (!sameJson(value, shown[field] ?? null)) {
      secret.push(field);
      continue;
    }
    const { refersTo, idForm } = known;
    const named = refersTo && nameOf ? withNames(value, (id) => writable(nameOf(refersTo, id))) : value;
    fields[field] = idForm ? inOrder(named) : named;
  }
  return { kind, fields, secret, ...(release && { release }) };
}

/** Whether the service makes this of a field that is left out. */
function isByDefault(kind: Kind, field: string, value: JsonValue): boolean {
  const { default: byItself } = kind.fields[field] ?? {};
  return byItself !== undefined && sameValue(kind, field, byItself, value);
}

/** In characters: what the schema of manifests takes. */
const longestName = 500;

/** A name that a manifest can hold, which is trimmed when it is read. */
function writable(one: NameOfOne | undefined): NameOfOne | undefined {
  if (one === undefined) return undefined;
  const { name } = one;
  return trim(name) === name && Array.from(name).length <= longestName ? one : undefined;
}

function withNames(value: JsonValue, nameOf: (id: JsonValue) => NameOfOne | undefined): JsonValue {
  if (isJsonList(value)) return value.map((id) => nameOf(id) ?? id);
  return value === null ? value : (nameOf(value) ?? value);
}

/** The ids of a list, which stand there in no certain order: names first, as they are the same in other services. */
function inOrder(value: JsonValue): JsonValue {
  if (!isJsonList(value)) return value;
  const named = value.filter((id) => isNameOfOne(id)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const ids = value.filter((id) => !isNameOfOne(id));
  return [
    ...named,
    ...ids.toSorted((a, b) =>
      typeof a === 'number' && typeof b === 'number' ? a - b : textOf(a) < textOf(b) ? -1 : 1,
    ),
  ];
}
