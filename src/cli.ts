#!/usr/bin/env node
import type { ProgramEnding } from './commands/program.ts';
import { StandardOutput } from './terminal/standard-output.ts';
import { reasonOf } from './base/errors.ts';
import { exitCodes, unlessLost } from './base/exit-code.ts';
import { toolVersion } from './base/package-file.ts';

let ending: ProgramEnding | undefined;
let outputLost = false;
process.stderr.on('error', () => {}); // there is nowhere left to say it
const stdout = new StandardOutput((error) => {
  outputLost = true;
  process.stderr.write(
    `error: the result could not be written: ${reasonOf(error)}\n    Standard output holds only a part of it.\n`,
  );
  settle();
});

const args = process.argv.slice(2);
if (args.length === 1 && args[0] === '--version') {
  stdout.write(`${toolVersion()}\n`);
  end('done');
} else void main();

/** The parser of arguments takes as long to load as Node takes to start. */
async function main(): Promise<void> {
  const { run } = await import('./commands/run-program.ts');
  end(
    await run(args, toolVersion(), {
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => void process.stderr.write(text),
      contextFor: async (version, colours) => {
        const { nodeContext } = await import('./terminal/node-context.ts');
        return nodeContext(version, colours, stdout);
      },
    }),
  );
}

function end(its: ProgramEnding): void {
  ending = its;
  settle();
}

/** The last of the output may be lost after the end. */
function settle(): void {
  if (ending === undefined) return;
  process.exitCode = typeof ending === 'string' ? exitCodes[unlessLost(ending, outputLost)] : ending.exitCode;
}
