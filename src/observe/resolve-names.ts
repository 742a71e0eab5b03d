import { groupBy } from '../base/group-by.ts';
import type { Address } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import { nearestName } from '../base/suggestion.ts';
import {
  addressOfName,
  type DeclaredName,
  declaredNames,
  referenceNames,
  fillInIds,
} from '../kinds/named.ts';
import { fieldsWithFacts } from '../kinds/reference-facts.ts';
import type { Family } from '../kinds/kind.ts';
import { formerly, isToBeDeleted } from '../kinds/lifecycle.ts';
import type { Resource } from '../kinds/resource.ts';
import type { ObservedState } from './observation.ts';
import type { PageContext } from '../service/client.ts';
import type { InconclusiveRead, ReadableKinds } from '../service/readable-kinds.ts';
import type { ListedRecord } from '../service/records.ts';
import { maxConsecutiveFailures } from '../service/retries.ts';
import { readWholeList, type ListReading } from '../service/read-whole.ts';

export type NameFault =
  /** The token sees no record with this name. */
  | { readonly kind: 'not_found'; readonly nearest?: string; readonly isDeclaredElsewhere?: true }
  | { readonly kind: 'several'; readonly ids: readonly JsonValue[] }
  /** A look-up cannot show whether the record was renamed already. */
  | { readonly kind: 'torn'; readonly why: 'both' | 'unseen' | 'unread'; readonly ids: readonly JsonValue[] }
  | { readonly kind: 'no_such_id' }
  /** A record of another kind has this name, and the name must be unique across both kinds. */
  | { readonly kind: 'taken'; readonly by: string }
  | ({ readonly kind: 'unread' } & InconclusiveRead);

/** A name for which no id was found, with an entry that contains it. */
export interface UnresolvedName {
  readonly resource: Resource;
  readonly declared: Omit<DeclaredName, 'related'> & { readonly related: Pick<Family, 'type' | 'list'> };
  readonly fault: NameFault;
}

/** Finds names that several records share, and references to records that the token may not read. */
export function namesWithoutId(
  resources: readonly Resource[],
  observed: ObservedState,
  { unreadable }: Pick<ReadableKinds, 'unreadable'>,
): UnresolvedName[] {
  return resources.flatMap((resource) => {
    const { kind, name } = resource;
    const all = [{ related: kind, name, field: kind.identity }, ...declaredNames(resource)];
    return all.flatMap((declared): UnresolvedName[] => {
      const address = addressOfName(declared);
      const seen = address === undefined ? undefined : observed.get(address);
      if (seen?.presence !== 'unknown') return [];
      if (seen.torn) {
        if (address !== resource.address) return [];
        const fault: NameFault = seen.unread
          ? { kind: 'unread', ...seen.unread }
          : { kind: 'torn', why: seen.torn, ids: seen.ids ?? [] };
        return [{ resource, declared: { ...declared, field: formerly }, fault }];
      }
      if (seen.ids) return [{ resource, declared, fault: { kind: 'several', ids: seen.ids } }];
      const { type } = declared.related;
      const [, general] = [...unreadable].find(([each]) => each.type === type) ?? [];
      const unread = seen.unread ?? general;
      const canCreate = declared.related === kind && kind.listing.isUnique && !isToBeDeleted(resource);
      if (unread === undefined || canCreate) return [];
      return [{ resource, declared, fault: { kind: 'unread', ...unread } }];
    });
  });
}

export interface ResolvedNames {
  readonly resources: readonly Resource[];
  /** The records that were read while names were looked up, if facts about records of their type are needed. */
  readonly records: ReadonlyMap<Family, readonly ListedRecord[]>;
  readonly unresolved: readonly UnresolvedName[];
  readonly notRead: number;
}

export interface ResolveOptions extends PageContext {
  readonly elsewhere?: Pick<ReadonlySet<Address>, 'has'> | undefined;
}

/** Looks up the names that references contain, except the names of resources that this run declares. */
export async function resolveNames(
  resources: readonly Resource[],
  options: ResolveOptions,
): Promise<ResolvedNames> {
  const addresses = new Set(resources.map(({ address }) => address));
  const others = resources.flatMap((resource) =>
    declaredNames(resource).filter((named) => !addresses.has(addressOfName(named) ?? '.')),
  );
  const wanted = [...groupBy(others, ({ related }) => related)].map(
    ([related, all]) => [related, [...new Set(all.map(({ name }) => name))]] as const,
  );
  const readings = await Promise.all(
    wanted.map(async ([related, names]) => {
      const read: ListedRecord[] = [];
      const found = await findAllNames(related, names, read, { ...options, declared: resources });
      return { related, found, read };
    }),
  );
  const findings = new Map(readings.map(({ related, found }) => [related, found]));
  const records = new Map(
    readings.flatMap(({ related, read }) => (fieldsWithFacts(related).length > 0 ? [[related, read]] : [])),
  );
  const resolved = resources.map((resource) =>
    fillInIds(resource, (related, name) => {
      const finding = findings.get(related)?.get(name);
      return finding?.kind === 'found' ? finding.id : undefined;
    }),
  );
  const unresolved = resolved.flatMap((resource) =>
    declaredNames(resource).flatMap((name) => {
      const fault = findings.get(name.related)?.get(name.name);
      if (!fault || fault.kind === 'found') return [];
      const address = addressOfName(name);
      const isElsewhere = address !== undefined && options.elsewhere?.has(address) === true;
      const found =
        fault.kind === 'not_found' && isElsewhere ? { ...fault, isDeclaredElsewhere: isElsewhere } : fault;
      return [{ resource, declared: name, fault: found }];
    }),
  );
  const asked = [...findings.values()].reduce((sum, { size }) => sum + size, 0);
  const all = wanted.reduce((sum, [, names]) => sum + names.length, 0);
  return { resources: resolved, records, unresolved, notRead: all - asked };
}

