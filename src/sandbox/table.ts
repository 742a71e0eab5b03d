import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { TypeFacts } from '../kinds/facts.ts';
import { emptyOf, factsIn, fieldsFrom, untaken, type FieldRows } from './field-facts.ts';
import { uuid } from './ids.ts';
import { byPk, type Refused, type SandboxKind, type World, type WrittenKind } from './kind.ts';
import type { Filter, Query } from './query.ts';
import type { Asker } from './rights.ts';
import { Rows, type Row, type Values } from './rows.ts';

/** What is written by hand of a kind: what the schema of the service does not say. */
export interface TableRow extends Partial<Omit<WrittenKind, 'path' | 'writing'>> {
  /** Where the service lists the records, as the facts have it: `/core/groups/`. */
  readonly path: string;
  readonly fields?: FieldRows;
  /** What is there from the start: those with ids as they are, where what is left out is empty, and the others as they are sent. */
  readonly known?: readonly JsonObject[];
  /** What else the seed asks for, as the bodies of requests: asked for when what it names is there. */
  readonly seed?: () => readonly JsonObject[];
  /** What is shown that is not stored, or not as it is stored. What the release does not have is left out. */
  readonly shown?: WrittenKind['record'];
  /** What is stored of a request, or what is wrong with it as a whole. */
  readonly keep?: (values: Values, request: Kept) => { readonly stored: Values } | Refused;
  /** What goes along with a create or a change that is done, and whether the service breaks down after it. */
  readonly kept?: (row: Row, values: Values, own?: Row) => Refused | void;
  readonly newPk?: (made: number, values: Values) => Row['pk'];
}

/** Of which record a request is, or a new one, and who sent it. */
interface Kept {
  readonly own: Row | undefined;
  readonly pk: Row['pk'];
  readonly asker: Asker | undefined;
  /** How many have been made, with this one. */
  readonly made: number;
}

/** What the service calls what its schema names in small letters alone. */
const titles: Readonly<Record<string, string>> = {
  'authentik_core.objectattribute': 'Object Attribute',
  'authentik_crypto.certificatekeypair': 'Certificate-Key Pair',
  'authentik_policies.policybinding': 'Policy Binding',
  'authentik_providers_oauth2.oauth2provider': 'OAuth2/OpenID Provider',
  'authentik_providers_oauth2.scopemapping': 'Scope Mapping',
  'authentik_providers_proxy.proxyprovider': 'Proxy Provider',
  'authentik_providers_saml.samlprovider': 'SAML Provider',
};

export function titleOf(model: string): string {
  const [, name = ''] = model.split('.');
  return titles[model] ?? capital(name);
}

function capital(name: string): string {
  return name.replace(/^./, (letter) => letter.toUpperCase());
}

/** The lists of several types: what each calls one of them, where names are unique among all. */
const families: Readonly<Record<string, readonly [title: string, component: string]>> = {
  '/outposts/service_connections/all/': ['Outpost Service-Connection', 'service-connection'],
  '/policies/all/': ['Policy', 'policy'],
  '/propertymappings/all/': ['Property Mapping', 'property-mapping'],
  '/providers/all/': ['provider', 'provider'],
  '/sources/all/': ['source', 'source'],
  '/stages/all/': ['stage', 'stage'],
};

function familyTitle(family: string): string {
  return families[family]?.[0] ?? '';
}

/** What the service's own pages show one of a type with. */
function componentOf(family: string, path: string): string {
  const type = path.slice(family.length - 'all/'.length, -1).replaceAll(/[/_.]/g, '-');
  return `ak-${families[family]?.[1]}-${type}-form`;
}

/** The list of all that those of a path are among: that of the path itself, where it is of one type. */
export function familyOf(path: string): string {
  const family = Object.keys(families).find((all) => path.startsWith(all.slice(0, -'all/'.length)));
  return family ?? path;
}

/** A kind that the service lets nobody create. */
export function shownFrom(world: World, row: TableRow): SandboxKind {
  const { writing: _, ...kind } = tableFrom(world, row);
  return kind;
}

