/** Kinds without hand-written models: the schema of manifests has their entries, and the facts have their API. */
import { readdirSync, readFileSync } from 'node:fs';
import { listOf, pick, recordOf, textOf, type Fields, type Json } from './json.ts';

export interface Kind {
  /** The path of its list below /api/v3. It identifies the kind in these files. */
  readonly path: string;
  /** The name of its list in a manifest, and its `type` if the list has several types. */
  readonly list: string;
  readonly sort: string | undefined;
  readonly identity: string;
  /** The key of its id in answers and paths. */
  readonly id: string;
  readonly idInPath: string;
  /** Names are unique within a type, unless `isDoubled`: the service accepted a second record with the same name. */
  readonly type: string;
  readonly isDoubled: boolean;
  readonly model: string;
  readonly filters: readonly string[];
  readonly fields: Readonly<Record<string, Fields>>;
  /** Lists compared in part unless `exactly` names them. All others are compared as a whole unless `at_least` names them. */
  readonly partial: readonly string[];
  readonly canBe: { readonly absent: boolean; readonly renamed: boolean };
}

const folder = new URL('../../src/kinds/facts/', import.meta.url);
const read = (file: URL | string): Json => JSON.parse(readFileSync(file, 'utf8')) as Json; // a JSON file contains only JSON
const schema = recordOf(read(new URL('../../schemas/manifest.schema.json', import.meta.url)));
const releases = listOf(read(new URL('releases.json', folder))).map(textOf);

/** Adapts a part of the schema to another release. */
function changed(value: Json, change: Json): Json {
  const { '+': more, '-': less, ...keys } = recordOf(change);
  if (Array.isArray(value) && more && less) {
    return [...listOf(value).filter((one) => !listOf(less).includes(one)), ...listOf(more)];
  }
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const old = recordOf(value);
  const named = [...new Set([...Object.keys(old), ...Object.keys(keys)])].filter((key) => keys[key] !== null);
  return Object.fromEntries(
    named.map((key) => [
      key,
      key in keys ? changed(old[key] ?? null, keys[key] ?? null) : (old[key] ?? null),
    ]),
  );
}
function factsIn(release: string): Map<string, Fields> {
  const lines = releases.slice(0, releases.indexOf(release) + 1);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'releases.json');
  return new Map(
    files.flatMap((name): [string, Fields][] => {
      const changes = recordOf(read(new URL(name, folder)));
      const facts = lines.reduce<Json>(
        (value, line) => (line in changes ? changed(value, changes[line] ?? null) : value),
        null,
      );
      return facts === null ? [] : [[`/${name.replace('.json', '').replaceAll('.', '/')}/`, recordOf(facts)]];
    }),
  );
}
const facts = { old: factsIn('2023.10'), now: factsIn('2026.2') };

/** The entries that a list of a manifest can have. */
function entriesOf(node: Fields): Fields[] {
  if (node['properties']) return [node];
  const steps = textOf(node['$ref'] ?? '')
    .split('/')
    .slice(1);
  const found = steps.reduce<Fields>((at, step) => recordOf(at[step]), schema);
  const choices = ['oneOf', 'anyOf', 'allOf'].flatMap((key) => listOf(node[key])).map(recordOf);
  return [
    ...(steps.length > 0 ? [found] : []),
    ...choices,
    ...(node['then'] ? [recordOf(node['then'])] : []),
  ].flatMap(entriesOf);
}

/** The API path of a list in a manifest, or of one of its types. */
function pathOf(paths: Iterable<string>, list: string, sort: string | undefined): string | undefined {
  const plain = list.replaceAll('_', '');
  return [...paths].find((path) => {
    const words = path.split('/').filter(Boolean);
    const at = words.findIndex((word) => [list, plain].includes(word));
    if (sort === undefined) return at === words.length - 1 || (at === 0 && words[1] === 'instances');
    const below = words.filter((word) => ![list, plain].includes(word)).slice(at === 0 ? 0 : 1);
    return at >= 0 && [sort, sort.replace('provider_', '')].includes(below.join('_'));
  });
}

