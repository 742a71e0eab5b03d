import type { Files } from '../../../src/base/files.ts';
import { isJsonList, isJsonObject, parseJson } from '../../../src/base/json.ts';
import type { Transport } from '../../../src/service/transport.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { clearRuns, launch } from '../launch.ts';
import { VirtualTime } from '../virtual-time.ts';
import {
  declaredSecret,
  fieldsOfMade,
  gone,
  manifestOf,
  scenarioOf,
  type Door,
  type PlannedRun,
  type Scenario,
} from './scenario.ts';
import { DoorWorld, tokens } from './world.ts';

/** The promises about who may open an application. */
export const doorRules = {
  opened: 'At no moment somebody is let in whom neither the old nor the declared access lets in.',
  bound_once:
    'A run binds one only after a list that did not show them, and not again after an answer that may hide that it worked.',
  true: 'What is reported as created, changed or in sync is bound as declared, and has its provider.',
  secret: 'No output shows a secret that is declared, or one that the service shows.',
  silent: 'Nothing is reported of who may open it where that was not shown.',
  changed: 'Without the permission, nothing that was there is bound, taken away or changed.',
  renamed: 'What is renamed keeps its id, and is at no moment there under both names.',
  deleted: 'Nothing is deleted that is not declared as absent, and nothing by a run that may not.',
  own_type: 'What the service shows under a type that is not its own is not touched.',
  ends: 'Every run that is not killed ends, and with no exception.',
  converges:
    'A run that meets no fault ends well, and one or two of them bring all to what is declared, where they may change it.',
} as const;

export type DoorRule = keyof typeof doorRules;

/** A mistake that an engine could make, planted around the real one. */
export interface DoorBug {
  readonly breaks: DoorRule;
  /** Where to begin to look for a seed that shows it; the first ones otherwise. */
  readonly from?: number;
  readonly transport?: (network: Transport, scenario: Scenario) => Transport;
  readonly report?: (outcome: string) => string;
  readonly print?: (text: string, world: DoorWorld) => string;
}

export interface SimulatedDoors {
  readonly violations: readonly { readonly rule: DoorRule; readonly words: string }[];
  readonly story: string;
  readonly outcomes: ReadonlySet<string>;
}

const endOfTimeMs = 24 * 60 * 60 * 1000;

interface Ended {
  readonly run: string;
  readonly ending: string;
  readonly outcomes: ReadonlyMap<string, string>;
}

