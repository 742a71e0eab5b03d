import { readFileSync } from 'node:fs';
import { isJsonList, isJsonObject, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { isBound } from '../../src/kinds/access.ts';
import { allKinds, kinds, type ResourceType } from '../../src/kinds/all.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { isIn, readRelease, type Release } from '../../src/kinds/release.ts';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { leastEntry, writtenType } from '../support/written-type.ts';
import type { Fact, Facts, Limits } from './facts.ts';
import { askedBy, everyRequest, pathIn } from './requests.ts';

/** A line of releases, what its API says, and where rollcall says something else of it. */
interface Comparison {
  readonly line: string;
  readonly release: Release;
  readonly facts: Facts;
}

/** Where rollcall says something else of a release than its API does: sentences that name what to write. */
export async function differences(line: string, facts: Facts): Promise<string[]> {
  const release = readRelease(line);
  if (release === undefined) throw new Error(`${line} is no release`);
  const comparison = { line, release, facts };
  const limits = await Promise.all(kinds.map((kind) => ofLimits(kind, comparison)));
  const routes = await Promise.all(kinds.map((kind) => ofRoutes(kind, comparison)));
  return [
    ...kinds.flatMap((kind) => ofFields(kind, comparison)),
    ...limits.flat(),
    ...routes.flat(),
    ...new Set(ofRequests(comparison)),
    ...kinds.flatMap((kind) => ofBindings(kind, comparison)),
  ];
}

function recordsOf(kind: Kind, facts: Facts): { readonly request: string; readonly record: string } {
  const { sends = '', answers = '' } = facts.get(`POST ${pathIn(facts, kind.path)}`) ?? {};
  return { request: sends, record: answers };
}

function declaredFields(kind: Kind): string[] {
  return Object.keys(kind.fields).filter(
    (field) => !kind.fields[field]?.isInstruction && !isBound(kind, field),
  );
}

/** Which fields there are, what they hold, and what has to be there. */
function ofFields(kind: Kind<ResourceType>, { line, release, facts }: Comparison): string[] {
  const { request, record } = recordsOf(kind, facts);
  const rows = `src/kinds/${writtenType(kind)}.ts`;
  const found: string[] = [];
  const says = (field: string, problem: string, row: string): void => {
    found.push(`${line}: ${kind.type}.${field} ${problem}. ${row}`);
  };
  for (const key of facts.keys()) {
    const [owner, field = ''] = key.split('.');
    if (owner !== request || Object.hasOwn(kind.fields, field)) continue;
    const isFormer = Object.values(kind.fields).some(({ formerly }) => formerly === field);
    if (!isFormer && !Object.hasOwn(kind.notDeclarable ?? {}, field))
      says(
        field,
        'can be sent, and rollcall has no such field',
        `Write its row, with since: '${line}', into ${rows} and the schema of manifests, or say in notDeclarable why there is none.`,
      );
  }
  for (const field of declaredFields(kind)) {
    const { since, formerly = field, form } = kind.fields[field] ?? {};
    const fact = facts.get(`${request}.${field}`) ?? facts.get(`${request}.${formerly}`);
    const isExpected = since === undefined || isIn({ from: since }, release) !== false;
    if ((fact !== undefined) !== isExpected) {
      says(
        field,
        fact ? `can be sent, and its since is ${since}` : 'cannot be sent',
        `Correct since of its row in ${rows}.`,
      );
      continue;
    }
    if (fact === undefined) continue;
    const shown = facts.get(`${record}.${field}`) ?? facts.get(`${record}.${formerly}`);
    if (shown === undefined)
      says(field, 'is not in the record', 'Nothing can be compared: say so in its row.');
    else if (shown.readOnly) says(field, 'is read only', `Correct since of its row in ${rows}.`);
    const isAsNow = facts.has(`${request}.${field}`) && !(form && fact.type === 'string');
    for (const problem of isAsNow ? typeProblems(kind, field, fact, release) : [])
      says(field, problem, 'Correct it in schemas/manifest.schema.json.');
    if (fact.required && !isDemanded(kind, field))
      says(field, 'is required', `Require it in the schema of manifests, or write ifMissing into ${rows}.`);
    if (!fact.required && required(kind).includes(field))
      says(field, 'is not required', 'The schema of manifests requires it.');
  }
  return found;
}

const schema: JsonObject = readSchema();

function readSchema(): JsonObject {
  const text = readFileSync(new URL('../../schemas/manifest.schema.json', import.meta.url), 'utf8');
  return JSON.parse(text) as JsonObject; // it begins as one
}

function inside(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (found, step) => (isJsonObject(found ?? null) ? (found as JsonObject)[step] : undefined), // just asked
    value,
  );
}

