import { parseArgs } from 'node:util';
import { plantedBugs } from './planted-bugs.ts';
import { narrate } from './narrate.ts';
import { simulate } from './simulate.ts';

const usage = 'npm run simulate -- [--seeds N] [--from SEED] [--seed SEED] [--bug NAME] [--contract-only]';
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string' },
    bug: { type: 'string' },
    'contract-only': { type: 'boolean', default: false },
  },
});
const bug = values.bug === undefined ? undefined : plantedBugs[values.bug];
if (values.bug !== undefined && bug === undefined)
  throw new Error(`${usage}\nThe bugs: ${Object.keys(plantedBugs).join('; ')}`);
const options = { bug, contractOnly: values['contract-only'] };

if (values.seed === undefined) {
  const from = Number(values.from);
  const seeds = Number(values.seeds);
  const began = performance.now();
  let failed = 0;
  for (let seed = from; seed < from + seeds && failed < 5; seed += 1) {
    const simulated = await simulate(seed, options);
    if (simulated.violations.length > 0) {
      failed += 1;
      process.stdout.write(`${narrate(simulated)}\n`);
    }
  }
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(
    `${seeds} seeds from ${from} in ${seconds.toFixed(1)} s: ${failed === 0 ? 'every promise kept' : `${failed} broke a promise`}\n`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
} else {
  const simulated = await simulate(Number(values.seed), options);
  process.stdout.write(narrate(simulated));
  process.exitCode = simulated.violations.length === 0 ? 0 : 1;
}
