import type { JsonValue } from '../base/json.ts';
import type { Query } from './query.ts';

/** What the sandbox keeps of a record: its id, and the fields that can be listed by. */
export interface Row {
  readonly pk: number | string;
  readonly fields: Readonly<Record<string, JsonValue>>;
}

/** The records of one list. Each order of them is made once, for as long as nothing changes. */
export class Rows<Member extends Row> {
  readonly #members = new Set<Member>();
  readonly #ordered = new Map<string, readonly Member[]>();

  add(row: Member): void {
    this.#members.add(row);
    this.#ordered.clear();
  }

  delete(row: Member): void {
    this.#members.delete(row);
    this.#ordered.clear();
  }

  /** Says that a field of one of them is another. */
  changed(): void {
    this.#ordered.clear();
  }

  /** All of them, as `ordering` of the query says: names of fields, each after a minus for the other way round. */
  inOrder(query: Query, byDefault: string): readonly Member[] {
    const ordering = query.text('ordering') ?? byDefault;
    const known = this.#ordered.get(ordering);
    if (known !== undefined) return known;
    const [first] = this.#members;
    const asked = ordering
      .split(',')
      .map((term) => orderOf(term.trim()))
      .filter(({ field }) => field === 'pk' || Object.hasOwn(first?.fields ?? {}, field));
    const orders = asked.length > 0 ? asked : [orderOf(byDefault)];
    const ordered = [...this.#members].toSorted((a, b) => compared(a, b, orders));
    this.#ordered.set(ordering, ordered);
    return ordered;
  }
}

interface Order {
  readonly field: string;
  readonly backwards: boolean;
}

function orderOf(term: string): Order {
  return term.startsWith('-') ? { field: term.slice(1), backwards: true } : { field: term, backwards: false };
}

function compared(a: Row, b: Row, orders: readonly Order[]): number {
  for (const { field, backwards } of orders) {
    const difference = inAscent(valueOf(a, field), valueOf(b, field));
    if (difference !== 0) return backwards ? -difference : difference;
  }
  return 0;
}

function valueOf(row: Row, field: string): JsonValue {
  return (field === 'pk' ? row.pk : row.fields[field]) ?? null;
}

/** As the database compares: texts by their characters' numbers, and no value after all others. */
function inAscent(a: JsonValue, b: JsonValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a === b || typeof a === 'object' || typeof b === 'object') return 0;
  return a < b ? -1 : 1;
}
