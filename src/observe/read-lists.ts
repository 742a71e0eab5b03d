import { textOf, type JsonValue } from '../base/json.ts';
import { isBound } from '../kinds/access.ts';
import { fieldNames, sentValue } from '../kinds/fields.ts';
import { listQuery, comparedFields, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { sameJson } from '../kinds/values.ts';
import { isIdentifier, type Answer } from '../service/answer.ts';
import { type Client } from '../service/client.ts';
import { observedIn, type ListedRecord } from '../service/records.ts';
import type { Page } from '../service/page.ts';
import type { Pacing } from '../service/pacing.ts';
import { readPages } from '../service/read-pages.ts';
import { keepOwnType } from '../service/own-type.ts';
import { retrieveSelf } from '../service/retrieve.ts';
import type { HeldRecord } from '../service/types.ts';

/** How the declared resources of a kind were read of which there is a list. */
export interface ListNews {
  readonly kind: Kind;
  readonly declared: number;
  readonly progress: ListProgress;
}

type ListProgress =
  | {
      readonly kind: 'in_pages';
      readonly found: number;
      /** How many it showed to be absent. */
      readonly absent: number;
      readonly pages: number;
      /** The last answer that carried no page though there should be one. */
      readonly failed?: Answer;
    }
  /** Less than an eighth of the so many records that there are is declared. */
  | { readonly kind: 'too_many'; readonly count: number }
  /** The service shows this list rightly to superusers only, and the token is none of theirs, or that could not be learnt. */
  | { readonly kind: 'no_superuser' }
  /** A page was another than was asked for, or contradicted itself: nothing of the list is used. */
  | { readonly kind: 'doubtful' }
  | { readonly kind: 'failed'; readonly failed: Answer };

interface ListsOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
  /** Called after each page with how many resources are known to be there. */
  readonly onFound: (count: number) => void;
  readonly onNews: (news: ListNews) => void;
}

/** What lists showed. Of all other resources they show nothing. */
interface ReadLists {
  readonly found: ReadonlyMap<Resource, HeldRecord>;
  /** Those that a list did not hold which was read whole, and which the service shows rightly. */
  readonly absent: ReadonlySet<Resource>;
  /** Of those that were not found: the name of the only other one that has the same title. */
  readonly namesakes: ReadonlyMap<Resource, string>;
  /** The last answer that did not show what was asked for. */
  readonly failed?: Answer;
}

const nothing = {
  found: new Map<Resource, HeldRecord>(),
  absent: new Set<Resource>(),
  namesakes: new Map<Resource, string>(),
};

/** Reads in pages the kinds of which much is declared, where the service's lists are right. */
export async function readLists(resources: readonly Resource[], options: ListsOptions): Promise<ReadLists> {
  const { client, signal, onFound, onNews } = options;
  const found = new Map<Resource, HeldRecord>();
  const absent = new Set<Resource>();
  const namesakes = new Map<Resource, string>();
  let failed: Answer | undefined;
  for (const [kind, declared] of byKind(resources)) {
    if (!client.canList(kind) || declared.length <= fewestListed || signal?.aborted) continue;
    const before = found.size + absent.size;
    const read = await readList(kind, declared, {
      ...options,
      onFound: (count) => onFound(before + count),
    });
    for (const [resource, held] of read.found) found.set(resource, held);
    for (const resource of read.absent) absent.add(resource);
    for (const [resource, name] of read.namesakes) namesakes.set(resource, name);
    failed = read.failed ?? failed;
    if (read.progress) onNews({ kind, declared: declared.length, progress: read.progress });
  }
  return { found, absent, namesakes, ...(failed && { failed }) };
}

function byKind(resources: readonly Resource[]): ReadonlyMap<Kind, readonly Resource[]> {
  const groups = new Map<Kind, Resource[]>();
  for (const resource of resources) {
    const group = groups.get(resource.kind);
    if (group) group.push(resource);
    else groups.set(resource.kind, [resource]);
  }
  return groups;
}

interface ReadList extends ReadLists {
  /** None where the run ended meanwhile. */
  readonly progress?: ListProgress;
}

/**
 * Reads a list.
 *
 * 1. A small request shows whose the token is; the first page, how many records there are.
 * 2. The other pages are read where at least an eighth of the list is declared.
 * 3. What a whole list does not hold is absent, where it is read as a superuser.
 */
