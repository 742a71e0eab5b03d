import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { kinds } from './all.ts';
import type { Kind } from './kind.ts';
import { idKey, recordsIn, referring } from './named.ts';
import type { Related } from './related.ts';

/** What was read of the ids that fields can hold, by `toldKey`: the name of the resource to which one belongs, or `true`. */
export type Told = ReadonlyMap<string, JsonValue>;

export type Telling = readonly [key: string, value: JsonValue];

export function toldKey(kind: Kind, field: string, id: JsonValue): string {
  return `${kind.type}.${field} ${textOf(idKey(kind, field, id))}`;
}

/** By the fields of all kinds: which records tell something of an id there, and where. */
const telling = kinds.flatMap((kind) =>
  referring(kind).flatMap(([field, related]) => {
    const { toldIn } = kind.fields[field] ?? {};
    return toldIn === undefined ? [] : [{ kind, field, related, toldIn }];
  }),
);

/** What a record tells about itself. What is blanked out as it may be shown is kept secret. */
export function toldBy(related: Related, received: JsonObject, shown: JsonObject): Telling[] {
  const { pk } = received;
  if (pk === undefined) return [];
  return telling.flatMap(({ kind, field, related: of, toldIn }): Telling[] => {
    const value = of === related ? received[toldIn] : undefined;
    const tells = value === true || (typeof value === 'string' && value !== '' && value === shown[toldIn]);
    return tells ? [[toldKey(kind, field, pk), value]] : [];
  });
}

/** The same of the records that one of a kind has in it, without that they belong to it itself. */
export function toldWithin(kind: Kind, received: JsonObject, shown: JsonObject): Telling[] {
  return referring(kind).flatMap(([field, related]) => {
    const cleaned = recordsIn(kind, field, shown);
    return recordsIn(kind, field, received).flatMap((record, index) =>
      toldBy(related, record, cleaned[index] ?? {}).filter(([, value]) => value !== received[kind.identity]),
    );
  });
}