/** The schema of a field, without the reference that may stand in its place. */
function propertyOf(kind: Kind, field: string): JsonValue | undefined {
  const property = inside(schema, 'definitions', writtenType(kind), 'properties', field);
  const choices = inside(property, 'anyOf') ?? null;
  return isJsonList(choices) ? choices[0] : property;
}

function required(kind: Kind): readonly string[] {
  const definition = inside(schema, 'definitions', writtenType(kind));
  // Of what is to be absent, less is required.
  const names = [inside(definition, 'required') ?? null, inside(definition, 'else', 'required') ?? null];
  return names.flatMap((some) => (isJsonList(some) ? some.map((name) => textOf(name)) : []));
}

function isDemanded(kind: Kind, field: string): boolean {
  return required(kind).includes(field) || kind.fields[field]?.ifMissing !== undefined;
}

const typesInSchema = new Map([
  ['string', 'string'],
  ['enum', 'string'],
  ['Date', 'string'],
  ['number', 'integer'],
  ['boolean', 'boolean'],
  ['list', 'array'],
  ['mapping', 'object'],
]);

function typeProblems(kind: Kind, field: string, fact: Fact, release: Release): string[] {
  const property = propertyOf(kind, field);
  const given = inside(property, 'type') ?? null;
  const types = new Set((isJsonList(given) ? given : [given]).map((type) => textOf(type)));
  const { type = 'any', nullable = false, values: theirs = [] } = fact;
  const { refersTo, isHistory } = kind.fields[field] ?? {};
  const found: string[] = [];
  const isNull = types.delete('null');
  // What has happened is nothing to take back.
  if (isNull !== nullable && !isHistory) found.push(nullable ? 'can be null' : 'cannot be null');
  // A name may stand in place of an id, which makes an object of it.
  if (refersTo && type !== 'list') types.delete('object');
  const wanted = typesInSchema.get(type) ?? 'nothing that a manifest can hold';
  if (types.size !== 1 || !types.has(wanted)) found.push(`is a ${type}, and not ${[...types].join(' or ')}`);
  const choices = inside(property, 'enum') ?? null;
  const { checks = [] } = kind.fields[field] ?? {};
  const isRefused = (value: JsonValue): boolean =>
    checks.some((check) => check(value, release) !== undefined);
  const ours = isJsonList(choices)
    ? choices
        .filter((value) => theirs.includes(textOf(value)) || !isRefused(value))
        .map((value) => textOf(value))
    : [];
  if (ours.toSorted().join() !== theirs.toSorted().join())
    found.push(`is one of ${theirs.join(', ')}, and not of ${ours.join(', ')}`);
  return found;
}

/** Values that tell limits apart. */
function samples({ minLength = 0, maxLength = 300, format }: Limits): string[] {
  const texts = [
    '',
    'a',
    'a b',
    'a.b',
    'ä_-9',
    ...[50, 51, minLength, maxLength, maxLength + 1].map((length) => 'a'.repeat(length)),
  ];
  if (format === undefined) return texts;
  const domain = '@example.com';
  return format === 'email'
    ? [maxLength, maxLength + 1].map((length) => 'a'.repeat(length - domain.length) + domain)
    : [];
}

function isTaken(text: string, { minLength = 0, maxLength = Infinity, pattern = '' }: Limits): boolean {
  return text.length >= minLength && text.length <= maxLength && new RegExp(pattern).test(text);
}

/** Whether rollcall takes the texts that a release takes, and no others. */
async function ofLimits(kind: Kind<ResourceType>, { line, release, facts }: Comparison): Promise<string[]> {
  const { request } = recordsOf(kind, facts);
  const found: string[] = [];
  for (const field of declaredFields(kind)) {
    const fact = facts.get(`${request}.${field}`);
    // A secret never stands there as it is.
    if (fact?.type !== 'string' || kind.fields[field]?.isSecret) continue;
    const limits = fact.limits ?? {};
    for (const text of samples(limits)) {
      const said = await refusal(kind, { [field]: text }, release);
      if ((said === undefined) === isTaken(text, limits)) continue;
      if (said !== undefined && isKnownForMore(kind, field)) continue;
      found.push(
        `${line}: ${kind.type}.${field} ${said === undefined ? 'does not take' : 'takes'} ${JSON.stringify(text.slice(0, 20))} of ${text.length} (${JSON.stringify(limits)}), and rollcall ${said ?? 'says nothing'}. Correct the schema of manifests, or a check of its row in src/kinds/${writtenType(kind)}.ts.`,
      );
    }
  }
  return found;
}

