import type { Address } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import { nearest } from '../base/suggestion.ts';
import {
  addressOfName,
  type DeclaredName,
  declaredNames,
  type ReferenceFacts,
  referenceFactsOf,
  namesOf,
  withIds,
} from '../kinds/named.ts';
import type { Family } from '../kinds/kind.ts';
import { formerly, isToBeDeleted } from '../kinds/lifecycle.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Answer } from '../service/answer.ts';
import type { ObservedState } from './observation.ts';
import type { Client } from '../service/client.ts';
import type { ReadableKinds } from '../service/readable-kinds.ts';
import type { ListedRecord } from '../service/records.ts';
import { maxConsecutiveFailures } from '../service/retries.ts';
import type { Pacing } from '../service/pacing.ts';
import { readWhole, type WholeReading } from '../service/read-whole.ts';

/** Why a name has no id. */
export type NameFault =
  /** No record that the token can see has it. */
  | { readonly kind: 'not_found'; readonly nearest?: string; readonly isElsewhere?: true }
  /** More than one record has it: their ids. */
  | { readonly kind: 'several'; readonly ids: readonly JsonValue[] }
  /** What is to be renamed is there under both names; or under none that the token can see; or one could not be looked up. */
  | { readonly kind: 'torn'; readonly why: 'both' | 'unseen' | 'unread'; readonly ids: readonly JsonValue[] }
  /** It is an id, and no record has it. */
  | { readonly kind: 'no_such_id' }
  /** A record of another kind has it, and the service holds it unique over both: what that is called there. */
  | { readonly kind: 'taken'; readonly by: string }
  /** The answer did not show it. */
  | { readonly kind: 'unread'; readonly proof: 'denied' | 'nothing' | 'fault'; readonly answer: Answer };

/** A name without an id, at one of the places where it is declared. */
export interface UnresolvedName {
  readonly resource: Resource;
  readonly declared: Omit<DeclaredName, 'related'> & { readonly related: Pick<Family, 'type' | 'list'> };
  readonly fault: NameFault;
}

/**
 * The names of those of which there is more than one, at the lines that declare them and that name them; and of those that the token may
 * not look up, where they are named: their ids are not known.
 */
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
        const fault = { kind: 'torn', why: seen.torn, ids: seen.ids ?? [] } as const;
        return [{ resource, declared: { ...declared, field: formerly }, fault }];
      }
      if (seen.ids) return [{ resource, declared, fault: { kind: 'several', ids: seen.ids } }];
      const { type } = declared.related;
      const [, general] = [...unreadable].find(([each]) => each.type === type) ?? [];
      const unread = seen.unread ?? general;
      const canCreate = declared.related === kind && kind.listing.isUnique && !isToBeDeleted(resource);
      if (unread === undefined || (address === resource.address && canCreate)) return [];
      return [{ resource, declared, fault: { kind: 'unread', ...unread } }];
    });
  });
}

/** Resources with ids in place of names, and what is left. */
export interface ResolvedNames {
  /** The very ones that were given, where there are no names in them. */
  readonly resources: readonly Resource[];
  /** What the records that were read for this say about themselves. */
  readonly facts: ReferenceFacts;
  readonly unresolved: readonly UnresolvedName[];
  /** How many names were not looked up. */
  readonly notRead: number;
}

export interface ResolveOptions {
  readonly client: Pick<Client, 'readPage'>;
  readonly pacing: Pacing;
  /** Whether a name is that of a resource that is looked up as such: its id comes with that. */
  readonly isDeclared?: (related: Family, name: string) => boolean;
  /** What is declared, and no part of the run. */
  readonly elsewhere?: Pick<ReadonlySet<Address>, 'has'> | undefined;
  /** When it aborts, nothing more is asked. */
  readonly signal?: AbortSignal | undefined;
}

/** Looks up the names that stand in place of ids and that are not declared, each once, also those that were looked up before. Without names, nothing is sent. */
export async function resolveNames(
  resources: readonly Resource[],
  options: ResolveOptions,
): Promise<ResolvedNames> {
  const wanted = new Map<Family, Set<string>>();
  for (const resource of resources) {
    for (const { related, name } of declaredNames(resource)) {
      if (options.isDeclared?.(related, name)) continue;
      const names = wanted.get(related) ?? new Set();
      wanted.set(related, names.add(name));
    }
  }
  const facts = new Map<string, JsonValue>();
  if (wanted.size === 0) return { resources, facts, unresolved: [], notRead: 0 };

  const findings = new Map<Family, ReadonlyMap<string, Finding>>();
  for (const [related, names] of wanted)
    findings.set(related, await find(related, [...names], facts, { ...options, declared: resources }));
  const resolved = resources.map((resource) =>
    withIds(resource, (related, name) => {
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
      const found = fault.kind === 'not_found' && isElsewhere ? { ...fault, isElsewhere } : fault;
      return [{ resource, declared: name, fault: found }];
    }),
  );
  const asked = [...findings.values()].reduce((sum, { size }) => sum + size, 0);
  const all = [...wanted.values()].reduce((sum, { size }) => sum + size, 0);
  return { resources: resolved, facts, unresolved, notRead: all - asked };
}

type Finding = { readonly kind: 'found'; readonly id: JsonValue } | NameFault;

