import { isJsonObject, parseJson, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';

/** The faults that a list filtered by name can have. */
export const listFaults = [
  'filter_ignored',
  'other_record',
  'two_records',
  'count_off',
  'cut_short',
  'not_a_list',
  'no_such_list',
] as const;

export type ListFault = (typeof listFaults)[number];

/** The list filtered by name, with a fault. `all` is the unfiltered list, and `form` selects a variant of the fault. */
export function faultyList(
  fault: ListFault,
  name: string,
  { found, all, form }: { readonly found: string; readonly all: string; readonly form: number },
): Spoiled {
  const list = listIn(found);
  const first = list.results[0] ?? { pk: 4711 };
  switch (fault) {
    case 'filter_ignored':
      return [200, all];
    case 'other_record':
      return inBody(listOf([{ ...first, username: name.toUpperCase() }]));
    case 'two_records':
      return inBody(
        listOf([
          { ...first, username: name },
          { ...first, pk: 4712, username: name },
        ]),
      );
    case 'count_off':
      return inBody({ ...list, pagination: { ...list.pagination, count: list.results.length + 1 } });
    case 'cut_short': {
      const { pagination } = list;
      const forms = [
        { pagination: { ...pagination, count: 1 }, results: [] },
        { pagination: { ...pagination, count: 1, start_index: 1, end_index: 1 }, results: [null] },
        { pagination: { ...pagination, count: 0, start_index: 0, end_index: 0, next: 2 }, results: [] },
      ];
      return inBody(forms[form % forms.length]);
    }
    case 'not_a_list':
      return noList(list, form);
    case 'no_such_list':
      return inBody({ detail: 'Not found.' }, 404);
  }
}

/** A page of a list, with a fault. */
export function faultyPage(fault: ListFault, found: string, form: number): Spoiled {
  const { pagination, results } = listIn(found);
  const [first = { pk: 4711 }, ...others] = results;
  const page = (records: readonly unknown[], more: JsonObject = {}): Spoiled =>
    inBody({ pagination: { ...pagination, ...more }, results: records });
  switch (fault) {
    case 'filter_ignored':
      // Returns another page than the requested one.
      return page(results, { current: Number(pagination['current']) + 1 });
    case 'other_record':
      // Returns a record without fields, without a name or without an id.
      return page(
        results.map(
          ({ pk, name, slug, username }) =>
            [{ pk, slug, username, name }, { slug, username }, null][form % 3],
        ),
      );
    case 'two_records': {
      const count = Number(pagination['count']) + 1;
      const end = Number(pagination['end_index']) + 1;
      return page([first, { ...first, name: 'A third name' }, ...others], { count, end_index: end });
    }
    case 'count_off': {
      const count = Number(pagination['count']);
      const end = Number(pagination['end_index']);
      // The last page is consistent, but the list ends there.
      const forms = [{ count: count + 1 }, { count: count - 1 }, { count: end, next: 0 }];
      return page(results, forms[form % forms.length]);
    }
    case 'cut_short': {
      const forms = [
        others,
        [null, ...others],
        results.length > 1 ? [...others, ...others.slice(0, 1)] : others,
      ];
      return page(forms[form % forms.length] ?? others);
    }
    case 'not_a_list':
      return noList({ pagination, results }, form);
    case 'no_such_list':
      return inBody({ detail: 'Invalid page.' }, 404);
  }
}

/** The status and the body of the answer. */
type Spoiled = [status: number, body: string];

function inBody(body: unknown, status = 200): Spoiled {
  return [status, JSON.stringify(body)];
}

function noList({ pagination, results }: List, form: number): Spoiled {
  const forms = [
    [],
    null,
    results[0] ?? {},
    { results },
    { pagination },
    { pagination, results: {} },
    results,
  ];
  return inBody(forms[form % forms.length]);
}

export interface List {
  readonly pagination: JsonObject;
  readonly results: readonly JsonObject[];
}

/** Parses a list; empty if the text is not a list. */
export function listIn(text: string): List {
  return listOfJson(parseJson(text));
}

export function listOfJson(json: JsonValue | undefined): List {
  if (!isJsonObject(json) || !Array.isArray(json['results'])) return listOf([]);
  const { pagination = {}, results } = json;
  return {
    pagination: isJsonObject(pagination) ? pagination : {},
    results: results.filter((item) => isJsonObject(item)),
  };
}

/** A list of one page, in the service's form. */
export function listOf(results: readonly JsonObject[]): List {
  const count = results.length;
  const pages = { next: 0, previous: 0, current: 1, total_pages: 1 };
  return { pagination: { ...pages, count, start_index: Math.min(1, count), end_index: count }, results };
}

/** The names of the records in a list. */
export function namesIn(text: string): string[] {
  return listIn(text).results.map((record) => nameIn(record));
}

/** The names in a list with a fault, if all of its records are unchanged. */
export function intactNames(text: string, before: string): string[] {
  const records = new Set(listIn(before).results.map((record) => JSON.stringify(record)));
  const { results } = listIn(text);
  const isOdd = (record: JsonObject): boolean => !records.has(JSON.stringify(record));
  const odd = new Set(results.filter((record) => isOdd(record)).map((record) => nameIn(record)));
  return [...new Set(results.map((record) => nameIn(record)))].filter((name) => !odd.has(name));
}

/** The slug, the username or the name of a record. */
export function nameIn({ slug, username, name }: JsonObject): string {
  return textOf(slug ?? username ?? name);
}
