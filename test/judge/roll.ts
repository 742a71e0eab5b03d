/**
 * Random manifests, and runs with them against the model of the service. A seed decides the existing records, the declaration,
 * the permissions and the faults.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as rollcall from '../../dist/index.js';
import { chance, listOf, pick, recordOf, textOf, type Fields, type Json } from './json.ts';
import { declarableKinds, kinds, refersTo, valueOf, type Kind, type Line } from './kinds.ts';
import { allOf, recordsNamed, Service, modelRecord } from './service.ts';
import type { Entry, State, ModelRecord, World } from './service.ts';

export const token = 'tkn-5f0c1d7e9ab24860b7d3';
export const secret = 'sec-c4a17bd0e2f94d53a86e';
export type Declared = {
  type: string;
  kind?: Kind;
  name: string;
  fields: Fields;
  formerly?: string;
  isAbsent?: true;
};
export type Declaration = readonly Readonly<Declared>[];
type Options = ReturnType<typeof optionsOf>;
/** An outcome, with the change of the plan that it belongs to. */
export interface Outcome extends rollcall.OutcomeDocument {
  readonly change: rollcall.PlanDocument['resource_changes'][number];
}
export interface Report {
  readonly run: number;
  readonly isFaulty: boolean;
  readonly ended: 'invalid' | 'failed' | 'complete' | 'incomplete' | 'interrupted' | 'thrown';
  readonly codes: readonly string[];
  readonly outcomes: readonly Outcome[];
  /** All output of the run. */
  readonly text: string;
}
export interface History {
  readonly world: World;
  readonly options: Options;
  readonly roll: Declaration;
  readonly log: readonly Entry[];
  readonly reports: readonly Report[];
}
type At = (...of: readonly (string | number)[]) => number;

const six = [0, 1, 2, 3, 4, 5] as const;
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** The initial records of the service. */
function startOf(at: At, line: Line, some: readonly Kind[]): State {
  const groups = six.flatMap((n) =>
    at('g', n) < 0.5 ? [modelRecord('group', uuid(10 + n), { name: `g${n}` })] : [],
  );
  const admins = modelRecord('group', uuid(1), { name: 'admins', is_superuser: true });
  const robot = modelRecord('user', '1', { username: 'robot', name: 'Robot', groups: [admins.pk] });
  const all: ModelRecord[] = [robot, admins, ...groups];
  const put = (path: string, pk: string, name: string, given: Fields = {}): void => {
    const kind = kinds[line].get(path);
    if (kind) all.push(modelRecord(kind.type, pk, { ...given, [kind.identity]: name }, kind));
  };
  for (const n of six) put('/providers/saml/', String(n + 10), `p${n}`);
  for (const n of six.slice(0, 3)) {
    put('/flows/instances/', uuid(200 + n), `f${n}`);
    put('/crypto/certificatekeypairs/', uuid(210 + n), `c${n}`);
  }
  for (const n of six) {
    const kind = some[n];
    if (!kind || at('k', n) >= 0.5) continue;
    const number = kind.type === 'providers' ? String(40 + n) : uuid(300 + n);
    const state: State = new Map(all.map((one) => [one.pk, one]));
    const given = fieldsOf(
      kind,
      line,
      (...of) => at('kf', n, ...of),
      (type) => allOf(state, type).map(({ name }) => name),
    );
    put(kind.path, number, `k${n}`, withIds(state, kind, given));
  }
  for (let n = 0; n < (at('crowd') < 0.15 ? 16 : 6); n++) {
    const own = groups.filter((_, index) => at('ug', n, index) < 0.4).map(({ pk }) => pk);
    const given = { username: `u${n}`, name: `User ${n}`, groups: own, is_active: at('ua', n) < 0.9 };
    if (at('u', n) < 0.5) all.push(modelRecord('user', String(20 + n), given));
  }
  for (const n of six.filter((each) => at('a', each) < 0.5)) {
    const target = uuid(100 + n);
    const provider = at('ap', n) < 0.5 ? 10 + n : null;
    all.push(modelRecord('application', target, { slug: `a${n}`, name: `App ${n}`, provider }));
    for (const [order, { pk: group }] of groups.entries()) {
      const how = at('ab', n, order);
      for (const twice of how < 0.1 ? [0, 1000] : how < 0.4 ? [0] : [])
        all.push(modelRecord('binding', uuid(1000 + n * 20 + order + twice), { target, group, order }));
    }
  }
  return new Map(all.map((one) => [one.pk, one]));
}

