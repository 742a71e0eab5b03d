import { textOf, type JsonValue } from '../base/json.ts';
import { sameJson } from '../kinds/values.ts';
import { fieldNames, sentValue } from '../kinds/fields.ts';
import { type Kind, regardedFields } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { isIdentifier } from '../service/answer.ts';
import { observedIn, type ListedRecord } from '../service/client.ts';
import type { HeldRecord } from '../service/types.ts';

/** What the pages of one list show of the declared resources of its kind, and of all else the names of those with the same titles. */
export class Listed {
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
    if (resource === undefined)
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
