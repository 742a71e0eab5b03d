import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '../../src/base/json.ts';
import { factsOf } from '../../src/kinds/facts.ts';
import { dice } from '../simulation/dice.ts';
import { addressOf } from '../simulation/identity.ts';
import { kindsManifestOf, kindsWantsOf } from '../simulation/kinds.ts';
import { secretVariables } from '../simulation/secret-variables.ts';
import { run, type Ended } from '../support/cli.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { faults, Front, noFaults, type RunFaults, type Write } from './front.ts';
import type { Command, ReportedOutcome, CommandSetting, Tool } from './tool.ts';
import {
  drawWorld,
  heldOf,
  modelOf,
  reportedAddressOf,
  versionOf,
  type Snapshot,
  type World,
} from './world.ts';

export interface Examination {
  /** The faults and other events that the runs met, such as `SIGKILL`, `another writer` and `cut after`. */
  readonly tried: readonly string[];
  readonly violations: readonly string[];
}

/** A run that takes longer is reported as hanging. */
const longestRunMs = 300_000;

/** Runs a tool on a service in a random state, first with faults and then without, and judges the tool's effects and reports. */
export async function examine(seed: number, tool: Tool): Promise<Examination> {
  const random = seededRandom(seed);
  const world = await drawWorld(random);
  const front = new Front(world.sandbox);
  const folder = await mkdtemp(join(tmpdir(), 'examine-'));
  try {
    const manifest = kindsManifestOf(world.scenario, 'first');
    await tool.declare(folder, manifest);
    const variables = secretVariables(manifest);
    const setting = { folder, url: await front.open(), token: world.token, variables };
    return await new Examiner(world, front, tool, setting).examine(random);
  } finally {
    front.close();
    await rm(folder, { recursive: true });
  }
}

class Examiner {
  readonly #world: World;
  readonly #front: Front;
  readonly #tool: Tool;
  readonly #setting: CommandSetting;
  readonly #violations = new Set<string>();
  readonly #tried = new Set<string>();
  /** The records that the service has to keep, except for their declared fields. */
  #expected: Snapshot;

  constructor(world: World, front: Front, tool: Tool, setting: CommandSetting) {
    this.#world = world;
    this.#front = front;
    this.#tool = tool;
    this.#setting = setting;
    this.#expected = world.snapshot();
  }

