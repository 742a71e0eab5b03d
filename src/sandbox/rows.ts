import { filterKeys, isJsonList, textOf, type JsonValue } from '../base/json.ts';

export type Values = Readonly<Record<string, JsonValue>>;

export function pickValues(values: Values, names: readonly string[]): Values {
  return filterKeys(values, (name) => names.includes(name));
}

/** A stored record. Some fields are set by requests, others by the service. */
export interface Row {
  readonly pk: number | string;
  fields: Values;
}

/** All records of a kind. Indexes and sorted lists are made when they are first needed. */
export class Rows {
  #highest = 0;
  readonly #byPk = new Map<string, Row>();
  readonly #indexes = new Map<string, Map<JsonValue, Set<Row>>>();
  readonly #ordered = new Map<string, readonly Row[]>();

  add(row: Row): Row {
    this.#byPk.set(String(row.pk), row);
    if (typeof row.pk === 'number') this.#highest = Math.max(this.#highest, row.pk);
    this.#file(row);
    return row;
  }

  /** No id is used twice. */
  nextNumber(): number {
    return this.#highest + 1;
  }

  change(row: Row, values: Values): Row {
    this.#unfile(row);
    row.fields = { ...row.fields, ...values };
    this.#file(row);
    return row;
  }

  delete(row: Row): void {
    this.#byPk.delete(String(row.pk));
    this.#unfile(row);
  }

  all(): readonly Row[] {
    return [...this.#byPk.values()];
  }

  at(pk: string): Row | undefined {
    return this.#byPk.get(pk);
  }

  those(pks: JsonValue | undefined): readonly Row[] {
    return isJsonList(pks) ? pks.flatMap((pk) => this.at(textOf(pk)) ?? []) : [];
  }

  /** The records in which the field equals this value or is a list that contains it. */
  with(field: string, value: JsonValue): readonly Row[] {
    return [...(this.#index(field).get(value) ?? [])];
  }

  isTaken(field: string, value: JsonValue, existing?: Row): boolean {
    return this.with(field, value).some((row) => row !== existing);
  }

  /** Sorts some records, or all, by comma-separated fields. A minus before a field reverses its order. */
  inOrder(ordering: string, byDefault: string, some?: readonly Row[]): readonly Row[] {
    const known = some === undefined ? this.#ordered.get(ordering) : undefined;
    if (known !== undefined) return known;
    const rows = some ?? this.all();
    const fields = new Set(['pk', ...Object.keys(rows[0]?.fields ?? {})]);
    const terms = ordering.split(',').map((term) => term.trim());
    const knownTerms = terms.filter((term) => fields.has(term.replace(/^-/, '')));
    const orders = [...knownTerms, ...byDefault.split(',')].map(comparatorFor);
    const ordered = rows.toSorted((a, b) => orders.reduce((first, order) => first || order(a, b), 0));
    if (some === undefined) this.#ordered.set(ordering, ordered);
    return ordered;
  }

  #index(field: string): Map<JsonValue, Set<Row>> {
    const known = this.#indexes.get(field);
    if (known !== undefined) return known;
    const index = new Map<JsonValue, Set<Row>>();
    for (const row of this.#byPk.values()) addToIndex(index, field, row);
    this.#indexes.set(field, index);
    return index;
  }

  #file(row: Row): void {
    for (const [field, index] of this.#indexes) addToIndex(index, field, row);
    this.#ordered.clear();
  }

  #unfile(row: Row): void {
    for (const [field, index] of this.#indexes)
      for (const value of valuesOf(row, field)) index.get(value)?.delete(row);
    this.#ordered.clear();
  }
}

function addToIndex(index: Map<JsonValue, Set<Row>>, field: string, row: Row): void {
  for (const value of valuesOf(row, field)) {
    const rows = index.get(value);
    if (rows === undefined) index.set(value, new Set([row]));
    else rows.add(row);
  }
}

export function valuesOf({ fields }: Row, field: string): readonly JsonValue[] {
  const value = fields[field] ?? null;
  return isJsonList(value) ? value : [value];
}

function comparatorFor(term: string): (a: Row, b: Row) => number {
  const field = term.replace(/^-/, '');
  const valueIn = ({ pk, fields }: Row): JsonValue => (field === 'pk' ? pk : (fields[field] ?? null));
  const sign = term.startsWith('-') ? -1 : 1;
  return (a, b) => sign * compareValues(valueIn(a), valueIn(b));
}

/** Compares values in the order of the database: strings by code points, null last. */
function compareValues(a: JsonValue, b: JsonValue): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a === b || typeof a === 'object' || typeof b === 'object') return 0;
  return a < b ? -1 : 1;
}