/** Whether an entry has the fields that a create requires: a plan refuses a new record without them. */
function isWhole({ identity, fields }: Kind, entry: Fields = {}): boolean {
  return Object.entries(fields).every(
    ([name, of]) => name === identity || of['required'] !== true || name in entry,
  );
}

/** The fields of each kind whose random values rollcall accepts offline. A refused manifest could not be judged. */
async function usableIn(line: Line): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const folder = await mkdtemp(join(tmpdir(), 'judge-'));
  const [file, config] = [join(folder, 'kinds.yaml'), join(folder, 'rollcall.yaml')];
  const release = line === 'old' ? '2023.10' : '2026.2';
  await writeFile(config, JSON.stringify({ version: 1, release }));
  const found = new Map<string, Set<string>>();
  const entriesAt = async (
    kind: Kind,
    fields: readonly string[],
    also: readonly string[],
  ): Promise<string[]> => {
    const entries = fields.map((field, n) => {
      const isIn = (name: string, of: Fields): boolean =>
        [field, ...also].includes(name) || of['required'] === true;
      return entryOf({
        type: '',
        kind,
        name: `k${n}`,
        fields: someFieldsOf(
          kind,
          isIn,
          () => 0.3,
          () => ['x'],
        ),
      });
    });
    // Each entry gets its own line, so that the line of a diagnostic tells the entry.
    await writeFile(
      file,
      `{"version":1,"${kind.list}":[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}]}`,
    );
    const { diagnostics } = await rollcall.validate([file], { env: { JUDGE_SECRET: secret }, config });
    const bad = new Set(
      diagnostics.flatMap(({ severity, range }) => (severity === 'error' ? (range?.start.line ?? 0) : [])),
    );
    return fields.filter(
      (field, n) =>
        !bad.has(n + 2) && isWhole(kind, entries[n]) && (field === '' || field in (entries[n] ?? {})),
    );
  };
  for (const kind of declarableKinds[line]) {
    const all = ['', ...Object.keys(kind.fields).filter((field) => field !== kind.identity)];
    let usableFields = await entriesAt(kind, all, []);
    // A field that is optional itself, but required by another field, is always declared.
    const [needed] = usableFields.includes('') ? [] : usableFields;
    if (needed !== undefined) usableFields = [...(await entriesAt(kind, all, [needed])), `+${needed}`];
    found.set(kind.path, new Set(usableFields));
  }
  await rm(folder, { recursive: true });
  return found;
}
export const usable = { old: await usableIn('old'), now: await usableIn('now') };

