import type { Command, Option } from 'commander';
import type { Ending } from '../base/exit-code.ts';
import { formatNames } from '../report/formats/all.ts';
import { inline } from '../report/printable.ts';
import { environmentNames } from '../settings/config.ts';
import { readSettings } from '../settings/settings.ts';
import { schemaNames, topicNames } from '../base/package-file.ts';
import { pipelines } from './init-files.ts';
import { check } from '../run/check.ts';
import { shells } from './completion.ts';
import { valuesOf as settingsIn } from './flags.ts';
import type { Context } from '../terminal/context.ts';

/** What can stand where a shell asks. */
interface Candidate {
  readonly text: string;
  readonly description?: string;
}

/**
 * What can stand in place of the last of the words, the others being before it. Nothing, where it is a file. The program says
 * which commands and options there are; addresses and environments are those of the manifests and the rollcall.yaml at hand.
 */
export async function complete(
  program: Command,
  words: readonly string[],
  context: Context,
): Promise<Candidate[]> {
  const written = words.at(-1) ?? '';
  const before = read(program, words.slice(0, -1));
  // Standard input is the terminal here: do not wait for a manifest on it.
  const files = { ...context.files, readStandardInput: async () => new Uint8Array() };
  const candidates = await candidatesFor(before, written, { ...context, files }).catch(() => []); // a prompt is no place for an error
  return candidates.filter(
    ({ text }) => text.startsWith(written) && !written.endsWith('=') && text === inline(text),
  );
}

/** `rollcall complete`: for the scripts of completion, each candidate in a line. */
export async function printCandidates(
  program: Command,
  words: readonly string[],
  context: Context,
): Promise<Ending> {
  for (const { text, description } of await complete(program, words, context))
    context.stdout.write(`${text}${description === undefined ? '' : `\t${description}`}\n`);
  return 'done';
}

/** What the words so far come to. */
interface Before {
  readonly command: Command;
  /** The option whose value is next. */
  readonly pending: Option | undefined;
  readonly paths: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  /** Whether a -- was among them. */
  readonly ended: boolean;
}

function read(program: Command, words: readonly string[]): Before {
  let command = program;
  let pending: Option | undefined;
  const paths: string[] = [];
  const flags: Record<string, string> = {};
  for (const word of words) {
    if (pending) {
      flags[pending.attributeName()] = word;
      pending = undefined;
    } else if (word === '--') {
      return { command, pending, paths, flags, ended: true };
    } else if (word.startsWith('-') && word !== '-') {
      const option = command.options.find(({ long, short }) => word === long || word === short);
      if (option?.required) pending = option;
    } else {
      const inner = command.commands.find((known) => known.name() === word);
      if (inner) command = inner;
      else paths.push(word);
    }
  }
  return { command, pending, paths, flags, ended: false };
}

async function candidatesFor(before: Before, written: string, context: Context): Promise<Candidate[]> {
  const { command, pending, paths, ended } = before;
  if (ended) return [];
  if (pending) return valuesOf(pending, before, context);
  if (written.startsWith('-')) {
    const help = { text: '--help', description: 'print this help' };
    const options = command.options.map(({ long, description }) => ({ text: long ?? '', description }));
    return [...options, help];
  }
  if (paths.length > 0 && !command.registeredArguments.some(({ variadic }) => variadic)) return [];
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

async function valuesOf(option: Option, { paths, flags }: Before, context: Context): Promise<Candidate[]> {
  if (option.argChoices) return named(option.argChoices);
  switch (option.long) {
    case '--env':
      return named(await environmentNames(flags['config'], context.files));
    case '--target':
    case '--exclude': {
      const { config, env } = flags;
      const project = { ...(config !== undefined && { config }), ...(env !== undefined && { env }) };
      // Nobody who presses TAB expects a secret to be read.
      const settings = await readSettings(await settingsIn(project, {}), context, 'names', paths);
      const { addresses } = await check(settings, context, { secrets: 'assumed', keep: () => false });
      return named([...addresses]);
    }
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
