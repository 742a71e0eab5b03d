import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { parentPort, Worker } from 'node:worker_threads';
import { mostFailures, storiesOf, type Batch } from './many-seeds.ts';
import { plantedBugs } from './planted-bugs.ts';
import { largeWorlds, smallWorlds } from './measures.ts';
import { narrate } from './narrate.ts';
import { simulate } from './simulate.ts';

const usage =
  'npm run simulate -- [--seeds N] [--from SEED] [--seed SEED] [--bug NAME] [--contract-only] [--large] [--workers N]';
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string' },
    bug: { type: 'string' },
    'contract-only': { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
const bug = values.bug === undefined ? undefined : plantedBugs[values.bug];
if (values.bug !== undefined && bug === undefined)
  throw new Error(`${usage}\nThe bugs: ${Object.keys(plantedBugs).join('; ')}`);
const options = {
  bug,
  contractOnly: values['contract-only'],
  measures: values.large ? largeWorlds : smallWorlds,
};

if (parentPort) {
  const port = parentPort;
  Error.stackTraceLimit = 0; // a seed creates many errors, and shows the stack of none
  port.on('message', (batch: Batch) => void tryBatch(batch).then((stories) => port.postMessage(stories)));
} else if (values.seed === undefined) await tryAll();
else {
  const simulated = await simulate(Number(values.seed), options);
  process.stdout.write(narrate(simulated));
  process.exitCode = simulated.violations.length > 0 ? 1 : 0;
}

async function tryAll(): Promise<void> {
  const from = Number(values.from);
  const seeds = Number(values.seeds);
  const began = performance.now();
  // Each worker runs this file with the same arguments. A large young generation makes the garbage of a seed cheap to collect.
  const resourceLimits = { maxYoungGenerationSizeMb: 96 };
  const workers = Array.from(
    { length: Number(values.workers) },
    () => new Worker(new URL(import.meta.url), { argv: process.argv.slice(2), resourceLimits }),
  );
  const idle = [...workers];
  let failed = 0;
  for await (const story of storiesOf({ from, to: from + seeds }, workers.length, async (batch) => {
    const worker = idle.pop();
    if (worker === undefined) throw new Error('there are more batches at a time than workers');
    worker.postMessage(batch, []);
    const [stories] = (await once(worker, 'message')) as [readonly string[]]; // tryBatch returns this
    idle.push(worker);
    return stories;
  })) {
    failed += 1;
    process.stdout.write(`${story}\n`);
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(
    `${seeds} seeds from ${from} in ${seconds.toFixed(1)} s: ${failed === 0 ? 'every promise kept' : `${failed} broke a promise`}\n`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

async function tryBatch({ from, to }: Batch): Promise<readonly string[]> {
  const stories: string[] = [];
  for (let seed = from; seed < to && stories.length < mostFailures; seed += 1) {
    const simulated = await simulate(seed, options);
    if (simulated.violations.length > 0) stories.push(narrate(simulated));
  }
  return stories;
}
