import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';
import { memoizePerText, once } from '../base/memoize.ts';
import { packageFile, packageFiles } from '../base/package-file.ts';
import { knownReleases } from './release.ts';

/** What a value of the service has to be, in the words of its schema. Without a type it may be any JSON. */
export interface ValueFacts {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly format?: string;
  readonly enum?: readonly (string | number)[];
  readonly nullable?: true;
  readonly default?: JsonValue;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly items?: ValueFacts;
  /** Of a record within a record. */
  readonly fields?: Readonly<Record<string, FieldFacts>>;
  /** Of a record, or a list of records, that is only shown: the service's name for it. */
  readonly of?: string;
}

export interface FieldFacts extends ValueFacts {
  readonly required?: true;
  readonly readOnly?: true;
  readonly writeOnly?: true;
}

/** What the service's own API says of the records of one path. `npm run service-api` writes it. */
export interface TypeFacts {
  readonly can: readonly ('list' | 'read' | 'create' | 'change' | 'delete')[];
  /** What stands in the path of a record. */
  readonly id?: ValueFacts & { readonly name: string };
  /** After which its permissions are named: `authentik_core.group`. */
  readonly model?: string;
  readonly filters: Readonly<Record<string, ValueFacts>>;
  /** What else can be asked or done, with the names of its parameters: `GET {}/used_by/` of a record, `GET types/` of all. */
  readonly actions: Readonly<Record<string, readonly string[]>>;
  readonly fields: Readonly<Record<string, FieldFacts>>;
}

const paths = once(() => new Set(packageFiles('src/kinds/facts').map((name) => pathOf(name))));

/** Whether any release has records at a path such as `/core/groups/`. */
export function hasFacts(path: string): boolean {
  return paths().has(path);
}

function pathOf(name: string): string {
  return `/${name.replace(/\.json$/, '').replaceAll('.', '/')}/`;
}

/** What a line of releases says of the records of a path such as `/core/groups/`; nothing where it has no such path. */
export function factsOf(release: string, path: string): TypeFacts | undefined {
  return factsByRelease(path).get(release);
}

/** The same for each line that has the path, the oldest first. The file of a path is read when it is first asked for. */
export const factsByRelease: (path: string) => ReadonlyMap<string, TypeFacts> = memoizePerText((path) => {
  const name = path.slice(1, -1).replaceAll('/', '.');
  const text = packageFile(`src/kinds/facts/${name}.json`);
  const changes = JSON.parse(text) as Record<string, JsonValue>; // what the script writes
  const found = new Map<string, TypeFacts>();
  let facts: JsonValue = null;
  for (const { line } of knownReleases) {
    const change = changes[line];
    if (change !== undefined) facts = changed(facts, change);
    if (facts !== null) found.set(line, facts as unknown as TypeFacts); // what the script writes
  }
  return found;
});

/** A value with what a later release changes of it: null takes a key away, `+` and `-` are what a list of values gains and loses. */
export function changed(value: JsonValue, change: JsonValue): JsonValue {
  if (!isJsonObject(change)) return change;
  const { '+': added = null, '-': dropped = null } = change;
  if (isJsonList(value) && isJsonList(added) && isJsonList(dropped)) {
    return [...value.filter((one) => !dropped.includes(one)), ...added];
  }
  const kept = isJsonObject(value) ? { ...value } : {};
  for (const [key, inner] of Object.entries(change)) {
    if (inner === null) delete kept[key];
    else kept[key] = changed(kept[key] ?? null, inner);
  }
  return kept;
}
