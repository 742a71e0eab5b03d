import type { Command, Option } from 'commander';
import type { Ending } from '../base/exit-code.ts';
import { formatNames } from '../report/formats/all.ts';
import { schemaNames, topicNames } from '../base/package-file.ts';
import { pipelines } from './init-files.ts';
import { shells } from './completion.ts';
import type { Context } from '../terminal/context.ts';

/** What can stand where a shell asks. */
interface Candidate {
  readonly text: string;
  readonly description?: string;
}

/** What can stand in place of the last of the words, the others being before it. Nothing, where it is a file or a name of the user's own. */
export function complete(program: Command, words: readonly string[]): Candidate[] {
  const written = words.at(-1) ?? '';
  const candidates = candidatesFor(read(program, words.slice(0, -1)), written);
  return candidates.filter(({ text }) => text.startsWith(written) && !written.endsWith('='));
}

/** `rollcall complete`: for the scripts of completion, each candidate in a line. */
export function printCandidates(
  program: Command,
  words: readonly string[],
  { stdout }: Pick<Context, 'stdout'>,
): Ending {
  for (const { text, description } of complete(program, words))
    stdout.write(`${text}${description === undefined ? '' : `\t${description}`}\n`);
  return 'done';
}

/** What the words so far come to. */
interface Before {
  readonly command: Command;
  /** The option whose value is next. */
  readonly pending: Option | undefined;
  /** Whether an argument was among them that is no command. */
  readonly hasArgument: boolean;
  /** Whether a -- was among them. */
  readonly ended: boolean;
}

function read(program: Command, words: readonly string[]): Before {
  let command = program;
  let pending: Option | undefined;
  let hasArgument = false;
  for (const word of words) {
    if (pending) pending = undefined;
    else if (word === '--') return { command, pending, hasArgument, ended: true };
    else if (word.startsWith('-') && word !== '-') {
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
      return [...(command.parent ? commandsOf(command.parent) : []), ...named(topicNames)];
    case 'schema':
      return named(schemaNames);
    case 'completion':
      return named(shells);
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
  if (argChoices) return named(argChoices);
  switch (long) {
    case '--report':
      return named(formatNames.map((format) => `${format}=`));
    case '--pipeline':
      return named(pipelines);
    case '--merges':
      return named(['create', 'update']);
    default:
      return [];
  }
}

function named(names: readonly string[]): Candidate[] {
  return names.map((text) => ({ text }));
}
