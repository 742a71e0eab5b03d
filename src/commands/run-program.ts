import { CommanderError } from 'commander';
import { UsageError } from '../base/errors.ts';
import { argumentError } from './argument-error.ts';
import { errorText, isDebugged } from './error-text.ts';
import type { ProgramEnding } from './options.ts';
import { program, type Surroundings } from './program.ts';

/** Runs what the arguments say. What is wrong with them is said on stderr. */
export async function run(
  args: readonly string[],
  toolVersion: string,
  surroundings: Surroundings,
): Promise<ProgramEnding> {
  let ending: ProgramEnding = 'done';
  const rollcall = program(toolVersion, (its) => (ending = its), surroundings);
  try {
    await rollcall.parseAsync(args, { from: 'user' });
    return ending;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 'done';
      if (error.code !== 'commander.help') surroundings.writeErr(argumentError(error, args, rollcall));
      return 'invalid';
    }
    const columns = rollcall.configureOutput().getErrHelpWidth?.() ?? Infinity; // of a terminal alone
    const isVerbose = args.some((arg) => arg === '-v' || arg === '--verbose');
    surroundings.writeErr(errorText(error, columns, isDebugged(isVerbose, surroundings.env)));
    return error instanceof UsageError ? 'invalid' : 'failed';
  }
}
