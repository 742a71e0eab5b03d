import { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import type { EnvironmentVariables } from '../settings/environment.ts';
import type { Context } from '../terminal/context.ts';
import {
  commands,
  commandGroups,
  topicsText,
  type CommandDeclaration,
  type ProgramEnding,
} from './declare.ts';
import { helpColumns, groupOptions } from './option-groups.ts';

/** The environment of the program: this process, or a substitute in a test. */
export interface ProgramEnvironment {
  readonly env: EnvironmentVariables;
  readonly writeOut: (text: string) => void;
  readonly writeErr: (text: string) => void;
  /** Makes the Context of a command; `colours` is the flag for colours, if given. */
  readonly contextFor: (toolVersion: string, colours: boolean | undefined) => Promise<Context>;
}

/** An environment in which commands can be listed but not run. */
const inertEnvironment: ProgramEnvironment = {
  env: {},
  writeOut: () => {},
  writeErr: () => {},
  contextFor: () => Promise.reject(new Error('no command can run in this environment')),
};

/**
 * All commands and their options. If `called` is given, only that command is declared, because declaring all of them takes long.
 * The code of a command is loaded when it runs, so `--help` does not load it.
 */
export function program(
  toolVersion: string,
  end: (ending: ProgramEnding) => void,
  { writeOut, writeErr, contextFor }: ProgramEnvironment = inertEnvironment,
  called?: string,
): Command {
  const rollcall: Command = new Command('rollcall')
    .description(
      'Manages the configuration of authentik, an identity service: checks manifests, shows what is missing or differs in the service, and applies the manifests.',
    )
    .version(toolVersion, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false) // our own help command also shows topics
    .configureHelp({ minWidthToWrap: 20 }) // otherwise words are cut on a narrow terminal
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut, writeErr, outputError: () => {} }) // `run` reports it
    .addHelpText(
      'after',
      () =>
        `\n${rollcall.createHelp().boxWrap(topicsText, helpColumns(rollcall))}\n${example('rollcall init')}`,
    )
    .hook('preAction', (_, command) => refuseEmptyValues(command));
  const alone = commands.filter(({ name, isOfAll }) => !isOfAll && name.split(' ', 1)[0] === called);
  for (const { load, ...declared } of alone.length > 0 ? alone : commands) {
    const command = declare(rollcall, declared);
    command.action(async (...given: unknown[]) => {
      const run = await load(rollcall);
      const context = await contextFor(toolVersion, command.opts<{ color?: boolean }>().color);
      // Commander passes the declared arguments, then the options, and the command itself last.
      end(await run(...([...given.slice(0, -1), context] as never[])));
    });
  }
  for (const command of rollcall.commands) groupOptions(command);
  return rollcall;
}

function declare(rollcall: Command, declared: Omit<CommandDeclaration, 'load'>): Command {
  const { summary = '', description, argument, example: line, options = [] } = declared;
  const [name = '', group] = declared.name.split(' ').toReversed();
  const command = (group === undefined ? rollcall : groupIn(rollcall, group))
    .command(name, { hidden: summary === '' })
    .summary(summary)
    .description(description)
    .passThroughOptions(declared.passesOptions === true);
  if (argument) command.argument(...argument);
  for (const make of options) command.addOption(make());
  return line === undefined ? command : command.addHelpText('after', example(line));
}

function groupIn(rollcall: Command, name: string): Command {
  const { summary = '', example: line } = commandGroups[name] ?? {};
  const command = rollcall.command(name).helpCommand(false).summary(summary);
  return line === undefined ? command : command.addHelpText('after', example(line));
}

function example(command: string): string {
  return `\nExample: ${command}`;
}

/** Refuses empty values of options, which usually come from an unset variable of the shell. */
function refuseEmptyValues(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (value === '' || (Array.isArray(value) && value.includes('')))
      throw new UsageError(
        `${option.long} has an empty value`,
        'Give the option a value, or leave the option out.',
      );
  }
}