/** A kind, as its row and the facts of the service's API make it. */
export function tableFrom(world: World, row: TableRow): WrittenKind {
  const { path, fields: rows = {}, known = [], seed, shown, keep, kept, newPk, ...own } = row;
  const facts = factsIn(world, path);
  const family = familyOf(path);
  const { model = '', id } = facts;
  const identity = own.identity ?? identities.find((name) => facts.fields[name]) ?? 'name';
  const all = own.rows ?? (family === path ? new Rows() : undefined);
  const records = (): Rows => all ?? world.at(family);
  const title = model === '' ? capital(familyTitle(family)) : titleOf(model);
  const unique = { first: untaken(records, identity, family === path ? title : familyTitle(family)) };
  let fields: WrittenKind['writing']['fields'] | undefined; // made when one is first written
  const record = recordFrom(facts, shown);
  const typed = family === path ? {} : { meta_model_name: model, component: componentOf(family, path) };
  let made = 0;
  const kind: WrittenKind = {
    title: title.replaceAll(/[ -]|\/\w+/g, ''),
    list: path,
    path: `/api/v3${path}`,
    allow: allowOf(facts),
    key: id && isWrittenText(facts, id.name) ? { field: id.name, form: byPk.form } : byPk,
    identity,
    ordering: identity,
    exact: exactOf(facts),
    searched: ({ fields: stored }) => ['name', 'slug', identity].map((name) => stored[name]),
    filters: (query) => filtersOf(facts, query),
    ...(family !== path && { has: ({ fields: stored }) => stored['meta_model_name'] === model }),
    record,
    ...own,
    get rows() {
      return records();
    },
    writing: {
      get fields() {
        fields ??= fieldsFrom(world, path, { ...rows, [identity]: { ...unique, ...rows[identity] } });
        return fields;
      },
      get seed() {
        return [...known.filter(({ pk }) => pk === undefined), ...(seed?.() ?? [])];
      },
      write: (values, changed, asker) => {
        const nth = made + 1;
        const pk = changed?.pk ?? newPk?.(nth, values) ?? idOf(facts, records(), `${model} ${nth}`);
        const result = keep?.(values, { own: changed, pk, asker, made: nth }) ?? { stored: values };
        if (!('stored' in result)) return result;
        if (!changed) made = nth;
        const written = changed
          ? records().change(changed, result.stored)
          : records().add({ pk, fields: { ...typed, ...result.stored } });
        return kept?.(written, values, changed) ?? written;
      },
    },
  };
  for (const { pk, ...values } of known)
    if (pk !== undefined)
      records().add({ pk: typeof pk === 'number' ? pk : textOf(pk).toLowerCase(), fields: values });
  return kind;
}

/** The field by which people know a record, of which a type has one or more: the first counts. */
const identities = ['slug', 'username', 'identifier', 'domain', 'name', 'key'];

/** Whether a field is a text that requests set: as an id, it is by which people know the record. */
function isWrittenText({ fields }: TypeFacts, name: string): boolean {
  const { type, format, readOnly } = fields[name] ?? {};
  return type === 'string' && format === undefined && !readOnly;
}

function idOf({ fields }: TypeFacts, rows: Rows, text: string): Row['pk'] {
  return fields['pk']?.type === 'integer' ? rows.nextNumber() : uuid(text);
}

/** The methods that the service has for a list, and for a single record. */
function allowOf({ can }: TypeFacts): SandboxKind['allow'] {
  const has = (what: TypeFacts['can'][number], ...methods: string[]): string[] =>
    can.includes(what) ? methods : [];
  return {
    list: ['GET', ...has('create', 'POST'), 'HEAD', 'OPTIONS'].join(', '),
    one: ['GET', ...has('change', 'PUT', 'PATCH'), ...has('delete', 'DELETE'), 'HEAD', 'OPTIONS'].join(', '),
  };
}

/** The texts that a query can ask for by the names of their fields. */
function exactOf({ filters, fields }: TypeFacts): string[] {
  return Object.keys(filters).filter(
    (name) => filters[name]?.type === 'string' && !filters[name].format && fields[name]?.type === 'string',
  );
}

const blindToCase = '__iexact';

function filtersOf({ filters }: TypeFacts, query: Query): Filter[] {
  return Object.keys(filters).flatMap((parameter): Filter[] => {
    if (!parameter.endsWith(blindToCase)) return [];
    const name = parameter.slice(0, -blindToCase.length);
    const wanted = query.text(parameter)?.toLowerCase();
    return wanted === undefined ? [] : [({ fields }) => textOf(fields[name]).toLowerCase() === wanted];
  });
}

/** A record as the schema has it: what is shown, or else what is stored, or else nothing. */
function recordFrom({ fields, id }: TypeFacts, shown?: TableRow['shown']): WrittenKind['record'] {
  const readable = Object.entries(fields).filter(([, { writeOnly }]) => !writeOnly);
  const empty = readable.map(([name, facts]) => [name, emptyOf(facts)] as const);
  const isTyped = fields['component'] !== undefined;
  const idField = fields['pk'] || !id ? 'pk' : id.name;
  return (row, asker, query) => {
    const stored = { ...row.fields, [idField]: row.pk };
    const ofType = isTyped && typeOf(textOf(row.fields['meta_model_name']));
    const all: JsonObject = { ...stored, ...ofType, ...shown?.(row, asker, query) };
    const record: Record<string, JsonValue> = {};
    for (const [name, nothing] of empty) {
      const value = all[name];
      record[name] = value === undefined ? nothing : value;
    }
    return record;
  };
}

function typeOf(model: string): JsonObject {
  return { meta_model_name: model, verbose_name: titleOf(model), verbose_name_plural: `${titleOf(model)}s` };
}