/** 2025.12.4 accepted a second record with the same name. */
const doubled = /connectors|enrollment_tokens|rac\/endpoints|invitations/;
const families =
  /^\/(providers|stages|policies|propertymappings|sources)\/(?!.*(?:prompts|invitations|bindings)\/$)/;
export const typeAt = (path: string): string => families.exec(path)?.[1] ?? path;

/** Patterns for names of fields, each with the list to which such a field refers. */
const refers: readonly (readonly [RegExp, string])[] = [
  [/flow/, '/flows/instances/'],
  [/mappings?$/, 'propertymappings'],
  [/certificate|_kp$|_key$/, '/crypto/certificatekeypairs/'],
  [/^roles?$/, '/rbac/roles/'],
  [/^providers?$|_providers$/, 'providers'],
  [/^groups?$|_groups?$/, 'group'],
  [/^users?$/, 'user'],
  [/_stages?$/, 'stages'],
  [/_policies$/, 'policies'],
  [/^sources?$|_sources$/, 'sources'],
];
export function refersTo(field: string, of: Fields): string | undefined {
  const { type, format } = recordOf(of['items'] ?? of);
  return format === 'uuid' || type === 'integer' ? refers.find(([name]) => name.test(field))?.[1] : undefined;
}

/** The kind at a path. Without an entry in the schema of manifests, other kinds can only refer to it. */
function kindAt(
  all: ReadonlyMap<string, Fields>,
  path: string,
  list = '',
  entry: Fields = {},
): Kind | undefined {
  const { fields, id, filters, model } = all.get(path) ?? {};
  const properties = recordOf(entry['properties']);
  const own = Object.entries(recordOf(fields)).map(([name, one]) => [name, recordOf(one)] as const);
  const names =
    entry['required'] === undefined ? own.map(([name]) => name) : listOf(entry['required']).map(textOf);
  const identity = ['slug', 'domain', 'identifier', 'name'].find((name) => names.includes(name));
  const idInPath = textOf(recordOf(id)['name']);
  const choicesOf = (word: string): string[] =>
    listOf(recordOf(recordOf(properties[word])['items'])['enum']).map(textOf);
  if (fields === undefined || identity === undefined) return undefined;
  return {
    path,
    list,
    sort:
      'type' in properties && list !== 'outposts' ? textOf(recordOf(properties['type'])['const']) : undefined,
    identity,
    id: own.some(([name]) => name === 'pk') ? 'pk' : idInPath,
    idInPath,
    type: typeAt(path),
    isDoubled: doubled.test(path),
    model: textOf(model),
    filters: Object.keys(recordOf(filters)),
    fields: Object.fromEntries(
      own.flatMap(([name, one]) =>
        one['readOnly'] ? [] : [[name, needed.has(name) ? { ...one, required: true } : one]],
      ),
    ),
    partial: choicesOf('exactly').filter((field) => !choicesOf('at_least').includes(field)),
    canBe: { absent: 'state' in properties, renamed: 'formerly' in properties },
  };
}

/** Fields without which the service crashes at a create, although its schema does not require them. */
const needed = new Set(['kubeconfig']);

