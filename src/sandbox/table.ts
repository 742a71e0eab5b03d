import { isJsonList, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { memoizePerKey } from '../base/memoize.ts';
import type { TypeFacts } from '../kinds/facts.ts';
import { referenceOf, referredLists } from '../kinds/references.ts';
import { bindableId } from './bindables.ts';
import { componentOf, familyOf, listNameOf } from './families.ts';
import { factsIn, fieldsFrom, uniqueCheck, type FieldRow, type FieldRows } from './field-facts.ts';
import { readFields, type FieldErrors } from './fields.ts';
import { uuidFrom } from './ids.ts';
import { keyByPk, rejected, type Rejection, type SandboxKind, type World } from './kind.ts';
import type { Filter, Query } from './query.ts';
import { answers, isGenerated, generatedValues, recordedOf, type Recorded } from './recorded.ts';
import type { Requester } from './rights.ts';
import { Rows, valuesOf, type Row, type Values } from './rows.ts';
import { recordFrom } from './record.ts';
import { pathField } from './nested.ts';

/** The facts about a kind that neither the API schema nor the recordings show. */
export interface TableRow extends Partial<Omit<SandboxKind, 'path' | 'rows' | 'fields' | 'insert' | 'save'>> {
  readonly fields?: FieldRows;
  /** Returns computed fields. Fields that the release does not have are dropped. */
  readonly shown?: SandboxKind['record'];
  /** Returns the problem with the request as a whole. */
  readonly refuse?: (
    values: Values,
    request: Pick<SaveRequest, 'existing' | 'asker'>,
  ) => Rejection | undefined;
  /** Returns the values to store for a request, by default the values of the request. */
  readonly stored?: (values: Values, request: SaveRequest) => Values;
  /** Causes the side effects of a create or change. Returns a rejection if the service then crashes. */
  readonly afterSave?: (row: Row, values: Values, existing?: Row) => Rejection | void;
  /** The record that always exists. */
  readonly first?: JsonObject;
  readonly newPk?: (made: number, values: Values) => Row['pk'];
}

interface SaveRequest {
  readonly existing: Row | undefined;
  readonly pk: Row['pk'];
  readonly asker: Requester | undefined;
  readonly count: number;
}

export function kindFrom(world: World, path: string, row: TableRow): SandboxKind {
  const { fields: rows = {}, shown, refuse, stored, afterSave, newPk, first, ...rest } = row;
  const facts = factsIn(world, path);
  const { model = '', id } = facts;
  const hasNumbers = facts.fields['pk']?.type === 'integer';
  const family = familyOf(path, facts);
  const list = family?.path ?? path;
  const recorded = recordedOf(world.release, path, model);
  const identity = rest.identity ?? identities.find((name) => facts.fields[name]) ?? 'name';
  const ownRows = list === path ? new Rows() : undefined;
  const records = (): Rows => ownRows ?? world.at(list);
  const taken =
    recorded.taken ??
    (family && list !== path ? { [identity]: [`${family.title} with this name already exists.`] } : {});
  let fields: SandboxKind['fields'] | undefined; // made when a record is first written
  const component = recorded.shown?.['component'] ?? (family && componentOf(family, path)) ?? '';
  const typed = list === path ? {} : { meta_model_name: model, component };
  const bindable = path.startsWith('/flows/')
    ? (pk: Row['pk']) => ({ [bindableId]: uuidFrom(`bindable ${pk}`) })
    : undefined;
  const add = (pk: Row['pk'], ...values: Values[]): Row =>
    records().add({ pk, fields: Object.assign({ [pathField]: path }, typed, bindable?.(pk), ...values) });
  let count = 0;
  const kind: SandboxKind = {
    title: recorded.model ?? model.replace(/^.*\./, '').replace(/^./, (letter) => letter.toUpperCase()),
    list: listNameOf(list),
    path,
    facts,
    allTypesPath: list,
    allow: allowedMethods(facts),
    key: id && isWritableText(facts, id.name) ? { field: id.name, form: keyByPk.form } : keyByPk,
    identity,
    ordering: identity,
    exactFilters: exactFilters(facts),
    filtersFor: (query) => requestedFilters(world, path, facts, query),
    searchTexts: ({ fields: all }) => ['name', 'slug', identity].map((name) => all[name]),
    ...(list !== path && { includes: ({ fields: all }) => all['meta_model_name'] === model }),
    record: recordFrom(world, path, recorded, shown),
    ...rest,
    get rows() {
      return records();
    },
    get fields() {
      fields ??= fieldsFrom(world, path, fieldRowsOf(rows, recorded, taken, records));
      return fields;
    },
    insert: ({ pk = null, ...values }) => {
      const ownId = typeof pk === 'number' ? pk : textOf(pk).toLowerCase();
      return add(ownId, recorded.defaults ?? {}, generatedValues(ownId, recorded), values);
    },
    save: (body, asker, change) => {
      const { values, errors } = readFields(body, kind.fields, change);
      if (Object.keys(errors).length > 0) return { errors };
      const changed = change?.existing;
      const refusal =
        rejectionOf(world, path, recorded, [values, body], records(), changed) ??
        refuse?.(values, { existing: changed, asker });
      if (refusal) return refusal;
      const nth = count + 1;
      const pk =
        changed?.pk ??
        newPk?.(nth, values) ??
        (hasNumbers ? records().nextNumber() : uuidFrom(`${model} ${nth}`));
      const kept = stored?.(values, { existing: changed, pk, asker, count: nth }) ?? values;
      if (!changed) count = nth;
      const written = changed
        ? records().change(changed, kept)
        : add(pk, generatedValues(pk, recorded, asker), kept);
      return afterSave?.(written, values, changed) ?? { record: kind.record(written, asker) };
    },
  };
  if (first) kind.insert(first);
  return kind;
}

/** The fields that can identify a record. If a type has several of these fields, the first is used. */
const identities = ['slug', 'identifier', 'domain', 'name', 'username', 'key'];

/** Whether a field is a writable string. An id that is a writable string appears in the path of the record. */
function isWritableText({ fields }: TypeFacts, name: string): boolean {
  const { type, format, readOnly } = fields[name] ?? {};
  return type === 'string' && format === undefined && !readOnly;
}

function fieldRowsOf(
  rows: FieldRows,
  { defaults = {} }: Recorded,
  taken: Readonly<Record<string, readonly string[]>>,
  records: () => Rows,
): FieldRows {
  const merged: Record<string, FieldRow> = {};
  for (const [name, value] of Object.entries(defaults))
    merged[name] = isGenerated(value) ? { isGenerated: true } : { default: value };
  for (const [name, [complaint = '']] of Object.entries(taken))
    merged[name] = { ...merged[name], checkFirst: uniqueCheck(records, name, complaint) };
  for (const [name, row] of Object.entries(rows)) merged[name] = { ...merged[name], ...row };
  return merged;
}

function rejectionOf(
  world: World,
  path: string,
  { enterprise, together }: Recorded,
  [values, sent]: readonly [Values, JsonObject],
  rows: Rows,
  existing?: Row,
): Rejection | undefined {
  const [first, ...others] = together ?? [];
  const merged = { ...existing?.fields, ...values };
  const isTwice = (row: Row): boolean =>
    row !== existing && others.every((name) => row.fields[name] === merged[name]);
  if (first !== undefined && rows.with(first, merged[first] ?? null).some(isTwice))
    return rejected(`The fields ${together?.join(', ')} must make a unique set.`);
  if (enterprise && !world.seed.is_licensed)
    return rejected('Enterprise is required to create/update this object.');
  return missingRequired(path, factsIn(world, path), sent, existing === undefined);
}

function allowedMethods({ can }: TypeFacts): SandboxKind['allow'] {
  const has = (operation: TypeFacts['can'][number], ...methods: string[]): string[] =>
    can.includes(operation) ? methods : [];
  return {
    list: ['GET', ...has('create', 'POST'), 'HEAD', 'OPTIONS'].join(', '),
    one: ['GET', ...has('change', 'PUT', 'PATCH'), ...has('delete', 'DELETE'), 'HEAD', 'OPTIONS'].join(', '),
  };
}

function missingRequired(
  path: string,
  { fields }: TypeFacts,
  sent: JsonObject,
  isCreate: boolean,
): Rejection | undefined {
  for (const { oneOf, message: says, isForCreate: isOfCreate, ifGiven } of answers().demands[path] ?? []) {
    if ((isOfCreate && !isCreate) || !oneOf.some((name) => name in fields)) continue;
    const given = ifGiven && (sent[ifGiven.field] ?? null);
    if (ifGiven && (given === null || (ifGiven.value !== undefined && given !== ifGiven.value))) continue;
    if (oneOf.some((name) => hasValue(sent[name] ?? null))) continue;
    return says === undefined ? { crashedOver: oneOf.join() } : rejected(says);
  }
  return undefined;
}

function hasValue(value: JsonValue): boolean {
  return isJsonList(value) ? value.length > 0 : value !== null && value !== '' && value !== false;
}

const exactFilters = memoizePerKey(({ filters, fields }: TypeFacts): readonly string[] =>
  Object.keys(filters).filter(
    (name) => filters[name]?.type === 'string' && !filters[name].format && fields[name]?.type === 'string',
  ),
);

const ignoreCase = '__iexact';

function requestedFilters(
  world: World,
  path: string,
  { filters, fields }: TypeFacts,
  query: Query,
): Filter[] | FieldErrors {
  const requested: Filter[] = [];
  for (const [parameter, { type, format }] of Object.entries(filters)) {
    const wanted = query.text(parameter);
    if (wanted === undefined) continue;
    if (parameter.endsWith(ignoreCase)) {
      const name = parameter.slice(0, -ignoreCase.length);
      requested.push((row) => textOf(row.fields[name]).toLowerCase() === wanted.toLowerCase());
      continue;
    }
    const facts = fields[parameter];
    if (!facts || (type === 'string' && !format)) continue;
    const list = referenceOf(path, parameter, facts)?.list;
    if (list !== undefined && list !== 'bindables' && !world.kind(referredLists[list]).rows.at(wanted))
      return { [parameter]: ['Select a valid choice. That choice is not one of the available choices.'] };
    const wantedValues = type === 'array' ? new Set(query.all(parameter)) : new Set([wanted.toLowerCase()]);
    requested.push((row) =>
      valuesOf(row, parameter).some((value) =>
        wantedValues.has(typeof value === 'object' ? '' : String(value)),
      ),
    );
  }
  return requested;
}
