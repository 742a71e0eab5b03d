/**
 * For who doubts: tries seeds of the simulation that nobody has tried, plants mistakes in a copy of the source, of which each must be
 * caught, replays what real services answered, and asks the judge. `--from SEED` repeats a run. Needs what `npm run build` makes.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mistakes } from './mistakes.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { from: { type: 'string' }, seconds: { type: 'string', default: '45' } },
});
const from = Number(values.from ?? randomInt(10_000_000, 1_000_000_000));
const copied = ['src', 'test', 'schemas', 'scripts', 'package.json', 'tsconfig.json'];

/** @type {[what: string, result: string, isHeld: boolean][]} */
const rows = [];
const began = performance.now();

console.log(`Seeds from ${from}, for ${values.seconds} s ...`);
await trySeeds();
await tryContract();
await plantMistakes();
await replayRecordings();
await askTheJudge();

const width = Math.max(...rows.map(([what]) => what.length));
console.log('');
for (const [what, result, isHeld] of rows)
  console.log(`${isHeld ? 'ok  ' : 'FAIL'}  ${what.padEnd(width)}  ${result}`);
const failed = rows.filter(([, , isHeld]) => !isHeld).length;
const seconds = ((performance.now() - began) / 1000).toFixed(0);
console.log(
  `\n${failed === 0 ? 'All of it holds' : `${failed} of ${rows.length} do not hold`}, in ${seconds} s. The same seeds again: npm run prove -- --from ${from}`,
);
if (failed > 0) process.exitCode = 1;

/** As many as there is time for. */
async function trySeeds() {
  const until = performance.now() + Number(values.seconds) * 1000;
  let tried = 0;
  let isHeld = true;
  while (isHeld && performance.now() < until) {
    const { code, output } = await simulated(root, ['--seeds', '200', '--from', String(from + tried)]);
    tried += 200;
    isHeld = code === 0;
    if (!isHeld) console.log(output);
  }
  const result = isHeld
    ? 'every law kept, every run ended, each world complete once its faults stopped'
    : 'broke a law: see above';
  rows.push([`${tried} seeds from ${from}`, result, isHeld]);
}

async function tryContract() {
  const { code, output } = await simulated(root, [
    '--seeds',
    '200',
    '--from',
    String(from),
    '--contract-only',
  ]);
  if (code !== 0) console.log(output);
  rows.push([
    '200 seeds with contract_only',
    code === 0 ? 'three operations were sent, and nothing else' : 'broke a law: see above',
    code === 0,
  ]);
}

/** Each in a copy, which the same simulation then takes for the real one. */
async function plantMistakes() {
  const copy = mkdtempSync(join(tmpdir(), 'rollcall-prove-'));
  try {
    for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    for (const { law, mistake, file, line, instead } of mistakes) {
      console.log(`Planting: ${mistake} ...`);
      const path = join(copy, file);
      const text = readFileSync(path, 'utf8');
      if (text.split(line).length !== 2) throw new Error(`${file} has no one place for: ${mistake}`);
      writeFileSync(path, text.replace(line, instead));
      const seed = await seedThatShows(copy, law);
      writeFileSync(path, text);
      rows.push([
        `planted: ${mistake}`,
        seed === undefined ? `not caught by \`${law}\`` : `caught by the law \`${law}\`, seed ${seed}`,
        seed !== undefined,
      ]);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * @param {string} copy
 * @param {string} law
 */
async function seedThatShows(copy, law) {
  for (let first = 0; first < 2000; first += 100) {
    const { output } = await simulated(copy, ['--seeds', '100', '--from', String(from + first)]);
    const story = output.split(/^(?=seed \d)/m).find((each) => each.includes(`BROKEN  ${law}:`));
    if (story !== undefined) return /^seed (\d+)/.exec(story)?.[1];
  }
  return undefined;
}

async function replayRecordings() {
  console.log('Replaying the recordings ...');
  const files = [
    'test/sandbox/recordings.test.ts',
    'test/service/recordings.test.ts',
    'test/apply/recorded-creates.test.ts',
  ];
  const { code, output } = await ran(root, ['node_modules/vitest/vitest.mjs', 'run', ...files]);
  if (code !== 0) console.log(output);
  // A test among them holds these figures.
  const page = readFileSync(join(root, 'docs/sandbox.md'), 'utf8');
  for (const [, release, recorded, alike] of page.matchAll(/^\| ([\d.]+) \| (\d+) \| (\d+) \|$/gm)) {
    const result = `the client reads each; the sandbox answers ${alike} alike, and the others as its tests name`;
    rows.push([`${recorded} exchanges of ${release}`, code === 0 ? result : 'see above', code === 0]);
  }
}

/** A model of the service, and promises, that were written without reading the engine and share no code with it. */
async function askTheJudge() {
  console.log('Asking the judge ...');
  const env = { JUDGE_SEEDS: '60', JUDGE_FROM: String(from) };
  const { code, output } = await ran(root, ['node_modules/vitest/vitest.mjs', 'run', 'test/judge'], env);
  if (code !== 0) console.log(output);
  const result = code === 0 ? 'it agrees: every promise of the documents kept' : 'broke a promise: see above';
  rows.push(['60 seeds of the judge, over HTTP', result, code === 0]);
}

/**
 * @param {string} folder
 * @param {readonly string[]} options
 */
function simulated(folder, options) {
  return ran(folder, ['scripts/run.js', 'test/simulation/main.ts', ...options]);
}

/**
 * @param {string} folder
 * @param {readonly string[]} words
 * @param {Readonly<Record<string, string>>} [variables]
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function ran(folder, words, variables) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...variables };
    const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });
}
