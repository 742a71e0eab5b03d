import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';
import { memoizePerText, lazy } from '../base/memoize.ts';
import { packageFileText, packageFiles } from '../base/package-file.ts';
import { knownReleases } from './release.ts';

/** What the service's API schema states about a value. A value without a type can be any JSON. */
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
  readonly fields?: Readonly<Record<string, FieldFacts>>;
  readonly of?: string;
}

export interface FieldFacts extends ValueFacts {
  readonly required?: true;
  readonly readOnly?: true;
  readonly writeOnly?: true;
}

/** What the API schema states about one path. Written by `npm run service-api`. */
export interface TypeFacts {
  readonly can: readonly ('list' | 'read' | 'create' | 'change' | 'delete')[];
  /** The id that appears in the path of a record. */
  readonly id?: ValueFacts & { readonly name: string };
  readonly model?: string;
  readonly filters: Readonly<Record<string, ValueFacts>>;
  /** Further operations with their parameters: `GET {}/used_by/` below a record, `GET types/` below the list. */
  readonly actions: Readonly<Record<string, readonly string[]>>;
  readonly fields: Readonly<Record<string, FieldFacts>>;
}

const paths = lazy(() => new Set(packageFiles('src/kinds/facts').map((name) => pathOf(name))));

/** `path` is relative to the API root: `/core/groups/`. */
export function hasFacts(path: string): boolean {
  return paths().has(path);
}

function pathOf(name: string): string {
  return `/${name.replace(/\.json$/, '').replaceAll('.', '/')}/`;
}

/** Returns undefined if no release of this line has the path. */
export function factsOf(release: string, path: string): TypeFacts | undefined {
  return factsByRelease(path).get(release);
}

/** What the API schemas state about a path, for each release line that has the path, oldest release first. The file is read on first use. */
export const factsByRelease: (path: string) => ReadonlyMap<string, TypeFacts> = memoizePerText((path) => {
  const name = path.slice(1, -1).replaceAll('/', '.');
  const text = packageFileText(`src/kinds/facts/${name}.json`);
  const changes = JSON.parse(text) as Record<string, JsonValue>; // scripts/service-api writes this form
  const factsByLine = new Map<string, TypeFacts>();
  let facts: JsonValue = null;
  for (const { line } of knownReleases) {
    const change = changes[line];
    if (change !== undefined) facts = applyChange(facts, change);
    if (facts !== null) factsByLine.set(line, facts as unknown as TypeFacts); // scripts/service-api writes this form
  }
  return factsByLine;
});

/** Applies a recorded change to the value of an earlier release: null removes a key, `+` and `-` add and remove items of a list. */
export function applyChange(value: JsonValue, change: JsonValue): JsonValue {
  if (!isJsonObject(change)) return change;
  const { '+': added = null, '-': dropped = null } = change;
  if (isJsonList(value) && isJsonList(added) && isJsonList(dropped))
    return [...value.filter((one) => !dropped.includes(one)), ...added];
  const kept = isJsonObject(value) ? { ...value } : {};
  for (const [key, inner] of Object.entries(change)) {
    if (inner === null) delete kept[key];
    else kept[key] = applyChange(kept[key] ?? null, inner);
  }
  return kept;
}

/** The facts of the newest API schema, and since when they hold. */
export interface NewestFacts extends Pick<TypeFacts, 'id' | 'model'> {
  /** The first release that has the path, or undefined if the oldest known release has it. */
  readonly since?: string;
  /** The filters for the identifying field that exist in all releases. */
  readonly filters?: readonly string[];
  readonly fields: Readonly<Record<string, NewestField>>;
}

export interface NewestField extends FieldFacts {
  /** The first release that has the field, or undefined if the oldest known release has it. */
  readonly since?: string;
  /** The former maximum length, and the first release that allows more. */
  readonly shorter?: { readonly before: string; readonly maxLength: number };
  /** Values that were added later, each with the first release that accepts it. */
  readonly later?: Readonly<Record<string, string>>;
}

const newest = lazy(() => packageFileText('src/kinds/facts/newest.json'));

/** The file has one line for each path, so that only the facts that a run needs are parsed. */
export const newestFacts: (path: string) => NewestFacts = memoizePerText((path) => {
  const key = `\n"${path}": `;
  const at = newest().indexOf(key);
  if (at === -1) throw new Error(`there are no facts of ${path}`);
  const line = newest().slice(at + key.length, newest().indexOf('\n', at + 1));
  return JSON.parse(line.replace(/,$/, '')) as NewestFacts; // scripts/service-api writes this form
});
