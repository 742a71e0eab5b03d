// Writes src/kinds/facts/: what the service's own API says of its types, release by release. `schema.yml` has it, in the npm package
// @goauthentik/api from 2025.10 on and in the Go module goauthentik.io/api/v3 before. None of its text is kept.
//   npm run service-api                       writes all files anew, from what they hold
//   npm run service-api -- 2026.11.0          fetches the schema of a release; `git diff` shows what it brings
//   npm run service-api -- v3.2023102.1       fetches this version of the Go module
//   npm run service-api -- ./schema.yml       reads a file
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { factsByRelease } from '../dist/kinds/facts.js';
import { byOrder, fetched } from './fetch-schema.js';
import { readSchema } from './read-schema.js';
import { differenceOf, sorted } from './facts-difference.js';

/** @typedef {import('../src/kinds/facts.ts').TypeFacts} TypeFacts */

const folder = fileURLToPath(new URL('../src/kinds/facts', import.meta.url));

/** The fields within which a name counts, which narrow a list as well. */
const scopes = ['app', 'provider', 'connector'];

/** The filters by which one record is found. */
const naturalKeys = ['slug', 'identifier', 'username', 'domain', 'name'].flatMap((key) => [
  key,
  `${key}__iexact`,
]);

/** @type {Map<string, ReadonlyMap<string, TypeFacts>>} by release and path */
const releases = readWritten();
for (const wanted of process.argv.slice(2)) {
  const schema = parse(wanted.endsWith('.yml') ? readFileSync(wanted, 'utf8') : fetched(wanted));
  const { release, types } = readSchema(schema);
  releases.set(release, types);
  console.log(`${release}: ${types.size} types. What it brings: git diff src/kinds/facts`);
}
write();

/** All that was written, each release in full. */
function readWritten() {
  /** @type {Map<string, Map<string, TypeFacts>>} */
  const found = new Map();
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json') && one !== 'releases.json')) {
    const path = `/${name.replace('.json', '').replaceAll('.', '/')}/`;
    for (const [line, facts] of factsByRelease(path)) {
      const types = found.get(line) ?? new Map();
      found.set(line, types.set(path, facts));
    }
  }
  return found;
}

function write() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const lines = [...releases.keys()].toSorted(byOrder);
  writeFileSync(join(folder, 'releases.json'), `${JSON.stringify(lines)}\n`);
  const paths = new Set([...releases.values()].flatMap((types) => [...types.keys()]));
  for (const path of [...paths].toSorted()) {
    let before = null;
    const changes = [];
    for (const line of lines) {
      const facts = releases.get(line)?.get(path) ?? null;
      const difference = differenceOf(before, facts);
      if (difference !== undefined) changes.push(`${JSON.stringify(line)}: ${written(difference)}`);
      before = facts;
    }
    const name = path.slice(1, -1).replaceAll('/', '.');
    writeFileSync(join(folder, `${name}.json`), `{\n${changes.join(',\n')}\n}\n`);
  }
  const rows = [...paths].toSorted().flatMap((path) => {
    const newest = newestOf(path, lines);
    return newest === undefined
      ? []
      : `  '${path}': '${JSON.stringify(sorted(newest)).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}',`;
  });
  const type = 'Readonly<Record<string, string | undefined>>';
  writeFileSync(
    join(folder, 'newest.ts'),
    `// Made by \`npm run service-api\`, of the files beside it.\nexport const newest: ${type} = {\n${rows.join('\n')}\n};\n`,
  );
}

/**
 * What rows of kinds ask of the newest release: with the first release that has a field, where the type was there before it, and the
 * filters by a natural key that every release has.
 *
 * @param {string} path
 * @param {readonly string[]} lines
 */
function newestOf(path, lines) {
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

/**
 * The length that the newest release takes no longer as the longest, and the release before which all others did.
 *
 * @param {readonly string[]} lines
 * @param {(line: string) => import('../src/kinds/facts.ts').FieldFacts | undefined} fieldIn
 */
function shorterBefore(lines, fieldIn) {
  const longest = fieldIn(lines.at(-1) ?? '')?.maxLength ?? Infinity;
  const last = lines.findLastIndex((line) => (fieldIn(line)?.maxLength ?? Infinity) < longest);
  return last === -1
    ? undefined
    : { before: lines[last + 1], maxLength: fieldIn(lines[last] ?? '')?.maxLength };
}

/**
 * The values that the newest release takes and the first that had the field did not, each with the first release that does.
 *
 * @param {readonly string[]} lines
 * @param {(line: string) => import('../src/kinds/facts.ts').FieldFacts | undefined} fieldIn
 */
function laterValues(lines, fieldIn) {
  const valuesIn = (/** @type {string} */ line) => (fieldIn(line)?.items ?? fieldIn(line))?.enum?.map(String);
  const those = lines.filter((line) => valuesIn(line));
  const firstOf = (/** @type {string} */ value) => those.find((line) => valuesIn(line)?.includes(value));
  const all = valuesIn(lines.at(-1) ?? '') ?? [];
  const later = all.flatMap((value) => (firstOf(value) === those[0] ? [] : [[value, firstOf(value)]]));
  return later.length > 0 ? Object.fromEntries(later) : undefined;
}

/**
 * With a line for each field.
 *
 * @param {any} difference
 */
function written(difference) {
  if (difference === null) return 'null';
  const { fields = {}, ...rest } = sorted(difference);
  const rows = Object.entries(fields).map(
    ([name, fact]) => `    ${JSON.stringify(name)}: ${JSON.stringify(fact)}`,
  );
  const parts = Object.entries(rest).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  if (rows.length > 0) parts.push(`"fields": {\n${rows.join(',\n')}\n  }`);
  return `{\n  ${parts.join(',\n  ')}\n}`;
}
