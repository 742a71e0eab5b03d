// Measures the same environment with each installed tool, one after the other, on one service: `node test/bench/field/main.js
// [objects…]`, with ROLLCALL_URL and ROLLCALL_TOKEN. Creates records in that service. GNU time, if installed, measures CPU and
// memory.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ours, rollcall } from '../processes.js';
import { forms } from './forms.js';
import { countingProxy } from './proxy.js';

const { ROLLCALL_URL: service, ROLLCALL_TOKEN: token = '', PATH, HOME } = process.env;
if (service === undefined) throw new Error('set ROLLCALL_URL and ROLLCALL_TOKEN');
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10, 100, 1000, 10_000];
const timer = '/usr/bin/time';
const proxy = await countingProxy(service);
const folder = mkdtempSync(join(tmpdir(), 'rollcall-field-'));
const own = [process.execPath, rollcall];
const blueprint = [process.execPath, ours('field/apply-blueprint.js')];

/** @type {Readonly<Record<string, { version: string[], prepare?: string[], plan?: string[], apply: string[] }>>} */
const tools = {
  rollcall: {
    version: [...own, '--version'],
    plan: [...own, 'plan', '--allow', 'update', 'rollcall.yml'],
    apply: [...own, 'apply', '--yes', '--allow', 'update', 'rollcall.yml'],
  },
  terraform: {
    version: ['terraform', '-version'],
    prepare: ['terraform', 'init', '-input=false'],
    plan: ['terraform', 'plan', '-input=false'],
    apply: ['terraform', 'apply', '-input=false', '-auto-approve'],
  },
  blueprint: { version: [...blueprint, '--version'], apply: [...blueprint, 'blueprint.yml'] },
};
const ofOurs = { ROLLCALL_URL: proxy.url, ROLLCALL_TOKEN: token, ROLLCALL_CAPABILITIES: 'update' };
const env = { PATH, HOME, ...ofOurs, AUTHENTIK_URL: proxy.url, AUTHENTIK_TOKEN: token };

try {
  show(['tool', 'objects', 'step', 'seconds', 'CPU s', 'MB', 'requests']);
  for (const [tool, { version, prepare, plan, apply }] of Object.entries(tools)) {
    const [command = '', ...args] = version;
    if (spawnSync(command, args, { env: { ...env, ROLLCALL_URL: service } }).status !== 0) {
      console.log(`${tool} is not installed, or not offered by the service: skipped`);
      continue;
    }
    for (const size of sizes) {
      const cwd = mkdtempSync(join(folder, `${tool}-`));
      write(tool, cwd, size, 'Bench');
      const [program = '', ...rest] = prepare ?? [];
      if (prepare && spawnSync(program, rest, { cwd, env }).status !== 0) {
        console.log(`${tool} is installed, and ${prepare.join(' ')} fails here: skipped`);
        break;
      }
      if (plan) await measure([tool, size, 'first plan'], plan, cwd);
      await measure([tool, size, 'apply'], apply, cwd);
      if (plan) await measure([tool, size, 'plan again'], plan, cwd);
      write(tool, cwd, size, 'Changed');
      await measure([tool, size, 'one change'], apply, cwd);
    }
  }
} finally {
  proxy.close();
  rmSync(folder, { recursive: true });
}

/** @param {string} tool @param {string} cwd @param {number} size @param {string} change */
function write(tool, cwd, size, change) {
  const lines = forms[tool]?.(size, change) ?? [];
  writeFileSync(join(cwd, tool === 'terraform' ? 'main.tf' : `${tool}.yml`), `${lines.join('\n')}\n`);
}

/** @param {(string | number)[]} cells @param {string[]} command @param {string} cwd */
async function measure(cells, command, cwd) {
  const file = join(cwd, 'used.txt');
  const isTimed = existsSync(timer);
  const [before, start] = [proxy.count(), performance.now()];
  await run(isTimed ? [timer, '-f', '%U %S %M', '-o', file, ...command] : command, cwd);
  const seconds = (performance.now() - start) / 1000;
  const [user = NaN, system = NaN, memory = NaN] = isTimed
    ? readFileSync(file, 'utf8').split(' ').map(Number)
    : [];
  const used = [user + system, memory / 1000].map((one) => (Number.isNaN(one) ? '-' : one.toFixed(1)));
  show([...cells, seconds.toFixed(2), ...used, proxy.count() - before]);
}

/** @param {string[]} command @param {string} cwd */
async function run([file = '', ...args], cwd) {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}`);
}

/** @param {(string | number)[]} cells */
function show(cells) {
  console.log(
    cells
      .map((cell) => String(cell).padEnd(12))
      .join('')
      .trimEnd(),
  );
}
