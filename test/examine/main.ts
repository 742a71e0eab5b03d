import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { examine } from './examine.ts';
import { rollcallTool, type Tool } from './tool.ts';

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '0' },
    seeds: { type: 'string', default: '20' },
    tool: { type: 'string' },
  },
});
const tool = values.tool === undefined ? rollcallTool : await toolIn(values.tool);
const from = Number(values.from);
const to = from + Number(values.seeds);
const tried = new Map<string, { seeds: number; failed: number[] }>();
let failed = 0;
for (let seed = from; seed < to; seed += 1) {
  const { tried: what, violations } = await examine(seed, tool);
  for (const one of ['any', ...what]) {
    const row = tried.get(one) ?? { seeds: 0, failed: [] };
    tried.set(one, {
      seeds: row.seeds + 1,
      failed: [...row.failed, ...(violations.length > 0 ? [seed] : [])],
    });
  }
  if (violations.length > 0) failed += 1;
  for (const violation of violations) process.stdout.write(`seed ${seed}: ${violation}\n`);
}
process.stdout.write('tried             seeds  failed\n');
for (const [what, { seeds, failed: seedsFailed }] of tried)
  process.stdout.write(
    `${what.padEnd(16)}  ${String(seeds).padStart(5)}  ${seedsFailed.length === 0 ? '0' : seedsFailed.join(', ')}\n`,
  );
process.exitCode = failed === 0 ? 0 : 1;

/** Loads a tool from a module that exports it as `tool`. */
async function toolIn(file: string): Promise<Tool> {
  const { tool: found } = (await import(pathToFileURL(resolve(file)).href)) as { tool: Tool }; // tool.ts defines this form
  return found;
}
