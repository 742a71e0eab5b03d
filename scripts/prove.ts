/**
 * Tests with new random seeds: runs the simulation and the judge, replays recorded answers of real services, and plants mistakes in a
 * copy of the source, which the simulation must catch. `--from SEED` repeats a run. Needs a build.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mistakes } from './mistakes.ts';

const root = process.cwd();
const { values } = parseArgs({ options: { from: { type: 'string' } } });
const from = Number(values.from ?? randomInt(10_000_000, 1_000_000_000));
const simulation = ['scripts/run.js', 'test/simulation/main.ts'];
const tests = ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'full'];
const replayed = ['test/sandbox/recordings', 'test/service/recordings', 'test/apply/recorded-creates'];
const copied = ['src', 'test', 'schemas', 'scripts', 'package.json', 'tsconfig.json'];
let failed = 0;

await check(`1,000 seeds from ${from}: no law was broken, and every run ended`, [
  ...simulation,
  ...seeds(1000),
]);
await check('200 seeds with contract_only: only the three documented operations were sent', [
  ...simulation,
  ...seeds(200),
  '--contract-only',
]);
await check(
  '60 seeds of the judge, over HTTP: every promise of the documents was kept',
  [...tests, 'test/judge'],
  {
    JUDGE_SEEDS: '60',
    JUDGE_FROM: String(from),
  },
);
await check(
  'recorded answers of real services: the client reads them, and the sandbox gives the same answers',
  [...tests, ...replayed],
);
await plantMistakes();
console.log(
  `\n${failed === 0 ? 'Everything passed' : `${failed} failed`}. To repeat with the same seeds: npm run prove -- --from ${from}`,
);
process.exitCode = failed === 0 ? 0 : 1;

function seeds(count: number, first: number = 0) {
  return ['--seeds', String(count), '--from', String(from + first)];
}

async function check(title: string, words: readonly string[], variables?: Readonly<Record<string, string>>) {
  const { code, output } = await runNode(root, words, variables);
  if (code !== 0) console.log(output);
  report(code === 0, title);
}

function report(hasPassed: boolean, title: string) {
  console.log(`${hasPassed ? 'ok  ' : 'FAIL'}  ${title}`);
  if (!hasPassed) failed += 1;
}

/** Plants each mistake in a copy of the source, and runs the simulation there. */
async function plantMistakes() {
  const copy = mkdtempSync(join(tmpdir(), 'rollcall-prove-'));
  try {
    for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
    for (const { law, mistake, file, line, instead } of mistakes) {
      const path = join(copy, file);
      const text = readFileSync(path, 'utf8');
      if (text.split(line).length !== 2)
        throw new Error(`${file} does not contain the line of this mistake exactly once: ${mistake}`);
      writeFileSync(path, text.replace(line, instead));
      const seed = await seedThatShows(copy, law);
      writeFileSync(path, text);
      const caught = seed === undefined ? 'not caught by the law' : `seed ${seed} breaks the law`;
      report(seed !== undefined, `planted: ${mistake}: ${caught} \`${law}\``);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function seedThatShows(copy: string, law: string) {
  for (let first = 0; first < 2000; first += 100) {
    const { output } = await runNode(copy, [...simulation, ...seeds(100, first)]);
    const story = output.split(/^(?=seed \d)/m).find((each) => each.includes(`BROKEN  ${law}:`));
    if (story !== undefined) return /^seed (\d+)/.exec(story)?.[1];
  }
  return undefined;
}

function runNode(
  folder: string,
  words: readonly string[],
  variables?: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...variables };
    const child = spawn(process.execPath, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });
}
