/** Random rolls, and their runs against the model: a seed decides what is there, what is declared, what may be done, and what goes wrong. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as rollcall from '../../dist/index.js';
import { allOf, chance, listOf, named, pick, Service, thing } from './service.ts';
import type { Entry, Fields, Json, State, Thing, World } from './service.ts';

export const token = 'tkn-5f0c1d7e9ab24860b7d3';
export const secret = 'sec-c4a17bd0e2f94d53a86e';
type Entity = 'application' | 'user' | 'group';
export type Declared = { type: Entity; name: string; fields: Fields; formerly?: string; isAbsent?: true };
export type Roll = readonly Readonly<Declared>[];
type Options = ReturnType<typeof optionsOf>;
/** What became of a change of the plan. */
export interface Outcome extends rollcall.OutcomeDocument {
  readonly change: rollcall.PlanDocument['resource_changes'][number];
}
export interface Report {
  readonly run: number;
  readonly isFaulty: boolean;
  readonly ended: 'invalid' | 'failed' | 'complete' | 'incomplete' | 'thrown';
  readonly codes: readonly string[];
  readonly outcomes: readonly Outcome[];
  /** All that was printed or could be. */
  readonly text: string;
}
export interface History {
  readonly world: World;
  readonly options: Options;
  readonly roll: Roll;
  readonly log: readonly Entry[];
  readonly reports: readonly Report[];
}
type At = (...of: readonly (string | number)[]) => number;

const six = [0, 1, 2, 3, 4, 5] as const;
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** What the service holds at the beginning. */
function startOf(at: At): State {
  const groups = six.flatMap((n) =>
    at('g', n) < 0.5 ? [thing('group', uuid(10 + n), { name: `g${n}` })] : [],
  );
  const admins = thing('group', uuid(1), { name: 'admins', is_superuser: true });
  const robot = thing('user', '1', { username: 'robot', name: 'Robot', groups: [admins.pk] });
  const all: Thing[] = [robot, admins, ...groups];
  for (const n of six) all.push(thing('provider', String(n + 10), { name: `p${n}` }));
  for (let n = 0; n < (at('crowd') < 0.15 ? 16 : 6); n++) {
    const own = groups.filter((_, index) => at('ug', n, index) < 0.4).map(({ pk }) => pk);
    const given = { username: `u${n}`, name: `User ${n}`, groups: own, is_active: at('ua', n) < 0.9 };
    if (at('u', n) < 0.5) all.push(thing('user', String(20 + n), given));
  }
  for (const n of six.filter((each) => at('a', each) < 0.5)) {
    const target = uuid(100 + n);
    const provider = at('ap', n) < 0.5 ? 10 + n : null;
    all.push(thing('application', target, { slug: `a${n}`, name: `App ${n}`, provider }));
    for (const [order, { pk: group }] of groups.entries()) {
      const how = at('ab', n, order);
      for (const twice of how < 0.1 ? [0, 1000] : how < 0.4 ? [0] : [])
        all.push(thing('binding', uuid(1000 + n * 20 + order + twice), { target, group, order }));
    }
  }
  return new Map(all.map((one) => [one.pk, one]));
}

function worldOf(seed: number): World {
  const at: At = (...of) => chance(seed, 'world', ...of);
  const isSuperuser = at('super') < 0.5;
  const rights: Record<string, 'some' | 'none'> = {};
  for (const verb of isSuperuser || at('weak') < 0.4 ? [] : ['view', 'add', 'change', 'delete']) {
    for (const type of ['application', 'user', 'group', 'binding', 'provider'])
      if (at(verb, type) < 0.12)
        rights[`${verb}_${type}`] = verb === 'view' && at('some', type) < 0.7 ? 'some' : 'none';
  }
  const pageSize = pick([3, 5, 20, 100], at('page')) ?? 20;
  const faults = pick([0, 0.04, 0.1, 0.25], at('faults')) ?? 0;
  const [old, others] = [at('old') < 0.5, at('others') < 0.3 ? 2 : 0];
  return { seed, old, isSuperuser, rights, pageSize, faults, others, start: startOf(at) };
}

function optionsOf(seed: number) {
  const at: At = (...of) => chance(seed, 'options', ...of);
  const contractOnly = at('contract') < 0.08;
  const isOn = (what: string): boolean => at('both') < 0.6 || at(what) < 0.5;
  const capabilities = ['update', 'delete'].filter((what) => !contractOnly && isOn(`c${what}`));
  const allow = capabilities.filter((what) => isOn(`a${what}`));
  const concurrency = pick([1, 2, 4, 16], at('many')) ?? 1;
  const [failFast, keepGoing] = [at('fast') < 0.1, at('keep') < 0.2];
  const stopAt = at('stop') < 0.15 ? Math.ceil(at('when') * 60) : 0;
  return { capabilities, allow, contractOnly, failFast, keepGoing, concurrency, stopAt };
}

/** What a seed declares. What is renamed was there; nothing that is to be absent is named. */
function rollOf(seed: number, { contractOnly }: Options, start: State): Roll {
  const at: At = (...of) => chance(seed, 'roll', ...of);
  const all: Declared[] = [];
  const add = (type: Entity, n: number, fields: Fields): string | undefined => {
    const name = `${type[0]}${n}`;
    const isAbsent = !contractOnly && at('x', name) < 0.08;
    const isThere = named(start, type, name).length > 0 || at('none') < 0.1;
    const isRenamed = !contractOnly && isThere && at('r', name) < 0.12;
    const one = isRenamed ? { type, name: `new-${name}`, fields, formerly: name } : { type, name, fields };
    all.push(isAbsent ? { type, name, fields: {}, isAbsent } : one);
    return isAbsent ? undefined : one.name;
  };
  const some = (of: readonly (string | undefined)[], what: string, rate: number): Json[] =>
    of.flatMap((name) => (name !== undefined && at(what, name) < rate ? [{ name }] : []));
  const groups = six.map((n) => {
    if (!contractOnly && at('g', n) < 0.6)
      return add('group', n, at('ga', n) < 0.3 ? { attributes: { team: n } } : {});
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

/** A roll as a manifest: JSON is YAML. */
function manifestOf(roll: Roll): string {
  const manifest: Record<string, Json> = { version: 1 };
  for (const { type, name, fields, formerly, isAbsent } of roll) {
    const key = { application: 'slug', user: 'username', group: 'name' }[type];
    const more = { ...(formerly !== undefined && { formerly }), ...(isAbsent && { state: 'absent' }) };
    manifest[`${type}s`] = [...listOf(manifest[`${type}s`]), { ...fields, [key]: name, ...more }];
  }
  return JSON.stringify(manifest);
}

const formats = ['text', 'json', 'markdown', 'html', 'junit', 'github'] as const;

/** One run of plan and apply, as a program does it. */
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
    return { ...none, text, ended: applied.ending === 'done' ? 'complete' : 'incomplete', outcomes };
  } catch (error) {
    return { ...none, text: `${text} ${String(error)}`, ended: 'thrown', codes: [String(error)] };
  }
}

/** All runs of a seed: one or two where something goes wrong, then three where nothing does. */
export async function play(seed: number): Promise<History> {
  const [world, options] = [worldOf(seed), optionsOf(seed)];
  const roll = rollOf(seed, options, world.start);
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
