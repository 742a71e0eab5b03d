import { isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts';

/** How the list of all who have some name can be answered wrongly. */
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

/** What a fault makes of a list; `all` is the text of the list without its filter, `form` chooses between forms of one fault. */
export function spoiled(
  fault: ListFault,
  name: string,
  { found, all, form }: { readonly found: string; readonly all: string; readonly form: number },
): { readonly status: number; readonly body: string } {
  const list = listIn(found);
  const first = list.results[0] ?? { pk: 4711 };
  const inBody = (body: unknown, status = 200): { status: number; body: string } => ({
    status,
    body: JSON.stringify(body),
  });
  switch (fault) {
    case 'filter_ignored':
      return { status: 200, body: all };
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
    case 'cut_short':
      return inBody({ pagination: { ...list.pagination, count: 1 }, results: [] });
    case 'not_a_list': {
      const { results, pagination } = list;
      const forms = [[], null, first, { results }, { pagination }, { pagination, results: {} }, results];
      return inBody(forms[form % forms.length]);
    }
    case 'no_such_list':
      return inBody({ detail: 'Not found.' }, 404);
  }
}

export interface List {
  readonly pagination: JsonObject;
  readonly results: readonly JsonObject[];
}

/** A list in the text of an answer; an empty one where there is none. */
export function listIn(text: string): List {
  const json = parseJson(text);
  if (!isJsonObject(json) || !Array.isArray(json['results'])) return listOf([]);
  const { pagination = {}, results } = json;
  return {
    pagination: isJsonObject(pagination) ? pagination : {},
    results: results.filter((item) => isJsonObject(item)),
  };
}

function listOf(results: readonly JsonObject[]): List {
  return { pagination: { next: 0, previous: 0, count: results.length }, results };
}
