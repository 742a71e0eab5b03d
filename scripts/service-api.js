// Writes src/kinds/facts/: what the service's own API says of its types, release by release. `schema.yml` has it, in the npm package
// @goauthentik/api from 2025.10 on and in the Go module goauthentik.io/api/v3 before. None of its text is kept.
//   npm run service-api                       writes all files anew, from what they hold
//   npm run service-api -- 2026.11.0          fetches the schema of a release, and prints what it brings
//   npm run service-api -- v3.2023102.1       fetches this version of the Go module
//   npm run service-api -- ./schema.yml       reads a file
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { changed, factsByRelease } from '../dist/kinds/facts.js';
import { readSchema } from './read-schema.js';

/** @typedef {import('../src/kinds/facts.ts').TypeFacts} TypeFacts */

const folder = fileURLToPath(new URL('../src/kinds/facts', import.meta.url));

/** Of so many values, the order tells nothing, and would be another in each release. */
const manyValues = 20;

/** @type {Map<string, ReadonlyMap<string, TypeFacts>>} by release and path */
const releases = readWritten();
for (const wanted of process.argv.slice(2)) {
  const schema = parse(wanted.endsWith('.yml') ? readFileSync(wanted, 'utf8') : fetched(wanted));
  const { release, types } = readSchema(schema);
  const before = [...releases.keys()].filter((line) => order(line) < order(release)).toSorted(byOrder);
  releases.set(release, types);
  console.log(newsOf(releases.get(before.at(-1) ?? '') ?? new Map(), types, release));
}
write();

/** @param {string} release */
function order(release) {
  const [year = 0, month = 0] = release.split('.').map(Number);
  return year * 100 + month;
}

/**
 * @param {string} a
 * @param {string} b
 */
function byOrder(a, b) {
  return order(a) - order(b);
}

/** @param {string} version */
function fetched(version) {
  const temporary = mkdtempSync(join(tmpdir(), 'service-api-'));
  try {
    if (version.startsWith('v') || order(version) < order('2025.10')) {
      const name = `goauthentik.io/api/v3@${version.startsWith('v') ? version : goVersion(version)}`;
      const { Dir, Error: error } = JSON.parse(run('go', ['mod', 'download', '-json', name], temporary));
      if (error) throw new Error(error);
      return readFileSync(join(Dir, 'schema.yml'), 'utf8');
    }
    const file = run('npm', ['pack', '--silent', `@goauthentik/api@${version}`], temporary).trim();
    run('tar', ['xzf', file, 'package/schema.yml'], temporary);
    return readFileSync(join(temporary, 'package/schema.yml'), 'utf8');
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/**
 * 2023.10.2 is v3.2023102.1, and 2025.8.6 is v3.2025080.6.
 *
 * @param {string} version
 */
function goVersion(version) {
  const [year, month = '', patch] = version.split('.');
  const line = `v3.${year}${month.padStart(2, '0')}`;
  return order(version) < order('2025.8') ? `${line}${patch}.1` : `${line}0.${patch}`;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  const { stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error) throw error;
  return stdout;
}

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
 * What rows of kinds ask of the newest release, with the first that has a field where the type was there before it.
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
    return [[name, { ...field, ...(first !== had[0] && { since: first }), ...(shorter && { shorter }) }]];
  });
  return {
    ...(facts.id && { id: facts.id }),
    ...(facts.model && { model: facts.model }),
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

/**
 * With all keys in their order.
 *
 * @param {any} value
 * @returns {any}
 */
function sorted(value) {
  if (!isMapping(value)) return Array.isArray(value) ? value.map(sorted) : value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/**
 * What makes a later value of an earlier one: of a mapping, the keys that differ, and null for those that are gone; of a list of
 * texts, what came and went. Nothing where they are the same.
 *
 * @param {any} earlier
 * @param {any} later
 * @returns {any}
 */
function differenceOf(earlier, later) {
  if (JSON.stringify(sorted(earlier)) === JSON.stringify(sorted(later))) return undefined;
  if (Array.isArray(earlier) && Array.isArray(later)) {
    const moved = {
      '+': later.filter((one) => !earlier.includes(one)),
      '-': earlier.filter((one) => !later.includes(one)),
    };
    const isSame = JSON.stringify(changed(earlier, moved)) === JSON.stringify(later);
    return isSame || later.length > manyValues ? moved : later;
  }
  if (!isMapping(earlier) || !isMapping(later)) return later;
  const keys = [...new Set([...Object.keys(earlier), ...Object.keys(later)])].toSorted();
  const differing = keys.flatMap((key) => {
    if (!Object.hasOwn(later, key)) return [[key, null]];
    const difference = Object.hasOwn(earlier, key) ? differenceOf(earlier[key], later[key]) : later[key];
    return difference === undefined ? [] : [[key, difference]];
  });
  return differing.length === 0 ? undefined : Object.fromEntries(differing);
}

/** @param {any} value */
function isMapping(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What is new in a release, and what is gone.
 *
 * @param {ReadonlyMap<string, TypeFacts>} before
 * @param {ReadonlyMap<string, TypeFacts>} now
 * @param {string} release
 */
function newsOf(before, now, release) {
  const news = [];
  for (const path of before.keys()) if (!now.has(path)) news.push(`- ${path}`);
  for (const [path, facts] of now) {
    const earlier = before.get(path);
    if (earlier === undefined) news.push(`+ ${path}`);
    for (const name of earlier ? Object.keys({ ...earlier.fields, ...facts.fields }) : []) {
      const [old, own] = [earlier?.fields[name], facts.fields[name]];
      if (own === undefined) news.push(`- ${path} ${name}`);
      else if (old === undefined) news.push(`+ ${path} ${name}: ${JSON.stringify(own)}`);
      else if (differenceOf(old, own) !== undefined)
        news.push(`~ ${path} ${name}: ${JSON.stringify(differenceOf(old, own))}`);
    }
  }
  return `${release}: ${now.size} types\n${news.map((line) => `  ${line}\n`).join('')}`;
}
