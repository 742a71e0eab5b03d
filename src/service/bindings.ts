import { isJsonObject, textOf, type JsonValue } from '../base/json.ts';
import type { Access, Subject } from '../kinds/bound.ts';
import type { Kind } from '../kinds/kind.ts';
import { idKey } from '../kinds/named.ts';
import type { Client, PageReading } from './client.ts';
import type { Pacing } from './pacing.ts';
import { readWhole } from './read-whole.ts';
import type { ListedRecord } from './records.ts';
import { mostRounds } from './retries.ts';
import type { Binding, HeldRecord } from './types.ts';

/** What came of reading the bindings of records. */
export type BindingsReading =
  | { readonly kind: 'read'; readonly of: ReadonlyMap<string, readonly Binding[]> }
  | { readonly kind: 'unread'; readonly reading: Exclude<PageReading, { proof: 'exists' }> }
  /** Nothing was sent, or the run was interrupted. */
  | { readonly kind: 'not_sent' };

interface BindingsOptions {
  readonly client: Pick<Client, 'readPage'>;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
}

/** The ids of so many fit into one URL, and the bindings of so many, three each, onto one page. */
const mostAtOnce = 32;

/** Reads all bindings of the records with these ids, as far as the token can see them, in the order of their own ids. */
export async function readBindings(
  access: Access,
  pks: readonly string[],
  options: BindingsOptions,
): Promise<BindingsReading> {
  if (pks.length <= mostAtOnce) return readPart(access, pks, options);
  const of = new Map<string, readonly Binding[]>();
  let failed: Exclude<BindingsReading, { kind: 'read' }> | undefined;
  const parts = Array.from({ length: Math.ceil(pks.length / mostAtOnce) }, (_, part) =>
    pks.slice(part * mostAtOnce, (part + 1) * mostAtOnce),
  );
  await options.pacing.forEach(parts, async (part) => {
    if (failed) return;
    const read = await readPart(access, part, options);
    if (read.kind !== 'read') failed ??= read;
    else for (const [pk, bindings] of read.of) of.set(pk, bindings);
  });
  return failed ?? { kind: 'read', of };
}

/** Reads all bindings of all that something can be bound to, as far as the token can see them. */
export function readAllBindings(access: Access, options: BindingsOptions): Promise<BindingsReading> {
  return readPart(access, 'all', options);
}

async function readPart(
  access: Access,
  pks: readonly string[] | 'all',
  options: BindingsOptions,
  rounds: number = mostRounds.whole,
): Promise<BindingsReading> {
  if (pks.length === 0) return { kind: 'read', of: new Map() };
  const list = {
    path: access.path,
    query: { ...(pks !== 'all' && { target_in: pks }), ordering: 'pk' },
    keys: { name: 'pk' },
    isId: (pk: JsonValue) => typeof pk === 'string' && pk !== '',
  };
  const read = await readWhole(list, options);
  if (read.kind === 'not_sent') return read;
  const isAtOnce = read.kind === 'whole' && read.isAtOnce;
  if (
    pks !== 'all' &&
    !isAtOnce &&
    pks.length > 1 &&
    (read.kind !== 'unread' || read.reading.proof === 'fault')
  )
    return inHalves(access, pks, options);
  if (read.kind === 'unread') return read;
  // Of several pages, one can be missing that moved to a page which was read before.
  const again = isAtOnce ? read : await readWhole(list, options);
  if (again.kind === 'unread' || again.kind === 'not_sent') return again;
  if (!hasSameIds(read.records, again.records))
    return rounds > 1 ? readPart(access, pks, options, rounds - 1) : moving;
  const of = new Map<string, Binding[]>(pks === 'all' ? [] : pks.map((pk) => [pk, []]));
  for (const record of read.records) {
    const target = textOf(record.received['target']);
    if (pks === 'all' && !of.has(target)) of.set(target, []);
    of.get(target)?.push(bindingIn(record, access.subjects));
  }
  return { kind: 'read', of };
}

/** It showed others each time. */
const moving: BindingsReading = {
  kind: 'unread',
  reading: { proof: 'nothing', answer: { kind: 'unusable_success', status: 200 } },
};

/** The same for fewer at a time: one of them may be gone, which the service refuses to list. */
async function inHalves(
  access: Access,
  pks: readonly string[],
  options: BindingsOptions,
): Promise<BindingsReading> {
  const of = new Map<string, readonly Binding[]>();
  const middle = Math.ceil(pks.length / 2);
  for (const half of [pks.slice(0, middle), pks.slice(middle)]) {
    const read = await readPart(access, half, options);
    if (read.kind !== 'read') return read;
    for (const [pk, bindings] of read.of) of.set(pk, bindings);
  }
  return { kind: 'read', of };
}

function hasSameIds(a: readonly ListedRecord[], b: readonly ListedRecord[]): boolean {
  const ids = new Set(a.map(({ received }) => textOf(received['pk'])));
  return a.length === b.length && b.every(({ received }) => ids.has(textOf(received['pk'])));
}

function bindingIn({ received, shown }: ListedRecord, subjects: readonly Subject[]): Binding {
  const subject = subjects.find(({ idIn }) => (received[idIn] ?? null) !== null);
  const isCounted = received['enabled'] !== false && received['negate'] !== true;
  const within = (subject && shown[subject.recordIn]) ?? null;
  const name = subject && isJsonObject(within) ? within[subject.nameIn] : undefined;
  return {
    pk: textOf(received['pk']),
    isCounted: isCounted && subject !== undefined,
    ...(subject && { field: subject.field, id: received[subject.idIn] ?? null }),
    ...(typeof name === 'string' && { name }),
  };
}

/** A record with who may open it, as these bindings say. */
export function withBindings(kind: Kind, held: HeldRecord, bindings: readonly Binding[]): HeldRecord {
  const subjects = kind.access?.subjects ?? [];
  const ids = Object.fromEntries(subjects.map(({ field }) => [field, idsBound(bindings, field)]));
  const names = subjects.map(({ field }) => {
    const named = bindings.flatMap((binding): [JsonValue, string][] =>
      binding.field === field && binding.name !== undefined && binding.id !== undefined
        ? [[idKey(kind, field, binding.id), binding.name]]
        : [],
    );
    return [field, new Map(named)] as const;
  });
  return {
    ...held,
    fields: { ...held.fields, ...ids },
    ...(held.shown && { shown: { ...held.shown, ...ids } }),
    names: { ...held.names, ...Object.fromEntries(names) },
    bindings,
  };
}

/** Whom these bindings let in, as often as they do. */
function idsBound(bindings: readonly Binding[], field: string): JsonValue[] {
  return bindings.flatMap((binding) =>
    binding.isCounted && binding.field === field && binding.id !== undefined ? [binding.id] : [],
  );
}
