import { seededRandom } from '../support/seeded-random.ts';
import { check } from './checker.ts';
import { declarationsOf } from './declaration.ts';
import { isWrite } from './events.ts';
import type { Violation } from './rules.ts';
import type { History } from './history.ts';
import type { PlantedBug } from './planted-bugs.ts';
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
} from './scenario.ts';
import { ServiceWorld, tokens } from './service-world.ts';
import { VirtualTime } from './virtual-time.ts';

export interface Simulated {
  readonly history: History;
  readonly violations: readonly Violation[];
}

export interface SimulateOptions {
  readonly bug?: PlantedBug | undefined;
  /** Whether nothing is allowed beyond the documented operations, whatever the seed says. */
  readonly contractOnly?: boolean;
}

/** Longer than any run should take: ten minutes of pauses, over and over. */
const endOfTimeMs = 24 * 60 * 60 * 1000;

/**
 * What happens under a seed: one or two runs meet every fault that the seed has for them. Then all is well again, whatever
 * was still on its way arrives, and one more run should finish the job. The last one should find nothing left to do: the same one,
 * where it wrote nothing, since another would read the same and end alike.
 */
export async function simulate(
  seed: number,
  { bug, contractOnly = false }: SimulateOptions = {},
): Promise<Simulated> {
  const random = seededRandom(seed);
  const documented = withPatience(scenarioOf(random), seededRandom(~seed));
  const scenario = contractOnly
    ? documented
    : withOffers(
        withGroups(
          withStrays(
            withHandovers(
              withReading(documented, seededRandom(seed ^ 0x55555555)),
              seededRandom(seed ^ 0x33333333),
            ),
            seededRandom(seed ^ 0x0f0f0f0f),
          ),
          seededRandom(seed ^ 0x00ff00ff),
        ),
        seededRandom(seed ^ 0x00f0f00f),
      );
  const time = new VirtualTime();
  const world = new ServiceWorld(scenario, time, random);
  const present = world.existing();
  const declarationOf = declarationsOf(scenario.declared, scenario.style);
  const surroundings = { scenario, declarationOf, world, time, random, bug };

  for (const run of scenario.runs) time.after(run.at, () => startRun(run, tokens.first, surroundings));
  for (const deed of scenario.actor) time.after(deed.at, () => world.act(deed));
  if (scenario.revokedAt !== undefined) time.after(scenario.revokedAt, () => world.revoke());
  await time.pass(time.now() + endOfTimeMs);

  world.heal();
  for (const name of ['rerun', 'last']) {
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
    present,
    events: world.events,
  };
  const violations = check(history);
  clearRuns();
  return { history, violations };
}
