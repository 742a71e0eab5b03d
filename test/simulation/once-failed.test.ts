import { someOf } from '../support/effort.ts';
import { describe, expect, test } from 'vitest';
import { narrate } from './narrate.ts';
import { simulate } from './simulate.ts';

/**
 * Seeds that, with the documented operations alone, broke a promise once, and what was wrong. A change of the scenarios tells another story under each of
 * them, so what was wrong has a test of its own as well.
 */
const onceFailedByContract: readonly [seed: number, wrong: string][] = [
  [135_694, 'the run was interrupted while one create went out, and the next was already begun'],
  [2_113_492, 'the same, with three at a time'],
  [2_014_527, 'the run was interrupted in the last moment of a pause, and the pause was taken for over'],
  [7_017_717, 'the checker blamed a restart for what was not begun because of the licence'],
  [7_033_230, 'the checker missed an outage that had shown itself while a request was under way'],
  [7_063_182, 'the same'],
  [7_074_136, 'the same'],
  [30_085_602, 'a create was begun in the moment of an interruption, as the service came back'],
  [30_092_299, 'a create in doubt was sent again after a pause in which another was denied'],
  [20_120_744, 'the checker blamed a restart for a create in doubt that was refused when it was sent again'],
  [400_423_124, 'the checker took a taken name for clear that was never looked up: interrupted in an outage'],
];

describe('in a simulation with only the documented operations', () => {
  test.each(someOf(onceFailedByContract, 2))(
    'seed %i, which failed once, keeps every promise: %s',
    async (seed) => {
      const simulated = await simulate(seed, { contractOnly: true });
      expect(simulated.violations, narrate(simulated)).toEqual([]);
    },
  );
});

/** The same for seeds with capabilities. */
const onceFailed: readonly [seed: number, wrong: string][] = [
  [1508, "a page that was not the service's own was taken to show that the token is not refused"],
  [
    520_002_040,
    'it asked once whose the token is, and not again, and did not keep the pause that it was given',
  ],
  [520_003_325, 'the same, with others at a time'],
  [
    520_001_455,
    'the checker took a change that was never sent, and that somebody else made, for one of the run',
  ],
  [550_013_431, 'the checker blamed a restart for what another run had changed meanwhile'],
  [550_022_620, 'the checker took two questions whose the token is, for lists and for changes, for one'],
  [590_202_457, 'the checker blamed a restart for what was not begun because a change met a page of HTML'],
  [710_006_722, 'a run that came to no plan went on asking for the release'],
  [830_001_264, 'a run went on with a token that the service had refused, as users were not offered by then'],
  [830_008_397, 'the checker took a second group of one name for one that was not declared'],
  [302_851, 'names that share a word were each searched for by the same request'],
  [1_800_002_393, 'the checker allowed for three outages where two questions whose the token is met more'],
  [
    1_900_113_311,
    'the checker took what was deleted between the first, short page and the list for what the list showed',
  ],
  [1_900_140_517, 'the same'],
  [1_900_288_841, 'the checker allowed for two reasons to ask whose the token is, where there are four'],
  [1_900_199_818, 'a service that only reads stopped no changes of a kind whose creates were denied before'],
  [1083, 'the type of a provider was read while the service was away'],
  [1128, 'the type of a provider was read in a pause'],
  [
    4978,
    'the checker took a question that was denied before it was asked whose the token is for one after that',
  ],
  [820_002_377, 'the checker took a name that could not be looked up for one that leads to an id'],
  [11_124, 'a page of a proxy passed for absent although the service had shown its own form of that'],
  [11_209, 'a page of a proxy at the look-up of a former name passed for an ambiguous manifest'],
  [1439, 'a connection refused at the path of an earlier release passed for an answer'],
  [6512, 'the same'],
  [30_744, 'the same'],
  [5812, 'the checker took a 404 at the path of an earlier release for that of a wrong place'],
  [5879, 'a change of access was begun after an answer that showed a wrong place'],
  [6105, 'the checker took a question of an outage for the one after the denial of the own user'],
  [31_695, 'the world took a page of the service, for a path that it does not have, for absent'],
  [104_999, 'the same'],
  [101_293, 'the checker counted a create twice that was sent to two paths'],
  [108_297, 'the checker did not know that another run had made what a field names'],
  [
    110_516,
    'a page of a proxy passed for absent although the answer to a question of an outage was otherwise',
  ],
  [122_066, 'a record that was renamed between two reads passed for two'],
  [122_343, 'the checker took the first of two paths for an answer of the service'],
  [122_361, 'the checker allowed for three outages where a 404 is read again at the end'],
  [124_059, 'the checker took any number of refused connections for calm'],
  [125_244, 'the same'],
  [20_044, 'the checker did not know that changes of a login wait for each other'],
];

test.each(someOf(onceFailed, 4))(
  "the simulation's seed %i, which failed once, keeps every promise: %s",
  async (seed) => {
    const simulated = await simulate(seed);
    expect(simulated.violations, narrate(simulated)).toEqual([]);
  },
);
