import { CommanderError } from 'commander';
import { UsageError } from '../base/errors.ts';
import { formatNames, printedFormats } from '../report/formats/all.ts';
import { printableLine } from '../report/printable.ts';
import type { ProgramEnding } from './declare.ts';
import { errorText, isDebugging } from './error-text.ts';
import { program, type ProgramEnvironment } from './program.ts';

export async function runProgram(
  args: readonly string[],
  toolVersion: string,
  surroundings: ProgramEnvironment,
): Promise<ProgramEnding> {
  let ending: ProgramEnding = 'done';
  const rollcall = program(toolVersion, (its) => (ending = its), surroundings, args[0]);
  try {
    await rollcall.parseAsync(args, { from: 'user' });
    return ending;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 'done';
      if (error.code !== 'commander.help') surroundings.writeErr(argumentError(error, args));
      return 'invalid';
    }
    const columns = rollcall.configureOutput().getErrHelpWidth?.() ?? Infinity; // only a terminal has a width
    const isVerbose = args.some((arg) => arg === '-v' || arg === '--verbose');
    surroundings.writeErr(errorText(error, columns, isDebugging(isVerbose, surroundings.env)));
    return error instanceof UsageError ? 'invalid' : 'failed';
  }
}

/** The problem with the arguments, and what to do about it. Quoted arguments are escaped. */
function argumentError({ message }: CommanderError, args: readonly string[]): string {
  const [, said = message, suggestion = ''] = /^([^]*?)(\n\(Did you mean [^\n]*\?\))?$/.exec(message) ?? [];
  const hints = usualMistakes.flatMap(([form, hint]) =>
    args.some((arg) => form.test(arg)) ? `    ${hint}\n` : [],
  );
  return `${printableLine(withoutValues(said))}${suggestion}\n--help shows the usage.\n${hints.join('')}`;
}

/** Forms of arguments that other tools have, each with a hint. The hint quotes no argument, because it may be a secret. */
const usualMistakes: readonly (readonly [form: RegExp, hint: string])[] = [
  [/^--token(=|$)/, 'There is no flag for the token: set ROLLCALL_TOKEN, or name a file with --token-file.'],
  [
    /^-(auto-approve|detailed-exitcode|json|no-color|out|parallelism|target|var|var-file)(=|$)/,
    'Options with long names begin with two dashes, as in --out FILE.',
  ],
  [/^--?auto-approve$/, 'To apply without a question, use --yes.'],
  [
    new RegExp(
      `^(?:-o|--output=)?(?:${formatNames.filter((name) => !printedFormats.includes(name)).join('|')})$`,
    ),
    'To write a report in another format, use --report, as in --report markdown=plan.md.',
  ],
];

/** Removes the values of unknown options, because these values may be secrets. */
function withoutValues(message: string): string {
  return message.replace(/(?<=unknown option ')(--[^=']+|-[^-'])[^]*'/, "$1'");
}
