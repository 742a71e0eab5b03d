#!/usr/bin/env node
import type { ProgramEnding } from './commands/program.ts';
import { exitCodes } from './exit-code.ts';
import { toolVersion } from './tool-version.ts';

let outputLost = false;
process.stderr.on('error', () => {}); // there is nowhere left to say it
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return; // who reads us may stop reading
  outputLost = true;
  process.stderr.write(`error: the result could not be written: ${error.message}\n`);
  if (!process.exitCode) end('failed');
});

const args = process.argv.slice(2);
if (args.length === 1 && args[0] === '--version') process.stdout.write(`${toolVersion()}\n`);
else void main();

/** What parses arguments takes as long to load as Node itself does to start. */
async function main(): Promise<void> {
  const { run } = await import('./commands/program.ts');
  end(await run(args, toolVersion()));
}

function end(ending: ProgramEnding): void {
  const code = typeof ending === 'string' ? exitCodes[ending] : ending.exitCode;
  process.exitCode = code === exitCodes.done && outputLost ? exitCodes.failed : code;
}
