// Writes test/service-api/facts.json: what the service's own API says, release by release, of the paths that rollcall sends to. Each
// release has what differs from the one before it. The packages of the service's client hold it: all of them as TypeScript, later ones
// as a schema with limits too.
//   npm run service-api                  reads the packages that the file names anew
//   npm run service-api -- 2026.11.0     adds a package, and prints what differs
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** @typedef {Record<string, unknown>} Facts by a key such as `GroupRequest.name` or `GET /core/groups/ ?name` */
/** @typedef {{ package: string, facts: Facts }} Release */

const paths = new Set([
  '/admin/version/',
  '/core/applications/',
  '/core/applications/{slug}/',
  '/core/applications/{slug}/check_access/',
  '/core/groups/',
  '/core/groups/{group_uuid}/',
  '/core/users/',
  '/core/users/{id}/',
  '/core/users/me/',
  '/crypto/certificatekeypairs/',
  '/flows/instances/',
  '/outposts/instances/',
  '/outposts/instances/{uuid}/',
  '/policies/bindings/',
  '/policies/bindings/{policy_binding_uuid}/',
  '/propertymappings/all/',
  '/providers/all/',
  '/providers/oauth2/',
  '/providers/oauth2/{id}/',
  '/providers/proxy/',
  '/providers/proxy/{id}/',
  '/rbac/roles/',
  '/root/config/',
]);
/** A path that a name below it would have, if one were called so. */
const routes = /^\/core\/(?:applications|groups|users)\/\w+\/$/;
/** Records of which rollcall reads nothing, or no more than that they are there. */
const unread = /^(?:Patched|Config$|SessionUser$)/;
/** A part of a record that rollcall reads, by the record. */
const within = new Map([['User', 'groups_obj']]);
const file = new URL('../test/service-api/facts.json', import.meta.url);
/** @type {Record<string, Release>} */
const written = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};

const packages = new Map(Object.entries(written).map(([line, release]) => [line, release.package]));
const added = process.argv.slice(2);
for (const version of added) packages.set(lineOf(version), version);

