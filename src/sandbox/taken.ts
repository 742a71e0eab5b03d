import type { JsonObject } from '../base/json.ts';
import { readFields } from './fields.ts';
import type { Refused, WrittenKind } from './kind.ts';
import type { Requester } from './rights.ts';
import type { Row } from './rows.ts';

/** Stores a valid request. */
export function saveRequest(
  kind: WrittenKind,
  body: JsonObject,
  asker?: Requester,
  change?: { readonly own: Row; readonly partial: boolean },
): Taken {
  const { values, errors } = readFields(body, kind.writing.fields, change);
  if (Object.keys(errors).length > 0) return { errors };
  const written = kind.writing.write(values, body, change?.own, asker);
  return 'pk' in written ? { record: kind.record(written, asker) } : written;
}

/** An entry of a seed that the service would reject. */
export interface RefusedEntry {
  readonly list: string;
  readonly index: number;
  readonly field: string;
  readonly texts: readonly (string | JsonObject)[];
}

/** Sends the entries of a kind, and returns the rejected ones. */
export function refusedOf(
  kind: WrittenKind,
  list: string,
  bodies: readonly (JsonObject | undefined)[],
): RefusedEntry[] {
  return bodies.flatMap((body, index) => {
    const made = body && saveRequest(kind, body);
    if (made === undefined || 'record' in made) return [];
    const errors =
      'errors' in made ? made.errors : { [made.crashedOver]: ['The service breaks down over it.'] };
    return Object.entries(errors).map(([field, texts]) => ({ list, index, field, texts: [texts].flat() }));
  });
}

/** The record as stored, or why it was rejected. */
export type Taken = { readonly record: JsonObject } | Refused;