/** What happens under a seed to applications and to who may open them. */
export async function simulateDoors(seed: number, bug?: DoorBug): Promise<SimulatedDoors> {
  const random = seededRandom(seed ^ 0x0d00d00d);
  const scenario = scenarioOf(random);
  const time = new VirtualTime();
  const world = new DoorWorld(scenario, time, random);
  const violations: { rule: DoorRule; words: string }[] = [];
  const fail = (rule: DoorRule, words: string): void => void violations.push({ rule, words });
  const ended: Ended[] = [];
  const outcomes = new Set<string>();
  const files = memoryFiles({ 'm.yaml': manifestOf(scenario) });
  const begin = (run: PlannedRun, token: string, mayUpdate: boolean): void =>
    startRun(
      run,
      token,
      mayUpdate,
      { scenario, world, time, random, bug, files },
      (end) => {
        ended.push(end);
        for (const outcome of end.outcomes.values()) outcomes.add(outcome);
        checkReport(end, scenario, world, fail);
      },
      fail,
    );
  const was = new Map(scenario.doors.map(({ slug }) => [slug, world.boundTo(slug).toSorted().join()]));
  for (const run of scenario.runs) time.after(run.at, () => begin(run, tokens.first, scenario.mayUpdate));
  for (const deed of scenario.actor) time.after(deed.at, () => world.act(deed));
  await time.pass(time.now() + endOfTimeMs);
  for (const { name, killAfter } of scenario.runs)
    if (
      killAfter === undefined &&
      !ended.some(({ run }) => run === name) &&
      !violations.some(({ rule }) => rule === 'ends')
    )
      fail('ends', `${name} does not end`);
  if (!scenario.mayUpdate && scenario.actor.length === 0)
    for (const { slug, existing } of scenario.doors)
      if (existing && world.boundTo(slug).toSorted().join() !== was.get(slug))
        fail('changed', `what is bound to ${slug} was changed`);
  world.heal();
  let lastBegun = '';
  for (const name of ['rerun', 'again', 'last']) {
    const wrote = world.writes;
    lastBegun = name;
    begin({ name, at: 0 }, tokens.healed, true);
    await time.pass(time.now() + endOfTimeMs);
    // Another run would read the same, and end alike.
    if (world.writes === wrote) break;
  }
  for (const door of scenario.doors)
    if (!isAsDeclared(door, world) || !isMadeAsDeclared(door, world))
      fail('converges', `${door.slug} is not as declared`);
  if (!world.isUserRenamed) fail('converges', 'the user has the former name still');
  if (scenario.going && !goneAddresses.every((address) => world.isGone(address)))
    fail('converges', 'what is to be absent is still there');
  const last = ended.at(-1);
  if (
    last?.run !== lastBegun ||
    last.ending !== 'done' ||
    [...last.outcomes.values()].some((one) => one !== 'unchanged')
  )
    fail('converges', `the last run ends as ${last?.ending}: ${[...(last?.outcomes ?? [])].join(' ')}`);
  const isCalm = isUntroubled(scenario);
  for (const { run, ending, outcomes: of } of ended) {
    const isFirst = scenario.runs.some(({ name }) => name === run);
    const isKept =
      !scenario.mayUpdate || (scenario.going && !(scenario.isSuperuser && scenario.going.mayDelete));
    const isLeft = (one: string): boolean => isFirst && isKept === true && one === 'differs';
    // What is there without its provider is told as unfinished by who may not give it one.
    const isBegun = (address: string): boolean =>
      !scenario.mayUpdate &&
      isFirst &&
      scenario.doors.some(
        (door) =>
          address === `application.${door.slug}` && door.existing && door.existing.provider === undefined,
      );
    const rest = [...of].filter(([address, one]) => !(one === 'unfinished' && isBegun(address)));
    const isWell =
      ending === (rest.length < of.size ? 'incomplete' : 'done') &&
      rest.every(([, one]) => done.has(one) || isLeft(one));
    if ((isCalm || !isFirst) && !isWell)
      fail('converges', `${run} ends as ${ending}, though nothing goes wrong`);
  }
  for (const bind of world.binds)
    if (bind.wasShown !== false)
      fail(
        'bound_once',
        `${bind.run} bound ${bind.subject}, and ${bind.wasShown ? 'a list had shown them' : 'no list was shown to it'}`,
      );
  const sent = new Map<string, number>();
  for (const { run, target, subject, isOpen } of world.binds) {
    const key = `${run} ${target} ${subject}`;
    const open = (sent.get(key) ?? 0) + (isOpen ? 1 : 0);
    sent.set(key, open);
    if (open === 2) fail('bound_once', `${run} bound ${subject} twice`);
  }
  const all = [...world.violations, ...violations];
  const story = storyOf(seed, scenario, world, all);
  clearRuns();
  return { violations: all, outcomes, story };
}

/** Whether nothing goes wrong from the start, and nobody else writes. */
function isUntroubled({ trouble, lacks, blindFor, actor, runs }: Scenario): boolean {
  const [run, ...others] = runs;
  const isLeftAlone =
    run?.killAfter === undefined && run?.interruptAfter === undefined && others.length === 0;
  return trouble === 0 && lacks.length === 0 && blindFor === undefined && actor.length === 0 && isLeftAlone;
}

function isAsDeclared(door: Door, world: DoorWorld): boolean {
  const { slug, guests, provider, mode } = door;
  const application = world.application(slug);
  if (application === undefined) return false;
  const declared = guests === 'everyone' ? [] : [...guests.groups, ...guests.users];
  return (
    world.boundTo(slug).toSorted().join() === declared.toSorted().join() &&
    (provider === undefined || application['provider'] === provider) &&
    (door.made === undefined || application['provider'] === world.made(door)?.['pk']) &&
    (mode === undefined || application['policy_engine_mode'] === mode)
  );
}

/** Whether the provider that the roll declares for an application is as it says. */
function isMadeAsDeclared(door: Door, world: DoorWorld): boolean {
  const { made } = door;
  if (made === undefined) return true;
  const record = world.made(door);
  if (record === undefined) return false;
  const isSecret = !made.hasSecret || record['client_secret'] === declaredSecret;
  return isSecret && Object.entries(fieldsOfMade(made)).every(([field, value]) => record[field] === value);
}

const done = new Set(['created', 'updated', 'unchanged', 'deleted']);
const goneAddresses = [`group.${gone.group}`, `application.${gone.slug}`];

