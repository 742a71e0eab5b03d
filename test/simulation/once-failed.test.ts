import { someOf } from '../support/effort.ts';
import { describe, expect, test } from 'vitest';
import { largeWorlds } from './measures.ts';
import { narrate } from './narrate.ts';
import { simulate } from './simulate.ts';

/**
 * Seeds that once broke a promise with the documented operations alone, each with the cause. A change of the scenarios gives each
 * seed another course of events, so each cause also has its own test.
 */
const onceFailedByContract: readonly [seed: number, wrong: string][] = [
  [135_694, 'a create started although the run was interrupted while another was sent'],
  [2_113_492, 'a create started although the run was interrupted while three others were sent'],
  [2_014_527, 'a pause counted as over although the run was interrupted just before its end'],
  [7_017_717, 'the checker blamed a restart for creates that the licence prevented'],
  [7_033_230, 'the checker missed an outage that began while a request was under way'],
  [7_063_182, 'the checker missed an outage that began while a request was under way'],
  [7_074_136, 'the checker missed an outage that began while a request was under way'],
  [30_085_602, 'a create started at an interruption just as the service came back'],
  [30_092_299, 'a create in doubt was retried after a pause in which another was denied'],
  [20_120_744, 'the checker blamed a restart for a create in doubt that was refused at its retry'],
  [400_423_124, 'the checker missed a doubt about a taken name whose look-up an interruption prevented'],
];

describe('in a simulation with only the documented operations', () => {
  test.each(someOf(onceFailedByContract, 2))(
    'seed %i, which failed once, keeps every promise: %s',
    async (seed) => {
      const simulated = await simulate(seed, { contractOnly: true, measures: largeWorlds });
      expect(simulated.violations, narrate(simulated)).toEqual([]);
    },
  );
});

/** The same for seeds that use more than the documented operations. */
const onceFailed: readonly [seed: number, wrong: string][] = [
  [1508, "a proxy's web page counted as proof that the token is not refused"],
  [520_002_040, "the request for the token's user was not retried and ignored a pause"],
  [520_003_325, "the request for the token's user was not retried while others were under way"],
  [520_001_455, 'the checker attributed the change of another client to an unsent update'],
  [550_013_431, 'the checker blamed a restart for the changes of another run'],
  [550_022_620, "the checker counted two requests for the token's user as one"],
  [590_202_457, 'the checker blamed a restart for creates prevented by a web page'],
  [710_006_722, 'a run without a plan continued to request the release'],
  [830_001_264, 'a run continued with a refused token after users were no longer offered'],
  [830_008_397, 'the checker counted a second group with a declared name as undeclared'],
  [302_851, 'the same search was sent for each of several names with a common word'],
  [1_800_002_393, "the checker allowed three outages although two requests for the token's user met more"],
  [1_900_113_311, 'the checker assumed that the list contained a record deleted after its first, short page'],
  [1_900_140_517, 'the checker assumed that the list contained a record deleted after its first, short page'],
  [1_900_288_841, "the checker knew two of four reasons to request the token's user"],
  [1_900_199_818, 'a read-only service did not stop the updates of a kind whose creates were already denied'],
  [1083, 'the type of a provider was read while the service was away'],
  [1128, 'the type of a provider was read during a pause'],
  [4978, "the checker confused denials before and after a request for the token's user"],
  [820_002_377, 'the checker assumed an id for a name that could not be looked up'],
  [11_124, "a proxy's web page counted as absent although the service has its own form of absent"],
  [11_209, "a proxy's web page for a former name was reported as an ambiguous manifest"],
  [1439, 'a refused connection at a former path counted as an answer'],
  [304299, 'a restart right after a web page at a new path counted as a service that never answered'],
  [940_251, 'the checker forgot that users had been listed when look-ups of users were denied'],
  [955_997, 'a 413 of a proxy counted as an accepted token, so a create was sent with a refused token'],
  [
    960_833,
    'an application counted as absent by three 404s of a proxy, until the service itself reported absence',
  ],
  [972_699, 'the checker ignored an answer of the service after denials that came from elsewhere'],
  [982_826, 'the checker took a 404 for a wrong URL before the path of an earlier release was tried'],
  [1_062_032, 'the checker expected creates although look-ups could not be sent during a restart'],
  [1_063_519, 'the checker took a change that a proxy answered with 404 for a change with an effect'],
  [
    1_054_623,
    'the checker did not know that a 404 page that comes back counts as absent, for a declared delete too',
  ],
  [1_049_259, 'the checker expected creates after a look-up whose request could not be sent'],
  [1_075_757, 'the checker did not know that the service was read-only for a create'],
  [1_077_823, 'the simulated runs might not change the way in, as a new brand does'],
  [1_065_085, 'the checker did not know that a change may continue at the former path'],
  [1_040_505, 'the checker did not know that a create may continue in the form of an earlier release'],
  [1_038_810, 'a 409 of a proxy to the create of a binding counted as a refused value'],
  [1_003_832, 'a create was sent for a record that another client had created during the plan'],
  [930_153, 'a 404 of a proxy to a list of bindings counted as access for everyone'],
  [6512, 'a refused connection at a former path counted as an answer'],
  [30_744, 'a refused connection at a former path counted as an answer'],
  [5812, 'the checker treated a 404 at a former path as a wrong URL'],
  [5879, 'an update of access started after an answer that showed a wrong URL'],
  [6105, "the checker confused a check during an outage with the request after a denial of the token's user"],
  [31_695, "the world treated the service's web page for a missing path as absent"],
  [104_999, "the world treated the service's web page for a missing path as absent"],
  [101_293, 'the checker counted a create sent to two paths twice'],
  [108_297, 'the checker did not know that another run had created a referenced record'],
  [110_516, "a proxy's web page counted as absent although a check during an outage had the service's form"],
  [122_066, 'a record that was renamed between two reads counted as two records'],
  [122_343, "the checker treated the answer at the first of two paths as the service's"],
  [122_361, 'the checker allowed three outages although a 404 is read again at the end'],
  [124_059, 'the checker called any number of refused connections harmless'],
  [125_244, 'the checker called any number of refused connections harmless'],
  [130_523, 'a stage that another client had just created was taken for one of another type'],
  [229_086, 'the checker did not count a page that repeats itself as the answer of the service'],
  [20_044, 'the checker did not know that updates of the login flow wait for each other'],
  [1_086_371, "the checker knew four of five reasons to request the token's user"],
  [1_088_454, 'the checker did not expect a policy that differs to be unfinished'],
  [1_090_241, 'the simulated token could not look up RAC endpoints'],
  [1_090_594, 'the checker expected that the service stores the expiry of a token for its API'],
  [1_098_473, 'the checker expected creates of other kinds after the token was revoked'],
  [1_101_321, 'the checker expected creates of other kinds after the token was revoked'],
  [1_152_964, 'the checker took a denied check of a service that was back for a question about the token'],
  [3_000_298, 'the checker did not know that a policy may appear during a run as another one'],
  [3_002_170, 'the checker took a check of the API at a known application for its look-up'],
  [768_311_836, 'the checker did not know that a reference waits for a change that takes access away'],
];

test.each(someOf(onceFailed, 4))(
  "the simulation's seed %i, which failed once, keeps every promise: %s",
  async (seed) => {
    const simulated = await simulate(seed, { measures: largeWorlds });
    expect(simulated.violations, narrate(simulated)).toEqual([]);
  },
);