async function readList(kind: Kind, declared: readonly Resource[], options: ListsOptions): Promise<ReadList> {
  const { client, pacing, signal, onFound } = options;
  const { completeFor } = kind.listing;
  const ended = (progress: ListProgress | undefined, failed?: Answer): ReadList => ({
    ...nothing,
    ...(progress && !signal?.aborted && { progress }),
    ...(failed && { failed }),
  });
  const self = await pacing.beside(() => retrieveSelf(client, pacing, signal));
  if (signal?.aborted) return ended(undefined);
  const isSuperuser = self?.proof === 'exists' && self.isSuperuser;
  if (completeFor === 'superusers' && !isSuperuser) {
    if (self?.proof === 'exists') return ended({ kind: 'no_superuser' });
    return ended(self && { kind: 'failed', failed: self.answer }, self?.answer);
  }
  const list = listQuery(kind, new Set(declared.flatMap(({ fields }) => Object.keys(fields))));
  const listed = new Listed(kind, declared);
  const { isDoubtful, pages, tooMany, failed } = await readPages(list, {
    client,
    pacing,
    signal,
    isWorth: (count) => declared.length * leastShare >= count,
    onPage: (page) => {
      client.readable.markRead(kind);
      listed.takePage(page);
      onFound(listed.found.size);
    },
  });
  if (isDoubtful) return ended({ kind: 'doubtful' }, failed);
  if (pages === 0) return ended(failed && { kind: 'failed', failed }, failed);
  const found = await keepOwnType(kind, listed.found, options);
  if (tooMany !== undefined) return { ...ended({ kind: 'too_many', count: tooMany }), found };
  const absent = isSuperuser && listed.isWhole ? listed.missing : nothing.absent;
  const shown = { found: found.size, absent: absent.size, pages };
  return {
    ...ended({ kind: 'in_pages', ...shown, ...(failed && { failed }) }, failed),
    found,
    absent,
    namesakes: listed.namesakes,
  };
}

/** A page costs the service about as much as eight look-ups. */
const leastShare = 8;

/** So few are looked up one by one. */
const fewestListed = 12;

/** What the pages of one list show of the declared resources of its kind, and of all else the names of those with the same titles. */
class Listed {
  readonly #kind: Kind;
  readonly #wanted: ReadonlyMap<string, Resource>;
  readonly #found = new Map<Resource, HeldRecord>();
  readonly #doubtful = new Set<Resource>();
  readonly #titles: ReadonlySet<JsonValue>;
  /** The ids of all records that were shown. */
  readonly #ids = new Set<string>();
  /** Whether a record has no id or no name, or a page counts otherwise than the others. */
  #isOdd = false;
  readonly #counts = new Set<number>();
  /** By the titles of declared ones: the names of the others that have them. */
  readonly #others = new Map<JsonValue, Set<string>>();

  constructor(kind: Kind, resources: readonly Resource[]) {
    this.#kind = kind;
    this.#wanted = new Map(resources.map((resource) => [resource.name, resource]));
    this.#titles = new Set(resources.map((resource) => sentValue(resource, kind.title) ?? ''));
  }

  /** What is surely there: a record with all that is declared, and no other of the same name. */
  get found(): ReadonlyMap<Resource, HeldRecord> {
    return this.#found;
  }

  /** Of those that were not found: the name of the only other one that has the same title. */
  get namesakes(): ReadonlyMap<Resource, string> {
    const namesakes = new Map<Resource, string>();
    for (const resource of this.#wanted.values()) {
      if (this.#found.has(resource)) continue;
      const [name, ...more] = this.#others.get(sentValue(resource, this.#kind.title) ?? null) ?? [];
      if (name !== undefined && more.length === 0) namesakes.set(resource, name);
    }
    return namesakes;
  }

  /** Whether all records were shown: nothing moved, and each page agrees. */
  get isWhole(): boolean {
    const [count, ...others] = this.#counts;
    return !this.#isOdd && others.length === 0 && this.#ids.size === count;
  }

  /** Those that were not shown. */
  get missing(): ReadonlySet<Resource> {
    const isThere = (resource: Resource): boolean =>
      this.#found.has(resource) || this.#doubtful.has(resource);
    return new Set([...this.#wanted.values()].filter((resource) => !isThere(resource)));
  }

  takePage({ items, count }: Page<ListedRecord>): void {
    this.#counts.add(count);
    for (const item of items) this.#take(item);
  }

  /** Takes note of a record, which may stand in the list again where that moves while it is read. */
  #take(record: ListedRecord): void {
    const { received, shown } = record;
    const name = received[this.#kind.identity];
    if (isIdentifier(received['pk'])) this.#ids.add(textOf(received['pk'] ?? null));
    if (typeof name !== 'string' || name === '') this.#isOdd = true;
    const resource = typeof name === 'string' ? this.#wanted.get(name) : undefined;
    if (resource === undefined && typeof name === 'string' && name !== '')
      this.#takeOther(received[this.#kind.title] ?? '', textOf(shown[this.#kind.identity]));
    if (resource === undefined || this.#doubtful.has(resource)) return;
    const declared = fieldNames(resource);
    const regarded = comparedFields(this.#kind, declared);
    const held = observedIn(this.#kind, record, regarded);
    const before = this.#found.get(resource);
    const own = declared.filter((field) => !isBound(this.#kind, field));
    const isWhole = isIdentifier(received['pk']) && own.every((field) => Object.hasOwn(received, field));
    if (isWhole && (before === undefined || isSame(before, held))) {
      this.#found.set(resource, before ?? held);
    } else {
      this.#found.delete(resource);
      this.#doubtful.add(resource);
    }
  }

  #takeOther(title: JsonValue, name: string): void {
    if (title === '' || !this.#titles.has(title)) return;
    const others = this.#others.get(title);
    if (others) others.add(name);
    else this.#others.set(title, new Set([name]));
  }
}

function isSame(a: HeldRecord, b: HeldRecord): boolean {
  return a.pk === b.pk && sameJson(a.fields, b.fields);
}
