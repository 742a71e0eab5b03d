import type { Command, CommanderError } from 'commander';
import { inline } from '../report/printable.ts';
import { guessAmong } from './guesses.ts';

/** What is wrong with the arguments, and what to do about it. Safe to print: what it repeats of them is escaped. */
export function argumentError(
  { message }: CommanderError,
  args: readonly string[],
  rollcall: Command,
): string {
  const guess = guessAmong(args, rollcall);
  if (guess) return `error: unknown ${guess.kind} '${inline(guess.written)}'\n    ${guess.hint}\n`;
  const [, told = message, suggestion = ''] = /^([^]*?)(\n\(Did you mean [^\n]*\?\))?$/.exec(message) ?? [];
  const ofToken = args.some((arg) => /^--token(=|$)/.test(arg))
    ? '    There is no flag for the token: set ROLLCALL_TOKEN, or name a file with --token-file.\n'
    : '';
  return `${inline(withoutValues(told))}${suggestion}\n--help shows the usage.\n${ofToken}`;
}

/** What follows an option that is not known may be a secret. */
function withoutValues(message: string): string {
  return message.replace(/(?<=unknown option ')(--[^=']+|-[^-'])[^]*'/, "$1'");
}
