import type { Command, Option } from 'commander';
import type { Ending } from '../base/exit-code.ts';
import { formatNames } from '../report/formats/all.ts';
import { schemaNames, topicNames } from '../base/package-file.ts';
import { pipelines } from './init-files.ts';
import { shells } from './completion.ts';
import type { Context } from '../terminal/context.ts';

interface Candidate {
  readonly text: string;
  readonly description?: string;
}

/** Returns the completions of the last word. File names and names chosen by the user have no completions. */
export function complete(program: Command, words: readonly string[]): Candidate[] {
  const written = words.at(-1) ?? '';
  const candidates = candidatesFor(parseWords(program, words.slice(0, -1)), written);
  return candidates.filter(({ text }) => text.startsWith(written) && !written.endsWith('='));
}

/** `rollcall complete`: called by completion scripts; prints each candidate on a line. */
export function printCandidates(
  program: Command,
  words: readonly string[],
  { stdout }: Pick<Context, 'stdout'>,
): Ending {
  for (const { text, description } of complete(program, words))
    stdout.write(`${text}${description === undefined ? '' : `\t${description}`}\n`);
  return 'done';
}

interface Before {
  readonly command: Command;
  /** The option whose value is the next word. */
  readonly pending: Option | undefined;
  readonly hasArgument: boolean;
  readonly ended: boolean;
}

function parseWords(program: Command, words: readonly string[]): Before {
  let command = program;
  let pending: Option | undefined;
  let hasArgument = false;
  for (const word of words) {
    if (pending) pending = undefined;
    else if (word === '--') return { command, pending, hasArgument, ended: true };
    else if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => word === long || word === short);
      if (option?.required) pending = option;
    } else {
      const inner = command.commands.find((known) => known.name() === word);
      if (inner) command = inner;
      else hasArgument = true;
    }
  }
  return { command, pending, hasArgument, ended: false };
}

function candidatesFor({ command, pending, hasArgument, ended }: Before, written: string): Candidate[] {
  if (ended) return [];
  if (pending) return valuesOf(pending);
  if (written.startsWith('-')) {
    const help = { text: '--help', description: 'print this help' };
    const options = command.options.map(({ long, description }) => ({ text: long ?? '', description }));
    return [...options, help];
  }
  if (hasArgument && !command.registeredArguments.some(({ variadic }) => variadic)) return [];
  switch (command.name()) {
    case 'help':
      return [...(command.parent ? commandsOf(command.parent) : []), ...matchingNames(topicNames)];
    case 'schema':
      return matchingNames(schemaNames);
    case 'completion':
      return matchingNames(shells);
    default:
      return commandsOf(command);
  }
}

function commandsOf(command: Command): Candidate[] {
  const commands = command.createHelp().visibleCommands(command);
  return commands.map((inner) => ({
    text: inner.name(),
    description: inner.summary() || inner.description(),
  }));
}

function valuesOf({ long, argChoices }: Option): Candidate[] {
  if (argChoices) return matchingNames(argChoices);
  switch (long) {
    case '--report':
      return matchingNames(formatNames.map((format) => `${format}=`));
    case '--pipeline':
      return matchingNames(pipelines);
    case '--merges':
      return matchingNames(['create', 'update']);
    default:
      return [];
  }
}

function matchingNames(names: readonly string[]): Candidate[] {
  return names.map((text) => ({ text }));
}
