#!/usr/bin/env node
import type { ProgramEnding } from './commands/declare.ts';
import { StandardOutput, standardError } from './terminal/standard-output.ts';
import { failureReason } from './base/errors.ts';
import { exitCodes, endingIfOutputLost } from './base/exit-code.ts';
import { toolVersion } from './base/package-file.ts';

process.exitCode = exitCodes.failed; // in case Node exits before the program has an ending
let ending: ProgramEnding | undefined;
let isLost = false;
const stdout = new StandardOutput((error) =>
  reportProblem(
    `the result could not be written: ${failureReason(error)}`,
    'Standard output contains only a part of the result.',
  ),
);
// This handler also receives unhandled rejections. The run continues, because it still has to report the requests that it sent.
process.on('uncaughtException', (error) =>
  reportProblem(`an unexpected error: ${failureReason(error).replace(/[^\x20-\x7e]/g, '?')}`, bugAdvice),
);
process.once('beforeExit', () => {
  if (ending === undefined) reportProblem('rollcall ended before its work was complete', bugAdvice);
});
const bugAdvice = 'This is a bug in rollcall: report it. `rollcall plan` shows which changes are missing.';

const args = process.argv.slice(2);
if (args.length === 1 && args[0] === '--version') {
  stdout.write(`${toolVersion()}\n`);
  endProgram('done');
} else void main();

/** Runs the command line. The parser of arguments is imported late, because it takes as long to load as Node takes to start. */
async function main(): Promise<void> {
  const { runProgram } = await import('./commands/run-program.ts');
  endProgram(
    await runProgram(args, toolVersion(), {
      env: process.env,
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => void standardError().write(text),
      contextFor: async (version, colours) => {
        const { nodeContext } = await import('./terminal/node-context.ts');
        return nodeContext(version, colours, stdout);
      },
    }),
  );
}

function endProgram(its: ProgramEnding): void {
  ending = its;
  setExitCode();
}

/** Reports a problem that the command itself could not report. */
function reportProblem(what: string, more: string): void {
  isLost = true;
  standardError().write(`error: ${what}\n    ${more}\n`);
  setExitCode();
}

/** Sets the exit code. This function is called again if output is lost after the command ended. */
function setExitCode(): void {
  if (ending === undefined) return;
  process.exitCode =
    typeof ending === 'string' ? exitCodes[endingIfOutputLost(ending, isLost)] : ending.exitCode;
}
