import { textOf, type JsonValue } from '../base/json.ts';
import type { NameOfOne } from '../kinds/name-of-one.ts';
import type { Related } from '../kinds/related.ts';
import type { Client, ListedRecord } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { readWhole, type WholeReading } from '../service/read-whole.ts';

/** The names by which manifests can refer to records of some kind, by their ids. */
export type NamesOfIds = ReadonlyMap<string, NameOfOne>;

/** Either all names, or what kept them from being read. */
export type NamesReading = NamesOfIds | Exclude<WholeReading, { kind: 'whole' | 'begun' }>;

/** Reads which name each id has. A name that several have refers to none. */
export async function namesOfIds(
  related: Related,
  client: Client,
  pacing: Pacing,
  signal?: AbortSignal,
): Promise<NamesReading> {
  const read = await readWhole(related, { client, pacing, signal });
  if (read.kind === 'unread' || read.kind === 'not_sent') return read;
  const byName = new Map<string, ListedRecord[]>();
  for (const record of read.records) {
    const { name } = record.received;
    // One that is blanked out is kept secret.
    if (typeof name !== 'string' || name !== record.shown['name'] || name === '') continue;
    byName.set(name, [...(byName.get(name) ?? []), record]);
  }
  return new Map(
    [...byName].flatMap(([name, [record, ...others]]) =>
      record && others.length === 0 ? [[idKey(record.received['pk'] ?? null), { name }] as const] : [],
    ),
  );
}

/** The key of an id. */
export function idKey(id: JsonValue): string {
  return textOf(id);
}
