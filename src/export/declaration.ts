import { isJsonList, textOf, type JsonValue } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import { sameValue, type Kind } from '../kinds/kind.ts';
import { isIn, type Release } from '../kinds/release.ts';
import { sameJson } from '../kinds/same.ts';
import type { Declaration } from '../manifest/writable.ts';
import type { ListedRecord } from '../service/client.ts';

/** How records become what a manifest declares. */
export interface DeclaringOptions {
  /** The fields that are not to be declared, each with its kind: `user.email`. */
  readonly without: ReadonlySet<string>;
  /** The release of the service, where it is known. */
  readonly release?: Release;
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
  { without, release }: DeclaringOptions,
): Declared {
  const fields: Record<string, JsonValue> = {};
  const secret: string[] = [];
  for (const [field, known] of Object.entries(kind.fields)) {
    const value = received[field];
    if (value === undefined || known.isInstruction || known.isHistory) continue;
    if (without.has(`${kind.type}.${field}`) || known.isTaken?.(received) === false) continue;
    // What older releases show under the name of a later field cannot be declared for them.
    if (known.since !== undefined && isIn({ before: known.since }, release) === true) continue;
    if (isByDefault(kind, field, value)) continue;
    if (sameJson(value, shown[field] ?? null)) fields[field] = known.idForm ? inOrder(value) : value;
    else secret.push(field);
  }
  return { kind, fields, secret, ...(release && { release }) };
}

/** Whether the service makes this of a field that is left out; null, where it stands for no value, is such as well. */
function isByDefault(kind: Kind, field: string, value: JsonValue): boolean {
  const { default: byItself } = kind.fields[field] ?? {};
  return byItself !== undefined && (value === null || sameValue(kind, field, byItself, value));
}

/** The ids of a list, which stand there in no certain order. */
function inOrder(value: JsonValue): JsonValue {
  if (!isJsonList(value)) return value;
  return value.toSorted((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : textOf(a) < textOf(b) ? -1 : 1,
  );
}