function checkReport(
  { run, ending, outcomes }: Ended,
  scenario: Scenario,
  world: DoorWorld,
  fail: (rule: DoorRule, words: string) => void,
): void {
  const isAlone = scenario.runs.length === 1 || !scenario.runs.some(({ name }) => name === run);
  const seesAll = scenario.blindFor === undefined || (run !== 'first' && run !== 'second');
  for (const address of goneAddresses) {
    const outcome = outcomes.get(address);
    if (outcome !== undefined && done.has(outcome) && !world.isGone(address))
      fail('true', `${run} reports ${address} as ${outcome}`);
  }
  for (const door of scenario.doors) {
    const made = outcomes.get(`provider.${door.slug}`);
    if (made !== undefined && done.has(made) && !isMadeAsDeclared(door, world))
      fail('true', `${run} reports the provider ${door.slug} as ${made}`);
    const outcome = outcomes.get(`application.${door.slug}`);
    if (outcome === undefined || !done.has(outcome)) continue;
    const isTouched = world.wasTouchedAfter(run, door.slug) || world.misled.has(run);
    if (isAlone && seesAll && !isTouched && !isAsDeclared(door, world))
      fail('true', `${run} reports ${door.slug} as ${outcome}`);
    const mayView = !scenario.lacks.includes('view_bindings') || (run !== 'first' && run !== 'second');
    if (!mayView && !world.misled.has(run))
      if (door.guests !== 'everyone' || outcome !== 'created')
        fail('silent', `${run} reports ${door.slug} as ${outcome}`);
  }
  const isWell = [...outcomes.values()].every(
    (one) => done.has(one) || one === 'exists' || one === 'differs',
  );
  if (ending === 'done' && !isWell) fail('true', `${run} ends as done`);
}

function startRun(
  { name, killAfter, interruptAfter }: PlannedRun,
  token: string,
  mayUpdate: boolean,
  {
    scenario,
    world,
    time,
    random,
    bug,
    files,
  }: {
    readonly scenario: Scenario;
    readonly world: DoorWorld;
    readonly time: VirtualTime;
    readonly random: () => number;
    readonly bug: DoorBug | undefined;
    readonly files: Files;
  },
  onEnd: (end: Ended) => void,
  onError: (rule: DoorRule, error: string) => void,
): void {
  world.log(`${name}: begins${mayUpdate ? ', and may change what exists' : ''}`);
  const mayDelete = mayUpdate && (token === tokens.healed || scenario.going?.mayDelete === true);
  const allow = [...(mayUpdate ? ['update'] : []), ...(mayDelete ? ['delete'] : [])];
  launch({
    killAfter,
    interruptAfter,
    env: { ROLLCALL_URL: 'https://service.example', ROLLCALL_TOKEN: token, SECRET: declaredSecret },
    files,
    options: {
      output: 'json',
      yes: true,
      concurrency: String(scenario.ceiling),
      capability: ['update', 'delete'],
      ...(allow.length > 0 && { allow }),
    },
    time,
    random,
    network: (isDead, step) => {
      const network = world.transport(name, token, isDead, step);
      return bug?.transport?.(network, scenario) ?? network;
    },
    onStop: (how) => world.log(`${name}: is ${how}`),
    onEnd: (ending, { stdout, stderr }) => {
      const shown = bug?.print?.(stdout + stderr, world) ?? stdout + stderr;
      if (world.secrets().some((secret) => shown.includes(secret)))
        onError('secret', `${name} shows a secret`);
      const outcomes = outcomesIn(stdout, bug);
      world.log(`${name}: ends as ${ending}: ${[...outcomes].map((one) => one.join(' ')).join(', ')}`);
      onEnd({ run: name, ending, outcomes });
    },
    onCrash: (error) => onError('ends', `${name}: ${error}`),
  });
}

function outcomesIn(text: string, bug: DoorBug | undefined): ReadonlyMap<string, string> {
  const document = parseJson(text);
  const list = isJsonObject(document ?? null)
    ? (document as { readonly outcomes?: never })['outcomes']
    : undefined;
  if (list === undefined || !isJsonList(list)) return new Map();
  const outcomes = list as readonly { readonly address: string; readonly outcome: string }[];
  return new Map(outcomes.map(({ address, outcome }) => [address, bug?.report?.(outcome) ?? outcome]));
}

function storyOf(
  seed: number,
  scenario: Scenario,
  world: DoorWorld,
  violations: readonly { readonly rule: DoorRule; readonly words: string }[],
): string {
  const start = world.seen[0]?.at ?? 0;
  const { doors, lacks, blindFor, mayUpdate, isLate, going, isSuperuser } = scenario;
  return [
    `seed ${seed}: doors`,
    ...doors.map((door) => JSON.stringify(door)),
    `the token lacks: ${lacks.join(', ') || 'nothing'}${blindFor === undefined ? '' : `; it does not see ${blindFor}/ga`}${mayUpdate ? '' : '; no changes'}${isLate ? '; late' : ''}${isSuperuser ? '; a superuser' : ''}${going ? `; to go: ${JSON.stringify(going)}` : ''}`,
    ...world.seen.map(({ at, words }) => `${String(at - start).padStart(8)} ms  ${words}`),
    ...violations.map(({ rule, words }) => `BROKEN  ${rule}: ${words}\n        ${doorRules[rule]}`),
    '',
  ].join('\n');
}
