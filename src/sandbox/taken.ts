import type { JsonObject } from '../base/json.ts';
import { readFields } from './fields.ts';
import type { Refused, WrittenKind } from './kind.ts';
import type { Requester } from './rights.ts';
import type { Row } from './rows.ts';

/** Keeps what a request holds, if nothing is wrong with it. */
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

/** An entry of a seed that the service would refuse. */
export interface RefusedEntry {
  readonly list: string;
  readonly index: number;
  readonly field: string;
  readonly texts: readonly (string | JsonObject)[];
}

/** Sends what a seed asks for of a kind, and returns what is refused of it. */
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

/** The record as it is now, or why it is not. */
export type Taken = { readonly record: JsonObject } | Refused;
