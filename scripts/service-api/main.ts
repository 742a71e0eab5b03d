// Writes src/kinds/facts/: the facts in the API schemas of the service, by release. The schema is in the npm package @goauthentik/api
// from 2025.10 on, and in the Go module goauthentik.io/api/v3 before. Titles and descriptions are not kept.
//   npm run service-api                       rewrites all files from their own content
//   npm run service-api -- 2026.11.0          fetches the schema of a release; `git diff` shows the changes
//   npm run service-api -- v3.2023102.1       fetches this version of the Go module
//   npm run service-api -- ./schema.yml       reads a file
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject, type JsonValue } from '../../src/base/json.ts';
import { factsByRelease, type FieldFacts, type TypeFacts } from '../../src/kinds/facts.ts';
import { byOrder, fetched } from './fetch-schema.ts';
import { type ApiSchema, readSchema } from './read-schema.ts';
import { differenceOf, sorted } from './facts-difference.ts';

const folder = 'src/kinds/facts';

/** The fields with the parent, for names that are unique only within a parent. They are also filters. */
const scopes = ['app', 'provider', 'connector'];

/** The filters that find a record by name. */
const naturalKeys = ['slug', 'identifier', 'username', 'domain', 'name'].flatMap((key) => [
  key,
  `${key}__iexact`,
]);

/** The facts by release and path. */
const releases: Map<string, ReadonlyMap<string, TypeFacts>> = readWritten();
for (const wanted of process.argv.slice(2)) {
  const text = wanted.endsWith('.yml') ? readFileSync(wanted, 'utf8') : fetched(wanted);
  const { release, types } = readSchema(parse(text) as ApiSchema); // the service publishes it as OpenAPI
  releases.set(release, types);
  console.log(`${release}: ${types.size} types. See the changes with: git diff src/kinds/facts`);
}
write();

/** Reads the existing files. */
function readWritten(): Map<string, Map<string, TypeFacts>> {
  const found = new Map<string, Map<string, TypeFacts>>();
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json') && one !== 'releases.json')) {
    const path = `/${name.replace('.json', '').replaceAll('.', '/')}/`;
    for (const [line, facts] of factsByRelease(path)) {
      const types = found.get(line) ?? new Map<string, TypeFacts>();
      found.set(line, types.set(path, facts));
    }
  }
  return found;
}

function write(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const lines = [...releases.keys()].toSorted(byOrder);
  writeFileSync(join(folder, 'releases.json'), `${JSON.stringify(lines)}\n`);
  const paths = new Set([...releases.values()].flatMap((types) => [...types.keys()]));
  for (const path of [...paths].toSorted()) {
    let before: JsonValue = null;
    const changes = [];
    for (const line of lines) {
      const facts = asJson(releases.get(line)?.get(path) ?? null);
      const difference = differenceOf(before, facts);
      if (difference !== undefined) changes.push(`${JSON.stringify(line)}: ${written(difference)}`);
      before = facts;
    }
    const name = path.slice(1, -1).replaceAll('/', '.');
    writeFileSync(join(folder, `${name}.json`), `{\n${changes.join(',\n')}\n}\n`);
  }
  const rows = [...paths].toSorted().flatMap((path) => {
    const newest = newestOf(path, lines);
    return newest === undefined ? [] : `"${path}": ${JSON.stringify(sorted(asJson(newest)))}`;
  });
  writeFileSync(join(folder, 'newest.json'), `{\n${rows.join(',\n')}\n}\n`);
}

/** The facts that the rows of kinds use: the newest API schema, and when its fields, values and filters were added. */
function newestOf(path: string, lines: readonly string[]): object | undefined {
  const facts = releases.get(lines.at(-1) ?? '')?.get(path);
  if (facts === undefined) return undefined;
  const had = lines.filter((line) => releases.get(line)?.has(path));
  const fields = Object.entries(facts.fields).flatMap(([name, field]) => {
    if (field.readOnly) return name === 'pk' || name.endsWith('_obj') ? [[name, field]] : [];
    const first = had.find((line) => {
      const earlier = releases.get(line)?.get(path)?.fields[name];
      return earlier && !earlier.readOnly;
    });
    const shorter = shorterBefore(had, (line) => releases.get(line)?.get(path)?.fields[name]);
    const later = laterValues(had, (line) => releases.get(line)?.get(path)?.fields[name]);
    const since = first !== had[0] && { since: first };
    return [[name, { ...field, ...since, ...(shorter && { shorter }), ...(later && { later }) }]];
  });
  const filters = [...naturalKeys, ...scopes].filter((key) =>
    had.every((line) => releases.get(line)?.get(path)?.filters[key]),
  );
  return {
    ...(had[0] !== lines[0] && { since: had[0] }),
    ...(facts.id && { id: facts.id }),
    ...(facts.model && { model: facts.model }),
    ...(filters.length > 0 && { filters }),
    fields: Object.fromEntries(fields),
  };
}

function asJson(facts: object | null): JsonValue {
  return facts as JsonValue; // as read from JSON or from a schema in YAML
}

type FieldIn = (line: string) => FieldFacts | undefined;

/** The last shorter maximum length, and the first release after it. */
function shorterBefore(lines: readonly string[], fieldIn: FieldIn): object | undefined {
  const longest = fieldIn(lines.at(-1) ?? '')?.maxLength ?? Infinity;
  const last = lines.findLastIndex((line) => (fieldIn(line)?.maxLength ?? Infinity) < longest);
  return last === -1
    ? undefined
    : { before: lines[last + 1], maxLength: fieldIn(lines[last] ?? '')?.maxLength };
}

/** The values that were added later, each with the first release that accepts it. */
function laterValues(lines: readonly string[], fieldIn: FieldIn): object | undefined {
  const valuesIn = (line: string): string[] | undefined =>
    (fieldIn(line)?.items ?? fieldIn(line))?.enum?.map(String);
  const linesWithValues = lines.filter((line) => valuesIn(line));
  const firstOf = (value: string): string | undefined =>
    linesWithValues.find((line) => valuesIn(line)?.includes(value));
  const all = valuesIn(lines.at(-1) ?? '') ?? [];
  const later = all.flatMap((value) =>
    firstOf(value) === linesWithValues[0] ? [] : [[value, firstOf(value)]],
  );
  return later.length > 0 ? Object.fromEntries(later) : undefined;
}

/** JSON with a line for each field. */
function written(difference: JsonValue): string {
  if (!isJsonObject(difference)) return 'null';
  const { fields = {}, ...rest } = Object(sorted(difference));
  const rows = Object.entries(fields).map(
    ([name, fact]) => `    ${JSON.stringify(name)}: ${JSON.stringify(fact)}`,
  );
  const parts = Object.entries(rest).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  if (rows.length > 0) parts.push(`"fields": {\n${rows.join(',\n')}\n  }`);
  return `{\n  ${parts.join(',\n  ')}\n}`;
}
