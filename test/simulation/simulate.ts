import type { Random } from '../../src/base/clock.ts';
import { lists } from '../../src/kinds/all.ts';
import { manifestCheck } from '../../src/manifest/manifest-check.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { accessManifestOf, accessWantsOf } from './access.ts';
import { check } from './checker.ts';
import { declarationsOf, type Declaration } from './declaration.ts';
import { isWrite } from './events.ts';
import type { Violation } from './rules.ts';
import type { History } from './history.ts';
import { smallWorlds, type Measures } from './measures.ts';
import type { PlantedBug } from './planted-bugs.ts';
import { kindsManifestOf, kindsWantsOf, type Edition } from './kinds.ts';
import { clearRuns } from './launch.ts';
import { startRun } from './run.ts';
import {
  scenarioOf,
  withReading,
  withGroups,
  withHandovers,
  withOffers,
  withPatience,
  withStrays,
  withAccess,
  withCircles,
  withKinds,
  type Scenario,
} from './scenario.ts';
import { ServiceWorld, tokens } from './service-world.ts';
import { VirtualTime } from './virtual-time.ts';

export interface Simulated {
  readonly history: History;
  readonly violations: readonly Violation[];
}

export interface SimulateOptions {
  readonly bug?: PlantedBug | undefined;
  /** Whether only the documented operations are sent, whatever the seed decides. */
  readonly contractOnly?: boolean;
  readonly measures?: Measures;
}

/** Longer than any run should take, even with many pauses of ten minutes. */
const endOfTimeMs = 24 * 60 * 60 * 1000;

/**
 * Simulates one seed. One or two runs meet all faults that the seed has for them. Under some seeds, the faults then end, delayed
 * requests arrive, and one more run should complete the work. The last run should find nothing to do. If the run before wrote
 * nothing, it counts as the last one, because another would read the same.
 */
export async function simulate(
  seed: number,
  { bug, contractOnly = false, measures = smallWorlds }: SimulateOptions = {},
): Promise<Simulated> {
  // Loading a module takes real time, and virtual time does not wait for that.
  await manifestCheck(lists);
  const random = seededRandom(seed);
  const scenario = contractOnly
    ? documentedUnder(seed, random, measures)
    : await scenarioUnder(seed, random, measures);
  const restore = bug?.takesAllForUnique ? takeForUnique(scenario) : () => {};
  const time = new VirtualTime();
  const world = new ServiceWorld(scenario, time, random);
  const present = world.existing();
  const { access, kinds } = scenario;
  const ofAccess = access && { manifest: accessManifestOf(access), wants: accessWantsOf(access) };
  const ofKinds = (edition: Edition): Declaration | undefined =>
    kinds && { manifest: kindsManifestOf(kinds, edition), wants: kindsWantsOf(kinds, edition) };
  const ofOthers = declarationsOf(scenario.declared, scenario.style);
  const declarationOf = (edition: Edition): Declaration => ofAccess ?? ofKinds(edition) ?? ofOthers(edition);
  const surroundings = { scenario, declarationOf, world, time, random, bug };

  for (const run of scenario.runs) time.after(run.at, () => startRun(run, tokens.first, surroundings));
  for (const action of scenario.actor) time.after(action.at, () => world.act(action));
  for (const accessChange of access?.accessChanges ?? [])
    if ('at' in accessChange.when) time.after(accessChange.when.at, () => world.open(accessChange));
  if (scenario.revokedAt !== undefined) time.after(scenario.revokedAt, () => world.revoke());
  await time.pass(time.now() + endOfTimeMs);

  const reruns = namesOfReruns(seed, scenario, measures);
  if (reruns.length > 0) world.endFaults();
  for (const name of reruns) {
    const before = world.events.length;
    startRun({ name, at: 0 }, tokens.healed, surroundings);
    await time.pass(time.now() + endOfTimeMs);
    if (!world.events.slice(before).some((event) => event.kind === 'sent' && isWrite(event))) break;
  }
  const history: History = {
    seed,
    declared: scenario.declared,
    contractOnly: scenario.contractOnly,
    capabilities: scenario.capabilities,
    keepGoing: scenario.keepGoing,
    lacks: scenario.lacks,
    access,
    present,
    events: world.events,
  };
  const violations = check(history);
  clearRuns();
  restore();
  return { history, violations };
}

/** The runs after the faults. Most promises concern the runs that meet faults. */
function namesOfReruns(seed: number, { access }: Scenario, { reruns }: Measures): readonly string[] {
  const which = seededRandom(seed ^ 0x0a0a0a0a)();
  if (which < reruns.none) return [];
  if (which < reruns.none + reruns.one) return ['rerun'];
  return access ? ['rerun', 'again', 'last'] : ['rerun', 'last'];
}

/** Treats the names of random kinds as unique, until the returned function is called. */
function takeForUnique({ kinds }: Scenario): () => void {
  const listings = new Set(kinds?.records.map(({ kind }) => kind.listing));
  const others = [...listings].filter(({ isUnique }) => !isUnique);
  for (const listing of others) Object.assign(listing, { isUnique: true });
  return () => {
    for (const listing of others) Object.assign(listing, { isUnique: false });
  };
}

function documentedUnder(seed: number, random: Random, measures: Measures): Scenario {
  return withPatience(scenarioOf(random, measures), seededRandom(~seed), measures);
}

/** Each addition draws its own random numbers, so that it does not change the rest of the world. */
async function scenarioUnder(seed: number, random: Random, measures: Measures): Promise<Scenario> {
  const documented = documentedUnder(seed, random, measures);
  const { shareOfAccess, shareOfKinds } = measures;
  const ofAccess = seededRandom(seed ^ 0x0d00d00d);
  const which = ofAccess();
  if (which < shareOfAccess) return withAccess(documented, ofAccess, measures);
  if (which < shareOfAccess + shareOfKinds)
    return withCircles(
      await withKinds(documented, ofAccess, measures),
      seededRandom(seed ^ 0x0c0c0c0c),
      measures,
    );
  const reading = withReading(documented, seededRandom(seed ^ 0x55555555), measures);
  const handing = withHandovers(reading, seededRandom(seed ^ 0x33333333), measures);
  const straying = withStrays(handing, seededRandom(seed ^ 0x0f0f0f0f), measures);
  const grouped = withGroups(straying, seededRandom(seed ^ 0x00ff00ff), measures);
  return withOffers(grouped, seededRandom(seed ^ 0x00f0f00f), measures);
}