  async examine(random: () => number): Promise<Examination> {
    const { whole } = dice(random);
    for (let troubled = whole(0, 3); troubled > 0; troubled -= 1) await this.#troubledRun(random);
    for (let left = 3; left > 0; left -= 1) {
      const { ended } = await this.#run('apply', noFaults);
      if (this.#tool.isDone(ended)) break;
      if (left === 1)
        this.#violations.add(`it does not finish without faults:\n${ended.stdout}${ended.stderr}`);
    }
    this.#judgeReached();
    const planned = await this.#run('plan', noFaults);
    if (!this.#tool.isClean(planned.ended))
      this.#violations.add(
        `a plan has changes, although everything is as declared:\n${planned.ended.stdout}${planned.ended.stderr}`,
      );
    const again = await this.#run('apply', noFaults);
    if (again.writes.length > 0)
      this.#violations.add(
        `an apply writes, although everything is as declared: ${shownWrites(again.writes)}`,
      );
    for (const fault of this.#front.met.keys()) this.#tried.add(fault);
    return { tried: [...this.#tried], violations: [...this.#violations] };
  }

  async #troubledRun(random: () => number): Promise<void> {
    const { chance, whole, pick } = dice(random);
    const rate = pick([0, 0.05, 0.15, 0.3]);
    const killAt = chance(0.4) ? whole(1, 40) : 0;
    const signal = pick(['SIGKILL', 'SIGINT'] as const);
    const writesAt = new Set(chance(0.5) ? [whole(1, 30), whole(1, 30)] : []);
    const denied = chance(0.3)
      ? pick(this.#world.scenario.records.map((one) => modelOf(one)) as [`/${string}/`])
      : undefined;
    const deniedMethod = pick(['GET', 'POST', 'PATCH'] as const);
    const of = seededRandom(whole(0, 1e9));
    let kill: (() => void) | undefined;
    const touched = new Set<string>();
    const runFaults: RunFaults = {
      fault: () => (of() < rate ? faults[Math.floor(of() * faults.length)] : undefined),
      before: (request) => {
        if (request === killAt) kill?.();
        if (!writesAt.has(request)) return;
        const before = this.#world.snapshot();
        const address = this.#world.changeAsOther(of);
        if (address !== undefined) touched.add(address);
        const after = this.#world.snapshot();
        // A delete changes the records that refer to the deleted record.
        for (const record of this.#world.scenario.records)
          if (JSON.stringify(heldOf(before, record)) !== JSON.stringify(heldOf(after, record)))
            touched.add(addressOf(record.identity));
        this.#expect(before, after);
        this.#tried.add('another writer');
      },
      isDenied: (method, path) =>
        denied !== undefined && method === deniedMethod && path.startsWith(`/api/v3${denied}`),
    };
    if (denied) this.#tried.add(`denied ${deniedMethod}`);
    await this.#run('apply', runFaults, {
      touched,
      signal,
      isKilled: killAt > 0,
      started: (by) => (kill = by),
    });
  }

  async #run(
    what: 'plan' | 'apply',
    runFaults: RunFaults,
    more: {
      readonly touched?: ReadonlySet<string>;
      readonly signal?: NodeJS.Signals;
      readonly isKilled?: boolean;
      readonly started?: (kill: () => void) => void;
    } = {},
  ): Promise<{ readonly ended: Ended; readonly writes: readonly Write[] }> {
    const { touched = new Set(), signal = 'SIGKILL' } = more;
    const before = this.#world.snapshot();
    this.#front.begin(runFaults);
    let wasKilled = false;
    const { ended, isLate } = await toItsEnd(this.#tool[what](this.#setting), (kill) =>
      more.started?.(() => {
        wasKilled = true;
        kill(signal);
      }),
    );
    this.#front.runFaults = noFaults;
    const { writes } = this.#front;
    if (wasKilled) this.#tried.add(signal);
    if (isLate) this.#violations.add(`${what} does not end`);
    if (what === 'plan' && writes.length > 0) this.#violations.add(`a plan writes: ${shownWrites(writes)}`);
    if (/^ {4}at /m.test(ended.stderr)) this.#violations.add(`a stack trace is shown:\n${ended.stderr}`);
    if (ended.stdout.includes(this.#setting.token) || ended.stderr.includes(this.#setting.token))
      this.#violations.add('the token is shown');
    this.#judgeOthers();
    const outcomes =
      what === 'apply' && !(wasKilled && signal === 'SIGKILL') ? this.#tool.outcomes(ended) : undefined;
    if (outcomes) this.#judgeReport(outcomes, before, touched);
    return { ended, writes };
  }

  /** Accepts a change by another writer. */
  #expect(before: Snapshot, after: Snapshot): void {
    const expected = new Map(this.#expected);
    for (const key of before.keys()) if (!after.has(key)) expected.delete(key);
    for (const [key, held] of after)
      if (JSON.stringify(held) !== JSON.stringify(before.get(key))) expected.set(key, held);
    this.#expected = expected;
  }

  /** Checks that no record is duplicated, and that no undeclared record or field was changed. */
  #judgeOthers(): void {
    const now = this.#world.snapshot();
    const { records, release } = this.#world.scenario;
    const declared = new Map(records.map((record) => [`${modelOf(record)} ${record.identity.name}`, record]));
    for (const [key, before] of this.#expected) {
      const record = declared.get(`${before.path} ${before.name}`);
      const after = now.get(key);
      if (after === undefined) {
        this.#violations.add(`${key} ("${before.name}") is gone`);
        continue;
      }
      const fields = record
        ? differing(
            versionOf(this.#expected, record, before).undeclared,
            versionOf(now, record, after).undeclared,
          )
        : differing(before.record, after.record).filter(
            (field) => factsOf(release, before.path)?.fields[field]?.readOnly !== true,
          );
      // The service itself maintains lists of referring records.
      const changed = fields.filter((field) => !/_set$|^users$/.test(field));
      if (changed.length > 0)
        this.#violations.add(
          `${key} ("${before.name}") has other values of undeclared fields: ${changed.join()}`,
        );
    }
    for (const record of records) {
      const count = heldOf(now, record).length;
      if (count > Math.max(1, heldOf(this.#expected, record).length))
        this.#violations.add(`${addressOf(record.identity)} exists ${count} times`);
    }
  }

  #judgeReached(): void {
    const now = this.#world.snapshot();
    for (const record of this.#world.scenario.records) {
      const wrong = this.#wrongIn(now, addressOf(record.identity));
      if (wrong)
        this.#violations.add(
          `${addressOf(record.identity)} differs from its declaration in the end: ${wrong}`,
        );
    }
  }

  /** Checks that a report agrees with the service, except for records that another writer touched. */
  #judgeReport(outcomes: readonly ReportedOutcome[], before: Snapshot, touched: ReadonlySet<string>): void {
    const now = this.#world.snapshot();
    for (const record of this.#world.scenario.records) {
      const address = addressOf(record.identity);
      const { outcome } = outcomes.find((one) => one.address === reportedAddressOf(record)) ?? {};
      if (outcome === undefined) this.#violations.add(`${address} is not in the report`);
      if (outcome === undefined || touched.has(address)) continue;
      const [was, is] = [heldOf(before, record), heldOf(now, record)];
      const isNew = is.some(({ ids }) => !was.some((one) => one.ids[0] === ids[0]));
      const wrong = ['created', 'updated', 'unchanged'].includes(outcome) && this.#wrongIn(now, address);
      if (wrong) this.#violations.add(`${address} is reported as ${outcome}, but ${wrong}`);
      if (outcome === 'created' && !isNew)
        this.#violations.add(`${address} is reported as created, but existed before`);
      if (isNew && ['rejected', 'denied', 'not_attempted', 'updated', 'unchanged'].includes(outcome))
        this.#violations.add(`${address} is reported as ${outcome}, but was created`);
    }
  }

  #wrongIn(now: Snapshot, address: string): string | undefined {
    const record = this.#world.scenario.records.find(({ identity }) => addressOf(identity) === address);
    const [held] = record ? heldOf(now, record) : [];
    if (record === undefined || held === undefined) return 'it does not exist';
    const { fields } = versionOf(now, record, held);
    const wanted = kindsWantsOf(this.#world.scenario, 'first')[address] ?? {};
    const wrong = differing(wanted, fields).filter((field) => Object.hasOwn(wanted, field));
    return wrong.length > 0
      ? wrong.map((field) => `its ${field} is ${fields[field]} instead of ${wanted[field]}`).join(', ')
      : undefined;
  }
}

function differing(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys({ ...one, ...other }).filter(
    (field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]),
  );
}

function shownWrites(writes: readonly Write[]): string {
  return writes
    .map(({ method, path, record }) => `${method} ${path} ${textOf(record['name'] ?? null)}`)
    .join(', ');
}

/** Runs a command until it ends, or kills it at the time limit. */
async function toItsEnd(
  { program, args, env }: Command,
  started: (kill: (signal: NodeJS.Signals) => void) => void,
): Promise<{ readonly ended: Ended; readonly isLate: boolean }> {
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const ended = await run(program, args, {
    env,
    started: (child) => {
      started((signal) => child.kill(signal));
      timer = setTimeout(() => {
        isLate = true;
        child.kill('SIGKILL');
      }, longestRunMs);
    },
  });
  clearTimeout(timer);
  return { ended, isLate };
}