/** @type {Record<string, Release>} */
const releases = {};
/** @type {Facts} */
let before = {};
for (const [line, version] of [...packages].toSorted(([a], [b]) => order(a) - order(b))) {
  const facts = factsOf(version);
  const changes = differences(before, facts);
  releases[line] = { package: version, facts: changes };
  if (added.includes(version)) console.log(`${line}\n${shown(changes)}`);
  before = facts;
}
const shownReleases = Object.entries(releases).map(([line, release]) => {
  const lines = Object.entries(release.facts).map(
    ([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  return `  ${JSON.stringify(line)}: { "package": "${release.package}", "facts": {\n${lines.join(',\n')}\n  } }`;
});
writeFileSync(file, `{\n${shownReleases.join(',\n')}\n}\n`);
spawnSync('npx', ['oxfmt', fileURLToPath(file)], { stdio: 'inherit' });

/** @param {string} version */
function lineOf(version) {
  return version.split('.').slice(0, 2).join('.');
}

/** @param {string} line */
function order(line) {
  const [year = 0, month = 0] = line.split('.').map(Number);
  return year * 100 + month;
}

/**
 * What is other or new, and null for what is gone. Limits that the earlier package could not say are no news.
 *
 * @param {Facts} earlier
 * @param {Facts} later
 */
function differences(earlier, later) {
  const keys = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  const changed = [...keys].toSorted().flatMap((key) => {
    const value = later[key] ?? null;
    return JSON.stringify(value) === JSON.stringify(earlier[key] ?? null) ? [] : [[key, value]];
  });
  return Object.fromEntries(changed);
}

/** @param {Facts} changes */
function shown(changes) {
  return Object.entries(changes)
    .map(([key, value]) => (value === null ? `  - ${key}` : `  + ${key}: ${JSON.stringify(value)}`))
    .join('\n');
}

/**
 * @param {string} version
 * @returns {Facts}
 */
function factsOf(version) {
  const folder = mkdtempSync(join(tmpdir(), 'service-api-'));
  try {
    const install = [
      'install',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--silent',
    ];
    const { status } = spawnSync('npm', [...install, `@goauthentik/api@${version}`], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`there is no package of ${version}`);
    const root = join(folder, 'node_modules/@goauthentik/api');
    const operations = operationsIn(root);
    const records = new Set(operations.flatMap(({ sends, answers }) => [sends, answers]));
    const named = [...records].flatMap((name) => name?.replace(/^Paginated(\w+)List$/, '$1') ?? []);
    const known = new Set(
      [...named, ...partsOf(root, named), 'Pagination'].filter((name) => !unread.test(name)),
    );
    const schema = join(root, 'schema.yml');
    const { components } = existsSync(schema)
      ? parse(readFileSync(schema, 'utf8'))
      : { components: undefined };
    return Object.fromEntries([
      ...operations.flatMap(({ name, sends, answers, query }) => [
        [name, { ...(sends && { sends }), ...(answers && { answers }) }],
        ...query.map((parameter) => [`${name} ?${parameter}`, true]),
      ]),
      ...[...known].flatMap((name) => fieldsIn(root, name, components?.schemas?.[name]?.properties)),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * The operations on the paths above, with what they send and answer, and the parameters that they know.
 *
 * @param {string} root
 */
function operationsIn(root) {
  const apis = [
    'Admin',
    'Core',
    'Crypto',
    'Flows',
    'Outposts',
    'Policies',
    'Propertymappings',
    'Providers',
    'Rbac',
    'Root',
  ];
  const texts = apis.map((api) => readFileSync(join(root, `src/apis/${api}Api.ts`), 'utf8'));
  // Later packages make the options of a request in a function of its own, before the one that reads the answer.
  return texts
    .flatMap((text) => text.split(/(?=\basync \w+(?:RequestOpts|Raw)\()/))
    .flatMap((text, index, all) => {
      const path = /(?:path: |urlPath = )[`'"]([^`'"]+)[`'"]/.exec(text)?.[1] ?? '';
      const method = /method: ["'](\w+)["']/.exec(text)?.[1];
      if (method === undefined || method === 'PUT') return [];
      if (!paths.has(path))
        return routes.test(path)
          ? { name: `${method} ${path}`, sends: undefined, answers: undefined, query: [] }
          : [];
      const answer = `${text}${all[index + 1] ?? ''}`;
      return {
        name: `${method} ${path}`,
        sends: /body: (\w+?)ToJSON\(/.exec(text)?.[1],
        answers: /\(jsonValue\) =>\s*(\w+?)FromJSON\(/.exec(answer)?.[1],
        query: Array.from(text.matchAll(/queryParameters\["?'?(\w+)"?'?\] =/g), ([, name = '']) => name),
      };
    });
}

/**
 * The records that stand in these.
 *
 * @param {string} root
 * @param {readonly string[]} names
 */
function partsOf(root, names) {
  return names.flatMap((name) => {
    const field = within.get(name);
    if (field === undefined) return [];
    const [, part] = fieldsIn(root, name).find(([key]) => key === `${name}.${field}`) ?? [];
    return /** @type {{ items?: string } | undefined} */ (part)?.items ?? [];
  });
}

/**
 * The fields of a record, and their limits where the schema of that release says them.
 *
 * @param {string} root
 * @param {string} name
 * @param {Record<string, any>} [properties]
 * @returns {[string, unknown][]}
 */
function fieldsIn(root, name, properties = {}) {
  const text = readFileSync(join(root, `src/models/${name}.ts`), 'utf8');
  const body = new RegExp(`export interface ${name} \\{([^]*?)\n\\}`).exec(text)?.[1] ?? '';
  const snake = new Map(
    Array.from(text.matchAll(/["'](\w+)["']:.*?json\[["'](\w+)["']\]/g), ([, camel = '', own = '']) => [
      camel,
      own,
    ]),
  );
  return Array.from(
    body.matchAll(/^ {4}(readonly )?(\w+)(\?)?: ([^;]+(?:;\s*\}[^;]*)?)/gm),
    ([, readOnly, camel = '', optional, type = '']) => {
      const own = snake.get(camel) ?? camel;
      const fact = { ...typed(root, type.trim()), ...(readOnly && { readOnly: true }) };
      const required = optional === undefined && readOnly === undefined && { required: true };
      return /** @type {[string, unknown]} */ ([
        `${name}.${own}`,
        { ...fact, ...required, ...limitsOf(properties[own]) },
      ]);
    },
  );
}

/** @param {any} property */
function limitsOf(property) {
  const limits = ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'format'];
  const found = limits.flatMap((limit) =>
    property?.[limit] === undefined ? [] : [[limit, property[limit]]],
  );
  return found.length === 0 ? {} : { limits: Object.fromEntries(found) };
}

/**
 * @param {string} root
 * @param {string} type as TypeScript writes it
 * @returns {Record<string, unknown>}
 */
function typed(root, type) {
  const nullable = type.endsWith('| null') && { nullable: true };
  const plain = type.replace(/\s*\| null$/, '');
  const items = /^Array<(.+)>$/.exec(plain)?.[1];
  if (items !== undefined) return { type: 'list', items, ...nullable };
  if (plain.startsWith('{')) return { type: 'mapping', ...nullable };
  if (/^(?:string|number|boolean|Date|any)$/.test(plain)) return { type: plain, ...nullable };
  const model = readFileSync(join(root, `src/models/${plain}.ts`), 'utf8');
  const values = Array.from(model.matchAll(/^ {4}\w+: '([^']*)'[,\n]/gm), ([, value = '']) => value);
  // The client's own word for what it does not know.
  const own = values.filter((value) => value !== '11184809');
  return own.length > 0
    ? { type: 'enum', values: own, ...nullable }
    : { type: 'record', of: plain, ...nullable };
}
