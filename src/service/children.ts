import { isJsonObject, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { childrenDeclaredBy, nestedFieldName, admittedSubject } from '../kinds/access.ts';
import { targetId, childFields, bindingsAsValue } from '../kinds/bindings.ts';
import type { Child, Children, Parent } from '../kinds/children.ts';
import type { Kind } from '../kinds/kind.ts';
import { idKey } from '../kinds/named.ts';
import type { PageContext } from './client.ts';
import { readWholeList, type ListReading } from './read-whole.ts';
import type { ListedRecord } from './records.ts';
import { maxRounds } from './retries.ts';
import type { ObservedRecord } from './types.ts';

export type ChildrenReading =
  | { readonly kind: 'read'; readonly of: ReadonlyMap<string, readonly Child[]> }
  | Extract<ListReading, { kind: 'unread' | 'not_sent' }>;

/** Reads the bindings of the given records or of all records, ordered by id. Bindings that the token cannot see are missing. */
export async function readChildren(
  children: Children,
  parents: readonly Parent[] | 'all',
  context: PageContext,
): Promise<ChildrenReading> {
  const { idsPerRequest, minParentsForFullList = Infinity } = children.parentFilter;
  if (parents === 'all' || parents.length >= minParentsForFullList)
    return readBindings(children, 'all', context);
  if (parents.length <= idsPerRequest) return readBindings(children, parents, context);
  const parts = Array.from({ length: Math.ceil(parents.length / idsPerRequest) }, (_, part) =>
    parents.slice(part * idsPerRequest, (part + 1) * idsPerRequest),
  );
  let hasFailed = false;
  const readings = await context.pacing.forEach(parts, async (part): Promise<ChildrenReading> => {
    if (hasFailed) return { kind: 'not_sent' };
    const reading = await readBindings(children, part, context);
    hasFailed ||= reading.kind !== 'read';
    return reading;
  });
  return mergeReadings(readings);
}

function mergeReadings(readings: readonly ChildrenReading[]): ChildrenReading {
  const of = new Map<string, readonly Child[]>();
  for (const reading of readings) {
    if (reading.kind !== 'read') return reading;
    for (const [pk, bound] of reading.of) of.set(pk, bound);
  }
  return { kind: 'read', of };
}

async function readBindings(
  children: Children,
  parents: readonly Parent[] | 'all',
  context: PageContext,
  rounds: number = maxRounds.whole,
): Promise<ChildrenReading> {
  if (parents.length === 0) return { kind: 'read', of: new Map() };
  const list = {
    path: children.path,
    query: {
      ...(parents !== 'all' && {
        [children.parentFilter.parameter]: parents.map((item) => targetId(children, item)),
      }),
      ordering: 'pk',
    },
    keys: { name: 'pk' },
    isId: (pk: JsonValue) => typeof pk === 'string' && pk !== '',
  };
  const read = await readWholeList(list, context);
  if (read.kind === 'not_sent') return read;
  const isSinglePage = read.kind === 'whole' && read.isSinglePage;
  if (
    parents !== 'all' &&
    !isSinglePage &&
    parents.length > 1 &&
    (read.kind !== 'unread' || read.reading.proof === 'fault')
  )
    return readInHalves(children, parents, context);
  if (read.kind === 'unread') return read;
  // If there are several pages, a binding may have moved to a page that was already read, so the list is read again.
  const again = isSinglePage ? read : await readWholeList(list, context);
  if (again.kind === 'unread' || again.kind === 'not_sent') return again;
  if (!hasSameIds(read.records, again.records))
    return rounds > 1 ? readBindings(children, parents, context, rounds - 1) : alwaysChanging;
  const of = new Map<string, Child[]>(parents === 'all' ? [] : parents.map(({ pk }) => [pk, []]));
  for (const record of read.records) {
    const target = textOf(record.received['target']);
    if (parents === 'all' && !of.has(target)) of.set(target, []);
    of.get(target)?.push(childOf(record, children, context.pacing.now()));
  }
  return { kind: 'read', of };
}

const alwaysChanging: ChildrenReading = {
  kind: 'unread',
  reading: { proof: 'nothing', answer: { kind: 'unusable_success', status: 200 } },
};

/** Reads two halves of the records separately, because the service rejects a request that names a deleted record. */
async function readInHalves(
  children: Children,
  parents: readonly Parent[],
  context: PageContext,
): Promise<ChildrenReading> {
  const middle = Math.ceil(parents.length / 2);
  const first = await readBindings(children, parents.slice(0, middle), context);
  if (first.kind !== 'read') return first;
  return mergeReadings([first, await readBindings(children, parents.slice(middle), context)]);
}

function hasSameIds(a: readonly ListedRecord[], b: readonly ListedRecord[]): boolean {
  const ids = new Set(a.map(({ received }) => textOf(received['pk'])));
  return a.length === b.length && b.every(({ received }) => ids.has(textOf(received['pk'])));
}

export function rankOfChild({ last }: Children, record: JsonObject): number {
  return last?.ranks[textOf(record[last.field] ?? null)] ?? 0;
}

function childOf({ received, shown }: ListedRecord, children: Children, now: number): Child {
  const { inside, expiry } = children;
  const binds = children.binds.find(({ idField }) => (received[idField] ?? null) !== null);
  const within = (binds && shown[`${binds.idField}_obj`]) ?? null;
  const record = isJsonObject(within) ? within : {};
  const name = binds && record[binds.refersTo.identity];
  return {
    pk: textOf(received['pk']),
    ...(binds && { binds, id: received[binds.idField] ?? null }),
    ...(typeof name === 'string' && { name }),
    ...(inside && { inside, bindable: textOf(received[inside.bindableIn] ?? null) }),
    rank: rankOfChild(children, record),
    isExpired:
      expiry !== undefined &&
      received[expiry.isExpiring] === true &&
      Date.parse(textOf(received[expiry.at] ?? null)) <= now,
    values: Object.fromEntries(Object.keys(children.fields).map((field) => [field, received[field] ?? null])),
  };
}

/** Adds the bindings that the given fields declare, or returns the field whose bindings could not be read. */
export async function readDeclaredChildren(
  kind: Kind,
  observed: readonly ObservedRecord[],
  declared: readonly string[],
  context: PageContext,
): Promise<DeclaredChildrenReading> {
  let of = new Map(observed.map((record) => [record.pk, record]));
  for (const [children, field] of childrenDeclaredBy(kind, declared)) {
    const { inside } = children;
    const read = await readChildren(children, observed, context);
    if (read.kind !== 'read') return { ...read, field };
    const isWhole = inside && declared.includes(nestedFieldName(field, inside));
    const whole = isWhole ? await withNestedBindings(read.of, inside, context) : read;
    if (whole.kind !== 'read') return { ...whole, field };
    of = new Map(
      Array.from(
        of,
        ([pk, record]) => [pk, withBindings(kind, record, children, whole.of.get(pk) ?? [])] as const,
      ),
    );
  }
  return { kind: 'read', of };
}

async function withNestedBindings(
  bound: ReadonlyMap<string, readonly Child[]>,
  { field, children }: NonNullable<Child['inside']>,
  context: PageContext,
): Promise<ChildrenReading> {
  const read = await readChildren(children, [...bound.values()].flat(), context);
  if (read.kind !== 'read') return read;
  const whole = (child: Child): Child => ({
    ...child,
    values: { ...child.values, [field]: bindingsAsValue(read.of.get(child.pk) ?? []) },
  });
  return { kind: 'read', of: new Map(Array.from(bound, ([pk, all]) => [pk, all.map(whole)])) };
}

export type DeclaredChildrenReading =
  | { readonly kind: 'read'; readonly of: ReadonlyMap<string, ObservedRecord> }
  | (Exclude<ChildrenReading, { kind: 'read' }> & { readonly field: string });

export function withBindings(
  kind: Kind,
  observed: ObservedRecord,
  children: Children,
  bound: readonly Child[],
): ObservedRecord {
  const { access } = kind;
  const subjects = access?.children === children ? access.subjects : [];
  const bySubject = subjects.map(({ field }) => ({
    field,
    admitted: bound.filter((child) => access && admittedSubject(access, child)?.field === field),
  }));
  const names = bySubject.map(({ field, admitted }) => {
    const named = admitted.flatMap(({ id = null, name }): [JsonValue, string][] =>
      name === undefined ? [] : [[idKey(kind, field, id), name]],
    );
    return [field, new Map(named)] as const;
  });
  const declaring = childFields(kind).filter(([, of]) => of === children);
  const fields = Object.fromEntries([
    ...bySubject.map(({ field, admitted }) => [field, admitted.map(({ id = null }) => id)] as const),
    ...declaring.map(([field]) => [field, bindingsAsValue(bound)] as const),
  ]);
  return {
    ...observed,
    fields: { ...observed.fields, ...fields },
    ...(observed.shown && { shown: { ...observed.shown, ...fields } }),
    names: { ...observed.names, ...Object.fromEntries(names) },
    bound: new Map([...(observed.bound ?? []), [children, bound]]),
  };
}

export function bindingsOf({ bound }: Pick<ObservedRecord, 'bound'>, children: Children): readonly Child[] {
  return bound?.get(children) ?? [];
}
