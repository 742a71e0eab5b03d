import { groupBy } from '../base/group-by.ts';
import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { isBindingField } from '../kinds/access.ts';
import { fieldNames, sentValue } from '../kinds/fields.ts';
import { listQuery, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { sameJson, sameUuid } from '../kinds/values.ts';
import { isValidPk, type Answer } from '../service/answer.ts';
import type { ReadContext } from '../service/client.ts';
import { observeRecord, type ListedRecord } from '../service/records.ts';
import type { Page } from '../service/page.ts';
import { readPages } from '../service/read-pages.ts';
import { keepRecordsOfKind } from '../service/own-type.ts';
import { retrieveTokenUser } from '../service/retrieve.ts';
import type { ObservedRecord } from '../service/types.ts';

export interface ListReport {
  readonly kind: Kind;
  readonly declared: number;
  readonly progress: ListProgress;
}

type ListProgress =
  | {
      readonly kind: 'in_pages';
      readonly found: number;
      readonly absent: number;
      readonly pages: number;
      readonly failed?: Answer;
    }
  /** The list has more than eight times as many records as the manifests declare, so look-ups take fewer requests. */
  | { readonly kind: 'too_many'; readonly count: number }
  /** Only superusers get the complete list, and it is not known that the token's user is a superuser. */
  | { readonly kind: 'no_superuser' }
  /** A page was inconsistent or was not the requested page, so the whole list is ignored. */
  | { readonly kind: 'doubtful' }
  | { readonly kind: 'failed'; readonly failed: Answer };

interface ListsOptions extends ReadContext {
  /** Called after each page with the number of declared resources found so far. */
  readonly onFound: (count: number) => void;
  readonly onList?: (news: ListReport) => void;
}

interface ReadLists {
  readonly found: ReadonlyMap<Resource, ObservedRecord>;
  readonly absent: ReadonlySet<Resource>;
  readonly namesakes: ReadonlyMap<Resource, string>;
  readonly failed?: Answer;
}

const emptyResult = {
  found: new Map<Resource, ObservedRecord>(),
  absent: new Set<Resource>(),
  namesakes: new Map<Resource, string>(),
};

/** Reads the lists of kinds with many declared resources, all at the same time. */
export async function readLists(resources: readonly Resource[], options: ListsOptions): Promise<ReadLists> {
  const { client, onFound, onList } = options;
  const listedKinds = [...groupBy(resources, ({ kind }) => kind)].filter(
    ([kind, declared]) => !client.readable.unreadable.has(kind) && declared.length > minResourcesForList,
  );
  const counts = new Map<Kind, number>();
  const lists = await Promise.all(
    listedKinds.map(async ([kind, declared]) => {
      const foundSoFar = (count: number): void => {
        counts.set(kind, count);
        onFound([...counts.values()].reduce((sum, one) => sum + one, 0));
      };
      return { kind, declared, read: await readList(kind, declared, { ...options, onFound: foundSoFar }) };
    }),
  );
  for (const { kind, declared, read } of lists)
    if (read.progress) onList?.({ kind, declared: declared.length, progress: read.progress });
  const reads = lists.map(({ read }) => read);
  const failed = reads.findLast((read) => read.failed)?.failed;
  return {
    found: new Map(reads.flatMap(({ found }) => [...found])),
    absent: new Set(reads.flatMap(({ absent }) => [...absent])),
    namesakes: new Map(reads.flatMap(({ namesakes }) => [...namesakes])),
    ...(failed && { failed }),
  };
}

interface ReadList extends ReadLists {
  /** The part of the list that was read before the run ended. */
  readonly progress?: ListProgress;
}

/**
 * Reads the token's user to learn whether the list will be complete, and the first page to learn the number of records.
 * If at least an eighth of the records are declared, reads the other pages. A resource that is missing from a complete list is
 * absent.
 */
async function readList(kind: Kind, declared: readonly Resource[], options: ListsOptions): Promise<ReadList> {
  const { client, pacing, signal, onFound } = options;
  const { completeFor } = kind.listing;
  const endedWith = (progress: ListProgress | undefined, failed?: Answer): ReadList => ({
    ...emptyResult,
    ...(progress && !signal?.aborted && { progress }),
    ...(failed && { failed }),
  });
  const self = await pacing.runBeside(() => retrieveTokenUser(options));
  if (signal?.aborted) return endedWith(undefined);
  const isSuperuser = self?.proof === 'exists' && self.isSuperuser;
  if (completeFor === 'superusers' && !isSuperuser) {
    if (self?.proof === 'exists') return endedWith({ kind: 'no_superuser' });
    return endedWith(self && { kind: 'failed', failed: self.answer }, self?.answer);
  }
  const list = listQuery(kind, new Set(declared.flatMap(({ fields }) => Object.keys(fields))));
  const listed = new ListMatches(kind, declared);
  const { isInconsistent, pages, skippedCount, failed } = await readPages(list, {
    ...options,
    isWorth: (count) => declared.length * minDeclaredShare >= count,
    onPage: (page) => {
      client.readable.shown.add(kind);
      listed.addPage(page);
      onFound(listed.found.size);
    },
  });
  if (isInconsistent) return endedWith({ kind: 'doubtful' }, failed);
  if (pages === 0) return endedWith(failed && { kind: 'failed', failed }, failed);
  const found = await keepRecordsOfKind(kind, listed.found, options);
  if (skippedCount !== undefined) return { ...endedWith({ kind: 'too_many', count: skippedCount }), found };
  const absent = isSuperuser && listed.isComplete ? listed.missing : emptyResult.absent;
  const counts = { found: found.size, absent: absent.size, pages };
  return {
    ...endedWith({ kind: 'in_pages', ...counts, ...(failed && { failed }) }, failed),
    found,
    absent,
    namesakes: listed.namesakes,
  };
}

/** This many look-ups cost the service about as much time as one page. */
const minDeclaredShare = 8;

/** If at most this many resources of a kind are declared, they are looked up one by one. */
const minResourcesForList = 12;

class ListMatches {
  readonly #kind: Kind;
  /** Several resources can have the same name, if names are unique only within a parent. */
  readonly #declaredByName: ReadonlyMap<string, readonly Resource[]>;
  readonly #found = new Map<Resource, ObservedRecord>();
  readonly #doubtful = new Set<Resource>();
  readonly #titles: ReadonlySet<JsonValue>;
  readonly #ids = new Set<string>();
  /** Whether a record has no id or no name, or pages report different counts. */
  #isInconsistent = false;
  readonly #counts = new Set<number>();
  /** The names of the undeclared records that have the title of a declared resource, by title. */
  readonly #otherNamesByTitle = new Map<JsonValue, Set<string>>();

  constructor(kind: Kind, resources: readonly Resource[]) {
    this.#kind = kind;
    this.#declaredByName = groupBy(resources, ({ name }) => name);
    this.#titles = new Set(resources.map((resource) => sentValue(resource, kind.title) ?? ''));
  }

  /** The resources that the list contains exactly once, with all declared fields. */
  get found(): ReadonlyMap<Resource, ObservedRecord> {
    return this.#found;
  }

  get namesakes(): ReadonlyMap<Resource, string> {
    const namesakes = new Map<Resource, string>();
    for (const resource of [...this.#declaredByName.values()].flat()) {
      if (this.#found.has(resource)) continue;
      const [name, ...more] =
        this.#otherNamesByTitle.get(sentValue(resource, this.#kind.title) ?? null) ?? [];
      if (name !== undefined && more.length === 0) namesakes.set(resource, name);
    }
    return namesakes;
  }

  /** Whether the pages contain all records: every page reports the same count, and it equals the number of different ids. */
  get isComplete(): boolean {
    const [count, ...others] = this.#counts;
    return !this.#isInconsistent && others.length === 0 && this.#ids.size === count;
  }

  get missing(): ReadonlySet<Resource> {
    const isThere = (resource: Resource): boolean =>
      this.#found.has(resource) || this.#doubtful.has(resource);
    return new Set([...this.#declaredByName.values()].flat().filter((resource) => !isThere(resource)));
  }

  addPage({ items, count }: Page<ListedRecord>): void {
    this.#counts.add(count);
    for (const item of items) this.#matchRecord(item);
  }

  /** A record may appear twice, if it moves from one page to another between requests. */
  #matchRecord(record: ListedRecord): void {
    const { received, shown } = record;
    const name = received[this.#kind.identity];
    if (isValidPk(received['pk'])) this.#ids.add(textOf(received['pk'] ?? null));
    if (typeof name !== 'string' || name === '') this.#isInconsistent = true;
    const alike = typeof name === 'string' ? this.#declaredByName.get(name) : undefined;
    const resource = alike?.find((one) => isWithin(one, received));
    if (alike === undefined && typeof name === 'string' && name !== '')
      this.#addNamesake(received[this.#kind.title] ?? '', textOf(shown[this.#kind.identity]));
    if (resource === undefined || this.#doubtful.has(resource)) return;
    const declared = fieldNames(resource);
    const held = observeRecord(this.#kind, record);
    const before = this.#found.get(resource);
    const isReadSeparately = (field: string): boolean =>
      isBindingField(this.#kind, field) || this.#kind.fields[field]?.isWriteOnly === true;
    const isWhole =
      isValidPk(received['pk']) &&
      declared.every((field) => isReadSeparately(field) || Object.hasOwn(received, field));
    if (isWhole && (before === undefined || isSame(before, held))) {
      this.#found.set(resource, held);
    } else {
      this.#found.delete(resource);
      this.#doubtful.add(resource);
    }
  }

  #addNamesake(title: JsonValue, name: string): void {
    if (title === '' || !this.#titles.has(title)) return;
    const others = this.#otherNamesByTitle.get(title);
    if (others) others.add(name);
    else this.#otherNamesByTitle.set(title, new Set([name]));
  }
}

function isWithin(resource: Resource, received: JsonObject): boolean {
  const { scope } = resource.kind;
  return scope === undefined || sameUuid(sentValue(resource, scope) ?? null, received[scope] ?? null);
}

function isSame(a: ObservedRecord, b: ObservedRecord): boolean {
  return a.pk === b.pk && sameJson(a.fields, b.fields);
}