/** What is found of each name, with the nearest known one where it is not found; nothing of those that were not looked up. */
async function find(
  related: Family,
  names: readonly string[],
  facts: Map<string, JsonValue>,
  { declared, ...options }: ResolveOptions & { readonly declared: readonly Resource[] },
): Promise<ReadonlyMap<string, Finding>> {
  const known = new Set(declared.flatMap(({ kind, name }) => (kind.type === related.type ? name : [])));
  const takeNote = (records: readonly ListedRecord[]): void => {
    for (const { received, shown } of records) {
      for (const name of namesOf(related.byName, shown)) known.add(name);
      for (const [key, value] of referenceFactsOf(related, received, shown)) facts.set(key, value);
    }
  };
  const { findings, records, isListed } = await findNames(related, names, options);
  takeNote(records);
  return suggested(findings, known, async () => {
    const { client, pacing, signal } = options;
    if (isListed || signal?.aborted) return;
    const read = await pacing.beside(() =>
      readWhole(related.byName, { client, pacing, signal, isWorth: () => false }),
    );
    if ('records' in read) takeNote(read.records);
  });
}

/** What is found of each name, and all records that were read for it; `isListed`: whether their list was asked for. */
export async function findNames(
  related: Family,
  names: readonly string[],
  { client, pacing, signal }: ResolveOptions,
): Promise<{
  readonly findings: ReadonlyMap<string, Finding>;
  readonly records: readonly ListedRecord[];
  readonly isListed: boolean;
}> {
  const { byName } = related;
  const records: ListedRecord[] = [];
  const listed =
    names.length < byName.listedFrom
      ? undefined
      : await pacing.beside(() =>
          readWhole(byName, { client, pacing, signal, isWorth: (pages) => pages <= names.length }),
        );
  const isListed = listed !== undefined;
  if (listed && 'records' in listed) records.push(...listed.records);
  const findings = new Map<string, Finding>();
  if (listed?.kind === 'not_sent') return { findings, records, isListed };
  if (listed?.kind === 'whole' || (listed?.kind === 'unread' && listed.reading.proof === 'denied'))
    for (const name of names) findings.set(name, findingIn(related, listed, name));
  // What a list lacks is asked for by its name: a list may end too early, and count itself.
  const open = names.filter((name) => (findings.get(name)?.kind ?? 'not_found') === 'not_found');
  for (const name of open) findings.delete(name);
  let inARow = 0;
  let isOver = false;
  /** The finding that holds for all other names too: a denial, or the last of several failures in a row. */
  let general: Finding | undefined;
  await pacing.forEach(byRequest(open, byName), async ([first, ...others]) => {
    if (general || isOver || signal?.aborted) return;
    const list = { ...byName, query: { ...byName.query, ...byName.narrowedTo(first) } };
    const isLacking = (reading: WholeReading & { kind: 'whole' }): boolean =>
      [first, ...others].some((name) => findingIn(related, reading, name).kind === 'not_found');
    let read = await readWhole(list, { client, pacing, signal });
    // One can slip from a page that is still to be read to one that was. So it is looked for again.
    if (read.kind === 'whole' && !read.isAtOnce && isLacking(read))
      read = await readWhole(list, { client, pacing, signal });
    if (read.kind === 'not_sent') {
      isOver = true;
      return;
    }
    if ('records' in read) records.push(...read.records);
    const finding = findingIn(related, read, first);
    findings.set(first, finding);
    for (const name of others) findings.set(name, findingIn(related, read, name));
    inARow = finding.kind === 'unread' ? inARow + 1 : 0;
    if (finding.kind !== 'unread') return;
    const endsAll = finding.proof === 'denied' || (read.kind === 'unread' && read.reading.stop !== undefined);
    if (endsAll || inARow >= maxConsecutiveFailures.lookUps) general = finding;
  });
  if (general && !isOver) for (const name of open) if (!findings.has(name)) findings.set(name, general);
  return { findings, records, isListed };
}

/** The names in groups for which one request asks: there are searches for a word of a name, which others have too. */
function byRequest(names: readonly string[], { narrowedTo }: Family['byName']): [string, ...string[]][] {
  const groups = new Map<string, [string, ...string[]]>();
  for (const name of names) {
    const query = JSON.stringify(narrowedTo(name));
    const group = groups.get(query);
    if (group) group.push(name);
    else groups.set(query, [name]);
  }
  return [...groups.values()];
}

/** What the records that were read show of a name. */
function findingIn(
  related: Family,
  read: Exclude<WholeReading, { kind: 'not_sent' }>,
  name: string,
): Finding {
  if (read.kind === 'unread') {
    const { proof, answer } = read.reading;
    // The first page of a list is always there.
    return { kind: 'unread', proof: proof === 'absent' ? 'fault' : proof, answer };
  }
  const ids = read.records.flatMap(({ received }) =>
    namesOf(related.byName, received).includes(name) ? [received['pk'] ?? null] : [],
  );
  const [id] = ids;
  if (id === undefined) return { kind: 'not_found' };
  return ids.length === 1 ? { kind: 'found', id } : { kind: 'several', ids };
}

/** The findings, with the nearest known name where one is not found. `more` finds more names to choose from. */
async function suggested(
  findings: ReadonlyMap<string, Finding>,
  known: ReadonlySet<string>,
  more: () => Promise<void>,
): Promise<ReadonlyMap<string, Finding>> {
  if (![...findings.values()].some(({ kind }) => kind === 'not_found')) return findings;
  await more();
  return new Map(
    Array.from(findings, ([name, finding]) => {
      const near = finding.kind === 'not_found' ? nearest(name, known) : undefined;
      return [name, near === undefined ? finding : { kind: 'not_found', nearest: near }];
    }),
  );
}
