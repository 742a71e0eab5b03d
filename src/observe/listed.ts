import { sameJson } from '../kinds/same.ts';
import { regardedFields, serviceFields, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { isIdentifier } from '../service/answer.ts';
import { heldIn, namesTold, type ListedRecord } from '../service/client.ts';
import type { HeldRecord } from '../service/types.ts';

/** What the pages of one list show of the declared resources of its kind, and nothing of all else that they show. */
export class Listed {
  readonly #kind: Kind;
  readonly #knowsNames: boolean;
  readonly #wanted: ReadonlyMap<string, Resource>;
  readonly #found = new Map<Resource, HeldRecord>();
  readonly #doubtful = new Set<Resource>();

  constructor(kind: Kind, resources: readonly Resource[], knowsNames: boolean) {
    this.#kind = kind;
    this.#knowsNames = knowsNames;
    this.#wanted = new Map(resources.map((resource) => [resource.name, resource]));
  }

  /** What is surely there: a record with all that is declared, and no other of the same name. */
  get found(): ReadonlyMap<Resource, HeldRecord> {
    return this.#found;
  }

  /** How many a further page might show. */
  get open(): number {
    return this.#wanted.size - this.#found.size - this.#doubtful.size;
  }

  /** Takes note of a record, which may stand in the list again where that moves while it is read. */
  take({ received, shown }: ListedRecord): void {
    const name = received[this.#kind.identity];
    const resource = typeof name === 'string' ? this.#wanted.get(name) : undefined;
    if (resource === undefined || this.#doubtful.has(resource)) return;
    const declared = Object.keys(serviceFields(this.#kind, resource.fields));
    const held = {
      ...heldIn(this.#kind, received, shown, regardedFields(this.#kind, resource.fields)),
      ...(this.#knowsNames && { names: namesTold(this.#kind, shown) }),
    };
    const before = this.#found.get(resource);
    const isWhole = isIdentifier(received['pk']) && declared.every((field) => Object.hasOwn(received, field));
    if (isWhole && (before === undefined || isSame(before, held))) {
      this.#found.set(resource, before ?? held);
    } else {
      this.#found.delete(resource);
      this.#doubtful.add(resource);
    }
  }
}

function isSame(a: HeldRecord, b: HeldRecord): boolean {
  return a.pk === b.pk && sameJson(a.fields, b.fields);
}