function someFieldsOf(
  kind: Kind,
  isIn: (name: string, of: Fields) => boolean,
  at: At,
  some: (type: string) => readonly string[],
): Fields {
  return Object.fromEntries(
    Object.entries(kind.fields).flatMap(([name, of]) => {
      const value = name !== kind.identity && isIn(name, of) ? valueOf(name, of, at, some) : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
function fieldsOf(kind: Kind, line: Line, at: At, some: (type: string) => readonly string[]): Fields {
  const own = usable[line].get(kind.path) ?? new Set();
  const isIn = (name: string, of: Fields): boolean =>
    of['required'] === true || own.has(`+${name}`) || (own.has(name) && at('in', name) < 0.5);
  return someFieldsOf(kind, isIn, at, some);
}

/** Replaces names by ids. */
function withIds(state: State, kind: Kind, fields: Fields): Fields {
  const idOf = (field: string, of: Fields, value: Json): Json => {
    const to = refersTo(field, of);
    const { slug = null, name = slug } = recordOf(value);
    const [found] = to === undefined ? [] : recordsNamed(state, to, textOf(name));
    return found ? (to === 'providers' || to === 'user' ? Number(found.pk) : found.pk) : value;
  };
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => {
      const of = kind.fields[field] ?? {};
      const held = value === '${env:JUDGE_SECRET}' ? `held-${secret}` : value;
      return [
        field,
        Array.isArray(held) ? listOf(held).map((one) => idOf(field, of, one)) : idOf(field, of, held),
      ];
    }),
  );
}

/** At most six kinds without hand-written models, for one world. */
function someKinds(seed: number, line: Line): Kind[] {
  const all = declarableKinds[line].filter(({ path }) => usable[line].get(path)?.has(''));
  return six.flatMap((n) => pick(all, chance(seed, 'kind', n)) ?? []);
}

function worldOf(seed: number): World {
  const at: At = (...of) => chance(seed, 'world', ...of);
  const isSuperuser = at('super') < 0.5;
  const line: Line = at('old') < 0.5 ? 'old' : 'now';
  const made = someKinds(seed, line);
  const rights: Record<string, 'some' | 'none'> = {};
  for (const verb of isSuperuser || at('weak') < 0.4 ? [] : ['view', 'add', 'change', 'delete']) {
    for (const type of [
      'application',
      'user',
      'group',
      'binding',
      'providers',
      ...new Set(made.map((kind) => kind.type)),
    ])
      if (at(verb, type) < 0.12)
        rights[`${verb}_${type}`] = verb === 'view' && at('some', type) < 0.7 ? 'some' : 'none';
  }
  const pageSize = pick([3, 5, 20, 100], at('page')) ?? 20;
  const faults = pick([0, 0.04, 0.1, 0.25], at('faults')) ?? 0;
  const [old, others] = [line === 'old', at('others') < 0.3 ? 2 : 0];
  return {
    seed,
    old,
    isSuperuser,
    rights,
    pageSize,
    faults,
    others,
    kinds: kinds[line],
    start: startOf(at, line, made),
  };
}

function optionsOf(seed: number) {
  const at: At = (...of) => chance(seed, 'options', ...of);
  const contractOnly = at('contract') < 0.08;
  const isOn = (what: string): boolean => at('both') < 0.6 || at(what) < 0.5;
  const capabilities = ['update', 'delete'].filter((what) => !contractOnly && isOn(`c${what}`));
  // A random flow may be the login flow of a random brand.
  const allow = [...capabilities.filter((what) => isOn(`a${what}`)), 'way-in', 'lockout'];
  const concurrency = pick([1, 2, 4, 16], at('many')) ?? 1;
  const [failFast, keepGoing] = [at('fast') < 0.1, at('keep') < 0.2];
  const stopAt = at('stop') < 0.15 ? Math.ceil(at('when') * 60) : 0;
  return { capabilities, allow, contractOnly, failFast, keepGoing, concurrency, stopAt };
}

/** The declaration of a seed. Records to be renamed exist, and nothing refers to records that are to be absent. */
function rollOf(seed: number, { contractOnly }: Options, { start, old }: World): Declaration {
  const at: At = (...of) => chance(seed, 'roll', ...of);
  const all: Declared[] = [];
  const add = (type: string, n: number, fields: Fields, kind?: Kind): string | undefined => {
    const name = `${kind ? 'k' : type[0]}${n}`;
    if (kind && !isWhole(kind, fields)) return undefined;
    const { absent, renamed } = kind?.canBe ?? { absent: true, renamed: true };
    const isAbsent = !contractOnly && absent && at('x', name) < 0.12;
    const isThere = recordsNamed(start, type, name).length > 0 || at('none') < 0.1;
    const isRenamed = !contractOnly && renamed && isThere && at('r', name) < 0.12;
    const own = { type, fields, ...(kind && { kind }) };
    const one = isRenamed ? { ...own, name: `new-${name}`, formerly: name } : { ...own, name };
    all.push(isAbsent ? { ...own, name, fields: {}, isAbsent } : one);
    return isAbsent ? undefined : one.name;
  };
  /** The names of records to which a record may refer: they were declared before it, and are not to be absent. */
  const declared = (type: string, n: number): string[] => {
    const own = all.filter((one) => one.type === type);
    const gone = new Set(
      own.flatMap((one) => (one.isAbsent || one.formerly ? [one.formerly ?? one.name] : [])),
    );
    const there = [...allOf(start, type), ...own.filter((one) => !one.isAbsent)].map(({ name }) => name);
    const isBefore = (name: string): boolean => !/^(?:new-)?k/.test(name) || Number(name.at(-1)) < n;
    return [...new Set(there)].filter((name) => !gone.has(name) && isBefore(name));
  };
  const line: Line = old ? 'old' : 'now';
  for (const [n, kind] of contractOnly ? [] : someKinds(seed, line).entries()) {
    const fields = fieldsOf(
      kind,
      line,
      (...of) => at('kf', n, ...of),
      (type) => declared(type, n),
    );
    if (at('k', n) < 0.6) add(kind.type, n, fields, kind);
  }
  const some = (of: readonly (string | undefined)[], what: string, rate: number): Json[] =>
    of.flatMap((name) => (name !== undefined && at(what, name) < rate ? [{ name }] : []));
  const roles = declared('/rbac/roles/', 6);
  const groups = six.map((n) => {
    const own = at('gr', n) < 0.3 ? { roles: some(roles, `gr${n}`, 0.5) } : {};
    if (!contractOnly && at('g', n) < 0.6)
      return add('group', n, at('ga', n) < 0.3 ? { ...own, attributes: { team: n } } : own);
    return allOf(start, 'group').find(({ name }) => name === `g${n}`)?.name;
  });
  const users: (string | undefined)[] = [];
  for (let n = 0; n < (at('crowd') < 0.2 ? 18 : 6); n++) {
    const fields: Record<string, Json> = { name: at('un', n) < 0.7 ? `User ${n}` : `Somebody ${n}` };
    if (at('ug', n) < 0.6 && !contractOnly) fields['groups'] = some(groups, `ug${n}`, 0.4);
    if (at('us', n) < 0.2) fields['attributes'] = { key: '${env:JUDGE_SECRET}', n };
    if (at('ua', n) < 0.3) fields['is_active'] = at('uav', n) < 0.5;
    if (at('ue', n) < 0.3) fields['email'] = `u${n}@example.com`;
    if (at('u', n) < 0.6) users.push(add('user', n, fields));
  }
  for (const n of six) {
    const fields: Record<string, Json> = { name: at('an', n) < 0.7 ? `App ${n}` : `Program ${n}` };
    const provider = (of: number): Json => (contractOnly ? 10 + of : { name: `p${of}` });
    if (at('ap', n) < 0.5) fields['provider'] = provider(n);
    if (at('ab', n) < 0.2) fields['backchannel_providers'] = [provider((n + 3) % 6)];
    const access = { groups: some(groups, `ag${n}`, 0.4), users: some(users, `au${n}`, 0.15) };
    const filled = Object.fromEntries(Object.entries(access).filter(([, names]) => names.length > 0));
    const isOpen = Object.keys(filled).length === 0 || at('ae', n) < 0.12;
    if (at('aa', n) < 0.65 && !contractOnly) fields['access'] = isOpen ? 'everyone' : filled;
    if (at('a', n) < 0.6) add('application', n, fields);
  }
  return all;
}

function entryOf({ type, kind, name, fields, formerly, isAbsent }: Declaration[number]): Fields {
  const key = kind?.identity ?? { application: 'slug', user: 'username' }[type] ?? 'name';
  const sort = kind?.sort === undefined ? {} : { type: kind.sort };
  return {
    ...sort,
    ...fields,
    [key]: name,
    ...(formerly !== undefined && { formerly }),
    ...(isAbsent && { state: 'absent' }),
  };
}

/** The manifest as JSON, which is valid YAML. */
function manifestOf(roll: Declaration): string {
  const manifest: Record<string, Json> = { version: 1 };
  for (const one of roll) {
    const list = one.kind?.list ?? `${one.type}s`;
    manifest[list] = [...listOf(manifest[list]), entryOf(one)];
  }
  return JSON.stringify(manifest);
}

const formats = ['text', 'json', 'markdown', 'html', 'junit', 'github'] as const;

function endOf(ending: rollcall.Ending): Report['ended'] {
  if (ending === 'interrupted') return 'interrupted';
  return ending === 'done' ? 'complete' : 'incomplete';
}

/** Plans and applies, as the program does. */
async function runOnce(service: Service, url: string, file: string, options: Options): Promise<Report> {
  const { run, isFaulty } = service;
  const { stopAt, failFast, keepGoing, contractOnly, ...rest } = options;
  const stop = new AbortController();
  let left = isFaulty && stopAt > 0 ? stopAt : Infinity;
  service.onRequest = () => {
    if (--left === 0) stop.abort();
  };
  const env = { JUDGE_SECRET: secret, ROLLCALL_TOKEN: token };
  const how = { url, env, ...rest, contractOnly, waitSeconds: 2, timeoutSeconds: 5, signal: stop.signal };
  let text = '';
  const shown = async ({ report, ...documents }: rollcall.Result): Promise<void> => {
    text += JSON.stringify(documents);
    for (const format of formats) text += await report(format);
  };
  const none = { run, isFaulty, codes: [], outcomes: [] };
  try {
    const checked = await rollcall.validate([file], { env, contractOnly });
    await shown(checked);
    if (checked.ending === 'invalid') return { ...none, text, ended: 'invalid' };
    service.mark('plans');
    const applied = await rollcall.apply([file], { ...how, keepGoing, failFast });
    await shown(applied);
    const codes = applied.diagnostics.map(({ code }) => code);
    if (codes.includes('unexpected-error')) return { ...none, text, ended: 'thrown', codes };
    if (!applied.run) return { ...none, text, ended: 'failed', codes };
    const changes = new Map(applied.plan?.resource_changes.map((change) => [change.address, change]));
    const outcomes = applied.run.outcomes.flatMap((outcome) => {
      const change = changes.get(outcome.address);
      return change ? { ...outcome, change } : [];
    });
    return { ...none, text, ended: endOf(applied.ending), outcomes };
  } catch (error) {
    return { ...none, text: `${text} ${String(error)}`, ended: 'thrown', codes: [String(error)] };
  }
}

/** Plays all runs of a seed: one or two with faults, then three without. */
export async function play(seed: number): Promise<History> {
  const [world, options] = [worldOf(seed), optionsOf(seed)];
  const roll = rollOf(seed, options, world);
  const service = new Service(world);
  const reports: Report[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'judge-'));
  try {
    const [url, file] = [await service.open(), join(folder, 'roll.yaml')];
    await writeFile(file, manifestOf(roll));
    const bad = chance(seed, 'bad') < 0.3 ? 2 : 1;
    for (service.run = 1; service.run <= bad + 3; service.run++) {
      service.isFaulty = service.run <= bad;
      reports.push(await runOnce(service, url, file, options));
      service.mark('ended');
    }
  } finally {
    service.close();
    await rm(folder, { recursive: true, force: true });
  }
  return { world, options, roll, log: service.history, reports };
}