type Finding = { readonly kind: 'found'; readonly id: JsonValue } | NameFault;

/** Looks up names in one list, adds all records that this reads to `read`, and suggests other names for those that were not found. */
async function findAllNames(
  related: Family,
  names: readonly string[],
  read: ListedRecord[],
  { declared, ...options }: ResolveOptions & { readonly declared: readonly Resource[] },
): Promise<ReadonlyMap<string, Finding>> {
  const known = new Set(declared.flatMap(({ kind, name }) => (kind.type === related.type ? name : [])));
  const noteRecords = (records: readonly ListedRecord[]): void => {
    for (const record of records) {
      read.push(record);
      for (const name of referenceNames(related, record.shown)) known.add(name);
    }
  };
  const { findings, records, isListed } = await findNames(related, names, options);
  noteRecords(records);
  return withSuggestions(findings, known, async () => {
    if (isListed || options.signal?.aborted) return;
    const page = await options.pacing.runBeside(() =>
      readWholeList(related, { ...options, isWorth: () => false }),
    );
    if ('records' in page) noteRecords(page.records);
  });
}

/** Looks up names in one list. `isListed` is true if this function tried to read the whole list. */
export async function findNames(
  related: Family,
  names: readonly string[],
  context: PageContext,
): Promise<{
  readonly findings: ReadonlyMap<string, Finding>;
  readonly records: readonly ListedRecord[];
  readonly isListed: boolean;
}> {
  const { pacing, signal } = context;
  const records: ListedRecord[] = [];
  const listed =
    names.length < related.minNamesForList
      ? undefined
      : await pacing.runBeside(() =>
          readWholeList(related, { ...context, isWorth: (pages) => pages <= names.length }),
        );
  const isListed = listed !== undefined;
  if (listed && 'records' in listed) records.push(...listed.records);
  const findings = new Map<string, Finding>();
  if (listed?.kind === 'not_sent') return { findings, records, isListed };
  if (listed?.kind === 'whole' || (listed?.kind === 'unread' && listed.reading.proof === 'denied'))
    for (const name of names) findings.set(name, findingFor(related, listed, name));
  // Names that are not in the list are looked up too, because a list can be incomplete although its count matches.
  const openNames = names.filter((name) => (findings.get(name)?.kind ?? 'not_found') === 'not_found');
  for (const name of openNames) findings.delete(name);
  let consecutiveFailures = 0;
  let isOver = false;
  /** A failure that ends all look-ups: a denial, or the last of several failures in a row. */
  let general: Finding | undefined;
  // A single request finds all names that have the same search query.
  const byRequest = groupBy(openNames, (name) => JSON.stringify(related.searchQuery(name)));
  await pacing.forEach([...byRequest.values()], async ([first, ...others]) => {
    if (general || isOver || signal?.aborted) return;
    const list = { ...related, query: { ...related.query, ...related.searchQuery(first) } };
    const isLacking = (reading: ListReading & { kind: 'whole' }): boolean =>
      [first, ...others].some((name) => findingFor(related, reading, name).kind === 'not_found');
    let read = await readWholeList(list, context);
    // A record may have moved to a page that was already read, so the list is read again.
    if (read.kind === 'whole' && !read.isSinglePage && isLacking(read))
      read = await readWholeList(list, context);
    if (read.kind === 'not_sent') {
      isOver = true;
      return;
    }
    if ('records' in read) records.push(...read.records);
    const finding = findingFor(related, read, first);
    findings.set(first, finding);
    for (const name of others) findings.set(name, findingFor(related, read, name));
    consecutiveFailures = finding.kind === 'unread' ? consecutiveFailures + 1 : 0;
    if (finding.kind !== 'unread') return;
    const endsAll = finding.proof === 'denied' || finding.stop !== undefined;
    if (endsAll || consecutiveFailures >= maxConsecutiveFailures.lookUps) general = finding;
  });
  if (general) for (const name of openNames) if (!findings.has(name)) findings.set(name, general);
  return { findings, records, isListed };
}

function findingFor(
  related: Family,
  read: Exclude<ListReading, { kind: 'not_sent' }>,
  name: string,
): Finding {
  if (read.kind === 'unread') return { kind: 'unread', ...read.reading };
  const ids = read.records.flatMap(({ received }) =>
    referenceNames(related, received).includes(name) ? [received['pk'] ?? null] : [],
  );
  const [id] = ids;
  if (id === undefined) return { kind: 'not_found' };
  return ids.length === 1 ? { kind: 'found', id } : { kind: 'several', ids };
}

/** Adds the most similar known name to each name that was not found, after `readMore` has added further names to `known`. */
async function withSuggestions(
  findings: ReadonlyMap<string, Finding>,
  known: ReadonlySet<string>,
  readMore: () => Promise<void>,
): Promise<ReadonlyMap<string, Finding>> {
  if (![...findings.values()].some(({ kind }) => kind === 'not_found')) return findings;
  await readMore();
  return new Map(
    Array.from(findings, ([name, finding]) => {
      const nearest = finding.kind === 'not_found' ? nearestName(name, [...known]) : undefined;
      return [name, nearest === undefined ? finding : { kind: 'not_found', nearest }];
    }),
  );
}