/** Fields of which the service refuses more than its schema says: its sources and the recordings do. */
function isKnownForMore({ fields }: Kind, field: string): boolean {
  return (fields[field]?.checks ?? []).length > 0 && field !== 'slug';
}

/** What rollcall says against a value, in short; nothing where it takes it. */
async function refusal(
  kind: Kind<ResourceType>,
  fields: JsonObject,
  release: Release,
): Promise<string | undefined> {
  const manifest = { version: 1, [kind.list]: [{ ...leastEntry(kind, 'sample'), ...fields }] };
  const files = memoryFiles({ 'm.yaml': JSON.stringify(manifest) });
  const { diagnostics } = await loadManifests(['m.yaml'], { files, release });
  const refused = diagnostics.find(({ severity, code }) => severity === 'error' || code === 'likely-refused');
  return refused && `says ${refused.code}`;
}

/** A path of the API that a record of that name would have. */
async function ofRoutes(kind: Kind<ResourceType>, { line, release, facts }: Comparison): Promise<string[]> {
  const { path, answers } = { path: kind.path.replace('/api/v3', ''), answers: kind.lookUp.answers };
  if (answers !== 'record') return [];
  const names = [...facts.keys()].flatMap((key) => {
    const name = key.startsWith(`GET ${path}`) ? key.slice(`GET ${path}`.length) : '';
    return /^[^/{?\s]+\/$/.test(name) ? [name.slice(0, -1)] : [];
  });
  const said = await Promise.all(names.map((name) => refusal(kind, { [kind.identity]: name }, release)));
  return names.flatMap((name, index) =>
    said[index] === undefined
      ? [
          `${line}: the ${kind.identity} ${name} is a path of the API, and rollcall takes it. Write a check into src/kinds/${kind.type}.ts.`,
        ]
      : [],
  );
}

/** Whether bindings have the fields that rollcall sends and reads, and what the service says of them. */
function ofBindings({ access }: Kind<ResourceType>, { line, facts }: Comparison): string[] {
  if (access === undefined) return [];
  const { sends = '', answers = '' } = facts.get(`POST ${access.path.replace('/api/v3', '')}`) ?? {};
  const sent = ['target', 'order', ...access.subjects.map(({ idIn }) => idIn)];
  const read = [
    'pk',
    'target',
    'enabled',
    'negate',
    ...access.subjects.flatMap((one) => [one.idIn, one.recordIn]),
  ];
  const lacking = [
    ...sent.map((field) => `${sends}.${field}`),
    ...read.map((field) => `${answers}.${field}`),
  ].filter((field) => !facts.has(field));
  return lacking.map((field) => `${line}: there is no ${field}. Correct access in src/kinds/application.ts.`);
}

/** Whether the release has what rollcall asks of it; and where rows say that it lacks a parameter, whether it does. */
function ofRequests({ line, release, facts }: Comparison): string[] {
  const since = new Map(
    allKinds.flatMap(({ path, changes }) =>
      changes.flatMap(({ parameter, since: first }) =>
        parameter === undefined ? [] : [[`${path.replace('/api/v3', '')} ?${parameter}`, first] as const],
      ),
    ),
  );
  return everyRequest().flatMap(({ method, path }) => {
    const asked = askedBy(method, path, facts);
    if (asked === undefined) return [`${line}: there is no ${method} ${path}.`];
    const { operation, parameters } = asked;
    return parameters.flatMap((parameter) => {
      const first = since.get(`${operation.replace(/^\w+ /, '')} ?${parameter}`);
      const isExpected = first === undefined || isIn({ from: first }, release) !== false;
      const isThere = facts.has(`${operation} ?${parameter}`);
      if (isThere === isExpected) return [];
      return [
        `${line}: ${operation} ${isThere ? 'knows' : 'does not know'} ?${parameter}. Write a row with parameter: '${parameter}' and its since into changes of its kind in src/kinds/.`,
      ];
    });
  });
}