/** Kinds with hand-written models, and connectors, whose answers have the id under another key each time. */
const leftOut = new Set(['applications', 'users', 'groups', 'connectors']);
/** The kinds that manifests can declare in a release, except those whose form differs from that in the newest release. */
function declaredIn(all: ReadonlyMap<string, Fields>): Kind[] {
  return Object.entries(recordOf(schema['properties'])).flatMap(([list, of]) =>
    (leftOut.has(list) ? [] : entriesOf(recordOf(recordOf(of)['items']))).flatMap((entry): Kind[] => {
      const type = recordOf(recordOf(entry['properties'])['type'])['const'];
      const path = pathOf(all.keys(), list, type === undefined ? undefined : textOf(type));
      const kind = path === undefined ? undefined : kindAt(all, path, list, entry);
      const later = pathOf(facts.now.keys(), list, type === undefined ? undefined : textOf(type));
      const now = recordOf(facts.now.get(later ?? '')?.['fields']);
      const isOther = Object.entries(kind?.fields ?? {}).some(
        ([name, one]) => recordOf(now[name])['type'] !== one['type'],
      );
      return kind && !(isOther && all === facts.old) ? [kind] : [];
    }),
  );
}
export const declarableKinds = { old: declaredIn(facts.old), now: declaredIn(facts.now) };
export type Line = keyof typeof declarableKinds;
/** The kinds that other kinds refer to, declarable or not. */
const stock = ['/flows/instances/', '/crypto/certificatekeypairs/', '/providers/saml/'];
const known = (line: Line): Map<string, Kind> => {
  const there = stock.flatMap((path) => kindAt(facts[line], path) ?? []);
  return new Map([...there, ...declarableKinds[line]].map((kind) => [kind.path, kind]));
};
export const kinds = { old: known('old'), now: known('now') };

/** The default value of a field. */
export function defaultOf({ default: given, nullable, type, enum: values }: Fields): Json {
  if (given !== undefined) return given;
  if (nullable === true) return null;
  if (type === 'string') return listOf(values)[0] ?? '';
  return { boolean: false, array: [], integer: 0, number: 0 }[textOf(type)] ?? {};
}

/** A random value of a field in the form of a manifest; undefined if none can be made up. `some` returns names of records of a type. */
export function valueOf(
  field: string,
  of: Fields,
  at: (...of: readonly (string | number)[]) => number,
  some: (type: string) => readonly string[],
): Json | undefined {
  const { type, format, enum: values, items, fields, maximum = 100, minimum = 0, pattern } = of;
  const to = refersTo(field, of);
  const named = (name: string): Json => ({ [to?.startsWith('/flows') ? 'slug' : 'name']: name });
  if (field === 'oidc_jwks') return undefined; // the service replaces these keys by those of `oidc_jwks_url`
  if (isSecret(field, of)) return type === 'string' ? '${env:JUDGE_SECRET}' : undefined;
  if (items && to)
    return some(to)
      .filter((name) => at(field, name) < 0.4)
      .map(named);
  if (items) {
    const given = [0, 1].flatMap(
      (n) => valueOf(field, recordOf(items), (...more) => at(n, ...more), some) ?? [],
    );
    return [...new Map(given.map((one) => [textOf(one), one])).values()];
  }
  if (to) return pick(some(to).map(named), at(field));
  if (values) return pick(listOf(values), at(field));
  if (type === 'boolean') return at(field) < 0.5;
  if (type === 'integer') return Math.floor(Math.min(Number(maximum), Number(minimum) + at(field) * 90 + 1));
  if (fields) {
    const inner = Object.entries(recordOf(fields)).map(
      ([name, one]) => [name, valueOf(name, recordOf(one), at, some)] as const,
    );
    return Object.fromEntries(inner.flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])));
  }
  if (type !== 'string')
    return type === 'object' || type === undefined ? { key: Math.floor(at(field) * 9) } : undefined;
  if (pattern !== undefined || format === 'uuid' || format === 'date-time') return undefined;
  const n = Math.floor(at(field) * 9) + 1;
  if (format === 'uri' || /url|host|uri/.test(field)) return `https://x${n}.example.com/`;
  if (format === 'email') return `x${n}@example.com`;
  return /validity|threshold|duration|expiry|timeout|offset/.test(field) ? `minutes=${n}` : `text ${n}`;
}

/** Whether no output may show a field: write-only fields and credentials. */
export function isSecret(field: string, { writeOnly, type, format, enum: values }: Fields): boolean {
  const isText = type === 'string' && format === undefined && values === undefined;
  return writeOnly === true || (isText && /secret$|password$|^token$|private_key/.test(field));
}
