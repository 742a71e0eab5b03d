import { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import type { Environment } from '../settings/environment.ts';
import type { Context } from '../terminal/context.ts';
import {
  declareApply,
  declarePlan,
  declareReportMerge,
  declareShow,
  declareValidate,
} from './declare-runs.ts';
import {
  declareComplete,
  declareCompletion,
  declareDoctor,
  declareExport,
  declareHelp,
  declareImportCsv,
  declareInit,
  declareSandbox,
  declareSchema,
  topics,
} from './declare-tools.ts';
import { withGroups } from './option-groups.ts';
import { example, type Caller, type ProgramEnding } from './options.ts';

/** What the program runs in: this process, or in a test something in its place. */
export interface Surroundings {
  readonly env: Environment;
  /** Help and the version. */
  readonly writeOut: (text: string) => void;
  /** What is wrong with the arguments. */
  readonly writeErr: (text: string) => void;
  /** What a command runs in; `colours` is what the flags say of colours, if anything. */
  readonly contextFor: (toolVersion: string, colours: boolean | undefined) => Promise<Context>;
}

/** For listing the commands without running one. */
const nowhere: Surroundings = {
  env: {},
  writeOut: () => {},
  writeErr: () => {},
  contextFor: () => Promise.reject(new Error('there is nothing to run a command in')),
};

/** All commands and their options. A command is loaded when it is called: `--help` needs none of them. */
export function program(
  toolVersion: string,
  end: (ending: ProgramEnding) => void,
  { writeOut, writeErr, contextFor: contextOf }: Surroundings = nowhere,
): Command {
  const caller: Caller = { end, contextFor: ({ color }) => contextOf(toolVersion, color) };
  const columns = (): number => rollcall.configureOutput().getOutHelpWidth?.() ?? 80;
  const rollcall: Command = new Command('rollcall')
    .description(
      'Calls the roll of authentik, an identity service: checks the applications, groups and users that manifests declare, shows which are missing, and creates them.',
    )
    .version(toolVersion, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false) // there is one below, which knows topics too
    .configureHelp({ minWidthToWrap: 20 }) // else a narrow terminal cuts words
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut, writeErr, outputError: () => {} }) // `run` reports it
    .addHelpText(
      'after',
      () => `\n${rollcall.createHelp().boxWrap(topics, columns())}\n${example('rollcall init')}`,
    )
    .hook('preAction', (_, command) => refuseEmptyValues(command));

  declareInit(rollcall, caller);
  declareValidate(rollcall, caller);
  declarePlan(rollcall, caller);
  declareApply(rollcall, caller);
  declareShow(rollcall, caller);
  declareDoctor(rollcall, caller);
  declareReportMerge(rollcall, caller);
  declareExport(rollcall, caller);
  declareImportCsv(rollcall, caller);
  declareSchema(rollcall, caller);
  declareSandbox(rollcall, caller);
  declareCompletion(rollcall, caller);
  declareHelp(rollcall, caller, columns);
  declareComplete(rollcall, caller);
  for (const command of rollcall.commands) withGroups(command);
  return rollcall;
}

/** An empty value is mostly that of a variable of the shell that is not set. */
function refuseEmptyValues(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (value === '' || (Array.isArray(value) && value.includes('')))
      throw new UsageError(`${option.long} is given an empty value`, 'Give it a value, or leave it out.');
  }
}
