import { textOf, type JsonValue } from '../base/json.ts';
import { fieldNames, sentValue } from '../kinds/fields.ts';
import { listQuery, regardedFields, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { sameJson } from '../kinds/values.ts';
import { isIdentifier, type Answer } from '../service/answer.ts';
import { observedIn, type Client, type ListedRecord } from '../service/client.ts';
import { pageSize } from '../service/page.ts';
import type { Pacing } from '../service/pacing.ts';
import { countOf, readPages } from '../service/read-pages.ts';
import { retrieveSelf } from '../service/retrieve.ts';
import type { HeldRecord } from '../service/types.ts';

/** How the declared resources of a kind were read of which there is a list. */
export interface ListNews {
  readonly kind: Kind;
  readonly declared: number;
  readonly course: ListCourse;
}

type ListCourse =
  | {
      readonly kind: 'in_pages';
      readonly found: number;
      readonly pages: number;
      /** The last answer that carried no page though there should be one. */
      readonly failed?: Answer;
    }
  /** All of the so many records that there are would take more requests than the declared ones. */
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

/** What lists showed. Of all other resources they show nothing, not even that they are absent. */
interface ReadLists {
  readonly found: ReadonlyMap<Resource, HeldRecord>;
  /** Of those that were not found: the name of the only other one that has the same title. */
  readonly namesakes: ReadonlyMap<Resource, string>;
  /** The last answer that did not show what was asked for. */
  readonly failed?: Answer;
}

const nothing = { found: new Map<Resource, HeldRecord>(), namesakes: new Map<Resource, string>() };

/** Reads in pages what would take more requests one by one, where the lists of the service are right. */
export async function readLists(resources: readonly Resource[], options: ListsOptions): Promise<ReadLists> {
  const { client, signal, onFound, onNews } = options;
  const found = new Map<Resource, HeldRecord>();
  const namesakes = new Map<Resource, string>();
  let failed: Answer | undefined;
  for (const [kind, declared] of byKind(resources)) {
    if (!client.canList(kind) || declared.length <= fewestRequests(kind) || signal?.aborted) continue;
    const before = found.size;
    const read = await readList(kind, declared, {
      ...options,
      onFound: (count) => onFound(before + count),
    });
    for (const [resource, held] of read.found) found.set(resource, held);
    for (const [resource, name] of read.namesakes) namesakes.set(resource, name);
    failed = read.failed ?? failed;
    if (read.course) onNews({ kind, declared: declared.length, course: read.course });
  }
  return { found, namesakes, ...(failed && { failed }) };
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

/** How many requests it takes at the least to read a list: its count and one page, and whose token it is. */
function fewestRequests({ listing }: Kind): number {
  return listing.completeFor === 'superusers' ? 3 : 2;
}

interface ReadList extends ReadLists {
  /** None where the run ended meanwhile. */
  readonly course?: ListCourse;
}

async function readList(kind: Kind, declared: readonly Resource[], options: ListsOptions): Promise<ReadList> {
  const { client, pacing, signal, onFound } = options;
  const ended = (course: ListCourse | undefined, failed?: Answer): ReadList => ({
    ...nothing,
    ...(course && !signal?.aborted && { course }),
    ...(failed && { failed }),
  });
  if (kind.listing.completeFor === 'superusers') {
    const self = await retrieveSelf(client, pacing, signal);
    if (self?.proof !== 'exists') return ended(self && { kind: 'failed', failed: self.answer }, self?.answer);
    if (!self.isSuperuser) return ended({ kind: 'no_superuser' });
  }
  const list = listQuery(kind, new Set(declared.flatMap(({ fields }) => Object.keys(fields))));
  const counted = await countOf(list, { client, pacing, signal });
  if (counted.kind === 'not_counted') {
    const { isDoubtful, failed } = counted;
    return ended(isDoubtful ? { kind: 'doubtful' } : failed && { kind: 'failed', failed }, failed);
  }
  const { count } = counted;
  const listed = new Listed(kind, declared, client.knowsNames);
  const isWorth = (pages: number): boolean => pages < Math.min(listed.open, count);
  if (!isWorth(Math.ceil(count / pageSize))) return ended({ kind: 'too_many', count });
  const { isDoubtful, pages, failed } = await readPages(list, {
    client,
    pacing,
    signal,
    count,
    isWorth,
    onPage: ({ items }) => {
      for (const item of items) listed.take(item);
      onFound(listed.found.size);
    },
  });
  if (isDoubtful) return ended({ kind: 'doubtful' }, failed);
  const { found, namesakes } = listed;
  const course = { kind: 'in_pages', found: found.size, pages, ...(failed && { failed }) } as const;
  return { ...ended(course, failed), found, namesakes };
}

/** What the pages of one list show of the declared resources of its kind, and of all else the names of those with the same titles. */
class Listed {
  readonly #kind: Kind;
  readonly #knowsNames: boolean;
  readonly #wanted: ReadonlyMap<string, Resource>;
  readonly #found = new Map<Resource, HeldRecord>();
  readonly #doubtful = new Set<Resource>();
  readonly #titles: ReadonlySet<JsonValue>;
  /** By the titles of declared ones: the names of the others that have them. */
  readonly #others = new Map<JsonValue, Set<string>>();

  constructor(kind: Kind, resources: readonly Resource[], knowsNames: boolean) {
    this.#kind = kind;
    this.#knowsNames = knowsNames;
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

  /** How many a further page might show. */
  get open(): number {
    return this.#wanted.size - this.#found.size - this.#doubtful.size;
  }

  /** Takes note of a record, which may stand in the list again where that moves while it is read. */
  take(record: ListedRecord): void {
    const { received, shown } = record;
    const name = received[this.#kind.identity];
    const resource = typeof name === 'string' ? this.#wanted.get(name) : undefined;
    if (resource === undefined && typeof name === 'string' && name !== '')
      this.#takeOther(received[this.#kind.title] ?? '', textOf(shown[this.#kind.identity]));
    if (resource === undefined || this.#doubtful.has(resource)) return;
    const declared = fieldNames(resource);
    const regarded = regardedFields(this.#kind, declared);
    const held = observedIn(this.#kind, record, regarded, this.#knowsNames);
    const before = this.#found.get(resource);
    const isWhole = isIdentifier(received['pk']) && declared.every((field) => Object.hasOwn(received, field));
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
