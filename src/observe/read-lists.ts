import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { isBindingField } from '../kinds/access.ts';
import { fieldNames, sentValue } from '../kinds/fields.ts';
import { listQuery, comparedFields, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { sameJson, sameUuid } from '../kinds/values.ts';
import { isIdentifier, type Answer } from '../service/answer.ts';
import { type Client } from '../service/client.ts';
import { observedIn, type ListedRecord } from '../service/records.ts';
import type { Page } from '../service/page.ts';
import type { Pacing } from '../service/pacing.ts';
import { readPages } from '../service/read-pages.ts';
import { keepOwnType } from '../service/own-type.ts';
import { retrieveSelf } from '../service/retrieve.ts';
import type { HeldRecord } from '../service/types.ts';

export interface ListNews {
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
      /** The last answer without the expected page. */
      readonly failed?: Answer;
    }
  /** Less than an eighth of the records in the service is declared. */
  | { readonly kind: 'too_many'; readonly count: number }
  /** The service shows the complete list only to superusers, and the token is not known to be one's. */
  | { readonly kind: 'no_superuser' }
  /** A page contradicts itself or is not the requested one: the whole list is ignored. */
  | { readonly kind: 'doubtful' }
  | { readonly kind: 'failed'; readonly failed: Answer };

interface ListsOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
  /** Called after each page with the number of resources found. */
  readonly onFound: (count: number) => void;
  readonly onNews: (news: ListNews) => void;
}

/** The resources that lists showed to exist or to be absent. */
interface ReadLists {
  readonly found: ReadonlyMap<Resource, HeldRecord>;
  /** The resources that a complete list does not contain. */
  readonly absent: ReadonlySet<Resource>;
  /** For resources that were not found: the name of the only other record with the same title. */
  readonly namesakes: ReadonlyMap<Resource, string>;
  /** The last answer without the requested content. */
  readonly failed?: Answer;
}

const nothing = {
  found: new Map<Resource, HeldRecord>(),
  absent: new Set<Resource>(),
  namesakes: new Map<Resource, string>(),
};

/** Reads in pages the kinds with many declared resources, several lists at a time, if the service's lists are complete. */
export async function readLists(resources: readonly Resource[], options: ListsOptions): Promise<ReadLists> {
  const { client, onFound, onNews } = options;
  const worth = [...byKind(resources)].filter(
    ([kind, declared]) => client.canList(kind) && declared.length > fewestListed,
  );
  const counts = new Map<Kind, number>();
  const lists = await Promise.all(
    worth.map(async ([kind, declared]) => {
      const foundSoFar = (count: number): void => {
        counts.set(kind, count);
        onFound([...counts.values()].reduce((sum, one) => sum + one, 0));
      };
      return { kind, declared, read: await readList(kind, declared, { ...options, onFound: foundSoFar }) };
    }),
  );
  const found = new Map<Resource, HeldRecord>();
  const absent = new Set<Resource>();
  const namesakes = new Map<Resource, string>();
  let failed: Answer | undefined;
  for (const { kind, declared, read } of lists) {
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
  /** Undefined if the run ended in the meantime. */
  readonly progress?: ListProgress;
}

/**
 * Reads a list.
 *
 * 1. A small request shows whose the token is; the first page shows how many records there are. 2. The other pages are read if at
 * least an eighth of the list is declared. 3. For a superuser, a resource that is not in the complete list is absent.
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

/** Fewer resources than this are looked up one by one. */
const fewestListed = 12;

/** The declared resources found on the pages of a list, and the names of other records with the same titles. */
class Listed {
  readonly #kind: Kind;
  /** By name; names scoped by different parents may be equal. */
  readonly #wanted = new Map<string, Resource[]>();
  readonly #found = new Map<Resource, HeldRecord>();
  readonly #doubtful = new Set<Resource>();
  readonly #titles: ReadonlySet<JsonValue>;
  /** The ids of all records on the pages. */
  readonly #ids = new Set<string>();
  /** Whether a record has no id or no name, or the pages disagree on the count. */
  #isOdd = false;
  readonly #counts = new Set<number>();
  /** By title of a declared resource: the names of other records with that title. */
  readonly #others = new Map<JsonValue, Set<string>>();

  constructor(kind: Kind, resources: readonly Resource[]) {
    this.#kind = kind;
    for (const resource of resources) {
      const alike = this.#wanted.get(resource.name);
      if (alike) alike.push(resource);
      else this.#wanted.set(resource.name, [resource]);
    }
    this.#titles = new Set(resources.map((resource) => sentValue(resource, kind.title) ?? ''));
  }

  /** The resources that certainly exist: a record with all declared fields, and no other of the same name. */
  get found(): ReadonlyMap<Resource, HeldRecord> {
    return this.#found;
  }

  /** For resources that were not found: the name of the only other record with the same title. */
  get namesakes(): ReadonlyMap<Resource, string> {
    const namesakes = new Map<Resource, string>();
    for (const resource of [...this.#wanted.values()].flat()) {
      if (this.#found.has(resource)) continue;
      const [name, ...more] = this.#others.get(sentValue(resource, this.#kind.title) ?? null) ?? [];
      if (name !== undefined && more.length === 0) namesakes.set(resource, name);
    }
    return namesakes;
  }

  /** Whether the pages show all records: none moved, and all pages agree. */
  get isWhole(): boolean {
    const [count, ...others] = this.#counts;
    return !this.#isOdd && others.length === 0 && this.#ids.size === count;
  }

  get missing(): ReadonlySet<Resource> {
    const isThere = (resource: Resource): boolean =>
      this.#found.has(resource) || this.#doubtful.has(resource);
    return new Set([...this.#wanted.values()].flat().filter((resource) => !isThere(resource)));
  }

  takePage({ items, count }: Page<ListedRecord>): void {
    this.#counts.add(count);
    for (const item of items) this.#take(item);
  }

  /** Records one item. It may come again if records move while the list is read. */
  #take(record: ListedRecord): void {
    const { received, shown } = record;
    const name = received[this.#kind.identity];
    if (isIdentifier(received['pk'])) this.#ids.add(textOf(received['pk'] ?? null));
    if (typeof name !== 'string' || name === '') this.#isOdd = true;
    const alike = typeof name === 'string' ? this.#wanted.get(name) : undefined;
    const resource = alike?.find((one) => isWithin(one, received));
    if (alike === undefined && typeof name === 'string' && name !== '')
      this.#takeOther(received[this.#kind.title] ?? '', textOf(shown[this.#kind.identity]));
    if (resource === undefined || this.#doubtful.has(resource)) return;
    const declared = fieldNames(resource);
    const regarded = comparedFields(this.#kind, declared);
    const held = observedIn(this.#kind, record, regarded);
    const before = this.#found.get(resource);
    const isElsewhere = (field: string): boolean =>
      isBindingField(this.#kind, field) || this.#kind.fields[field]?.isWriteOnly === true;
    const isWhole =
      isIdentifier(received['pk']) &&
      declared.every((field) => isElsewhere(field) || Object.hasOwn(received, field));
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

/** Whether a record is in the one within which the name of a resource counts. */
function isWithin(resource: Resource, received: JsonObject): boolean {
  const { scope } = resource.kind;
  return scope === undefined || sameUuid(sentValue(resource, scope) ?? null, received[scope] ?? null);
}

function isSame(a: HeldRecord, b: HeldRecord): boolean {
  return a.pk === b.pk && sameJson(a.fields, b.fields);
}
