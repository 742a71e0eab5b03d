import { Command, Option } from 'commander';
import { UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { topicNames } from '../base/package-file.ts';
import { delimiters } from '../adopt/choices.ts';
import type { ApplyOptions } from './apply.ts';
import type { Environment } from '../settings/environment.ts';
import type { Context } from '../terminal/context.ts';
import type { DoctorOptions } from './doctor.ts';
import type { ExportOptions } from './export-options.ts';
import type { ImportCsvOptions } from './import-csv.ts';
import type { InitOptions } from './init-files.ts';
import {
  capabilityOption,
  commentKeyOption,
  connectionOptions,
  failOnOption,
  outputOption,
  reportOption,
  verboseOption,
  withColourOptions,
  withConfigOptions,
  withDetailOptions,
  withExportOptions,
  withOptions,
  withProjectOptions,
  withRunOptions,
  withServiceOptions,
  type ColourOption,
  sandboxReleaseOption,
} from './options.ts';
import type { PlanOptions } from './plan.ts';
import type { ReportMergeOptions } from './report-merge.ts';
import type { SandboxOptions } from './sandbox.ts';
import type { ShowOptions } from './show.ts';
import type { ValidateOptions } from './validate.ts';

/** How a run of the program ended; a command that the sandbox ran has an exit code of its own. */
export type ProgramEnding = Ending | { readonly exitCode: number };

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
  const contextFor = ({ color }: ColourOption): Promise<Context> => contextOf(toolVersion, color);
  const columns = (): number => rollcall.configureOutput().getOutHelpWidth?.() ?? 80;
  const rollcall: Command = new Command('rollcall')
    .description(
      'Calls the roll of authentik, an identity service: checks the applications and users that manifests declare, shows which are missing, and creates them.',
    )
    .version(toolVersion, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false) // there is one below, which knows topics too
    .configureHelp({ minWidthToWrap: 20 }) // else a narrow terminal cuts words
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut, writeErr, outputError: () => {} }) // told by `run`
    .addHelpText(
      'after',
      () => `\n${rollcall.createHelp().boxWrap(topics, columns())}\n${example('rollcall init')}`,
    )
    .hook('preAction', (_, command) => refuseEmptyValues(command));

  rollcall
    .command('init')
    .summary('write the first files of a project')
    .description(
      'Writes rollcall.yaml, a first manifest and a pipeline file, and checks the service. Overwrites nothing.',
    )
    .argument('[dir]', 'where (default: here)')
    .option('-y, --yes', 'do not ask; take the defaults')
    .option('--url <url>', 'the base URL of the service (ROLLCALL_URL)')
    .option('--token-env <name>', 'the variable that holds the token (default: ROLLCALL_TOKEN)')
    .option('--manifests <path>', 'the manifests, if there are some (default: writes one)')
    .option('--pipeline <kind>', 'github, gitlab or none (default: none)')
    .option('--insecure-http', 'allow http:// to hosts other than this one')
    .option('--ca-file <file>', 'a PEM file of authorities to trust as well')
    .addHelpText('after', example('rollcall init --url https://id.example.com --pipeline github'))
    .action(async (folder: string | undefined, options: InitOptions) => {
      const { init } = await import('./init.ts');
      end(await init(folder, options, await contextFor({})));
    });

  withProjectOptions(rollcall.command('validate'))
    .summary('check manifests; sends nothing')
    .description('Checks manifests and says everything that is wrong with them. Sends nothing.')
    .addHelpText('after', example('rollcall validate manifests --report sarif=problems.sarif'))
    .option('-q, --quiet', 'print no warnings')
    .option('--without-secrets', 'read no ${env:} and ${file:}; check all else')
    .addOption(reportOption())
    .addOption(commentKeyOption())
    .action(async (paths: string[], options: ValidateOptions & ColourOption) => {
      const { validate } = await import('./validate.ts');
      end(await validate(paths, options, await contextFor(options)));
    });

  withRunOptions(
    rollcall
      .command('plan')
      .option('--out <file>', 'save the plan, for `rollcall apply --plan`')
      .option('--detailed-exitcode', 'exit 2 when apply would do something')
      .addOption(failOnOption()),
  )
    .summary('show what apply would do; does nothing of it')
    .description('Shows what apply would create or change. Does neither.')
    .addHelpText('after', forMoreOfRuns('rollcall plan manifests --env production --out plan.json'))
    .action(async (paths: string[], options: PlanOptions & ColourOption) => {
      const { plan } = await import('./plan.ts');
      end(await plan(paths, options, await contextFor(options)));
    });

  withRunOptions(
    rollcall
      .command('apply')
      .option('-y, --yes', 'do not ask')
      .option('--plan <file>', 'apply a saved plan, exactly and without asking')
      .option('--fail-fast', 'start nothing more after the first failure'),
    ['text', 'json', 'ndjson'],
  )
    .summary('create what is missing')
    .description('Shows the plan, asks for a yes, creates what is missing, changes what it may.')
    .addHelpText('after', forMoreOfRuns('rollcall apply --plan plan.json'))
    .action(async (paths: string[], options: ApplyOptions & ColourOption) => {
      const { apply } = await import('./apply.ts');
      end(await apply(paths, options, await contextFor(options)));
    });

  const showing = withDetailOptions(rollcall.command('show')).addOption(outputOption());
  withColourOptions(showing.addOption(reportOption()).addOption(commentKeyOption()))
    .summary('print what a plan or an apply has written; sends nothing')
    .description(
      'Prints a plan that `plan --out` saved, or what `plan -o json` or `apply -o json` printed. Sends nothing, and needs no service.',
    )
    .argument('<file>', 'the saved plan, or the JSON document')
    .addHelpText('after', example('rollcall show plan.json --report html=plan.html'))
    .action(async (file: string, options: ShowOptions & ColourOption) => {
      const { show } = await import('./show.ts');
      end(await show(file, options, await contextFor(options)));
    });

  const reaching = withServiceOptions(
    rollcall
      .command('doctor')
      .option('--wait <seconds>', 'wait for a service that is starting (default: 0)')
      .option('--contract-only', 'look up an application, and ask nothing else')
      .option('--role', 'print the least role for rollcall, as a blueprint, and ask nothing'),
  );
  const ofDoctor = withConfigOptions(
    withOptions(reaching, [...connectionOptions(), verboseOption()]),
    capabilityOption(),
  );
  withColourOptions(ofDoctor.addOption(outputOption()))
    .summary('check the service, the token and the way to them')
    .description(
      'Looks up an application that nobody has, asks whose the token is and what it may create, and says what that tells. Creates nothing.',
    )
    .addHelpText('after', example('rollcall doctor --url https://id.example.com --wait 60'))
    .action(async (options: DoctorOptions & ColourOption) => {
      const { doctor } = await import('./doctor.ts');
      end(await doctor(options, await contextFor(options)));
    });

  const report = rollcall.command('report').helpCommand(false).summary('work on the reports of several runs');
  const merging = withDetailOptions(report.command('merge')).addOption(outputOption());
  withColourOptions(merging.addOption(reportOption()))
    .summary('join the reports of shards')
    .description(
      'Joins the JSON documents that the shards of one plan or apply printed. Fails when a shard is missing or doubled.',
    )
    .addOption(commentKeyOption())
    .argument('<file...>', 'the document of each shard, of `plan -o json` or `apply -o json`')
    .addHelpText('after', example('rollcall report merge shard-*.json'))
    .action(async (files: string[], options: ReportMergeOptions & ColourOption) => {
      const { reportMerge } = await import('./report-merge.ts');
      end(await reportMerge(files, options, await contextFor(options)));
    });

  withExportOptions(rollcall.command('export'))
    .summary('write manifests of what the service holds')
    .description(
      'Writes manifests of the applications and users that the service holds; a plan of them finds nothing to do. Changes nothing in the service, and no file that is there. Needs the capabilities lists and, for users, lookup-users.',
    )
    .addHelpText('after', forMore('rollcall export --out manifests'))
    .action(async (options: ExportOptions & ColourOption) => {
      const { exportManifests } = await import('./export.ts');
      end(await exportManifests(options, await contextFor(options)));
    });

  const importing = rollcall
    .command('import')
    .helpCommand(false)
    .summary('write manifests of what is kept elsewhere')
    .addHelpText('after', example('rollcall import csv people.csv --out manifests'));
  withColourOptions(
    importing
      .command('csv')
      .addOption(
        new Option('--delimiter <name>', 'what stands between cells')
          .choices(Object.keys(delimiters))
          .default('comma'),
      )
      .option('--out <path>', 'a new file, or a folder for it (default: stdout)'),
  )
    .summary('write a manifest of the rows of a table')
    .description(
      'Writes a manifest of a CSV file: its first row names the fields, such as username, email, groups and attributes.department. Changes no file that is there, and sends nothing.',
    )
    .argument('<file>', 'the CSV file, or - for standard input')
    .addHelpText('after', example('rollcall import csv people.csv --out manifests/people.yaml'))
    .action(async (file: string, options: ImportCsvOptions & ColourOption) => {
      const { importCsv } = await import('./import-csv.ts');
      end(await importCsv(file, options, await contextFor(options)));
    });

  rollcall
    .command('schema')
    .summary('print a JSON Schema')
    .description('Prints a JSON Schema, for editors and for the readers of what rollcall writes.')
    .argument('<name>', 'manifest, config, plan, apply, apply-event, validation, doctor or sandbox-seed')
    .addHelpText('after', example('rollcall schema manifest > manifest.schema.json'))
    .action(async (name: string) => {
      const { schema } = await import('./schema.ts');
      end(schema(name, await contextFor({})));
    });

  rollcall
    .command('sandbox')
    .summary('serve the API from memory, to try things on')
    .description(
      'Serves the API from memory on the loopback interface. With a command, runs it against the sandbox and exits as the command did.',
    )
    .argument('[command...]', 'after --: the command to run, with ROLLCALL_URL and ROLLCALL_TOKEN set')
    .option('--port <n>', 'listen on this port (default: any free one)')
    .option('--latency <ms>', 'how long each answer takes (default: 0)')
    .option('--seed <file>', 'a YAML file of what exists at the start')
    .addOption(sandboxReleaseOption())
    .addHelpText('after', example('rollcall sandbox -- rollcall apply manifests --yes'))
    .passThroughOptions()
    .action(async (command: string[], options: SandboxOptions) => {
      const [{ sandbox }, { runCommand }] = await Promise.all([
        import('./sandbox.ts'),
        import('../terminal/run-command.ts'),
      ]);
      end(await sandbox(command, options, await contextFor({}), runCommand));
    });

  rollcall
    .command('completion')
    .summary('print the completion script of a shell')
    .description(
      'Prints a script for bash, zsh or fish. It completes commands, options, environments and the addresses of the manifests here, for a rollcall that is on the PATH.',
    )
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', example('source <(rollcall completion bash)'))
    .action(async (shell: string) => {
      const { completion } = await import('./completion.ts');
      end(completion(shell, await contextFor({})));
    });

  rollcall
    .command('help')
    .summary('print the help of a command, or a page on a topic')
    .description(`Prints the help of a command, or a page of the documents.\n\n${topics}`)
    .argument('[name...]', 'a command or a topic')
    .addHelpText('after', example('rollcall help exit-codes'))
    .action(async (words: string[]) => {
      const { help } = await import('./help.ts');
      end(help(words, rollcall, columns(), await contextFor({})));
    });

  rollcall
    .command('complete', { hidden: true })
    .description('Prints what can stand in place of the last word; for the scripts of completion.')
    .argument('[word...]')
    .action(async (words: string[]) => {
      const { complete } = await import('./complete.ts');
      const context = await contextFor({});
      for (const { text, description } of await complete(rollcall, words, context))
        context.stdout.write(`${text}${description === undefined ? '' : `\t${description}`}\n`);
    });

  return rollcall;
}

const topics = `Topics: ${topicNames.join(', ')}.`;

/** An empty value is mostly that of a variable of the shell that is not set. */
function refuseEmptyValues(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (value === '' || (Array.isArray(value) && value.includes('')))
      throw new UsageError(`${option.long} is given an empty value`, 'Give it a value, or leave it out.');
  }
}

function example(command: string): string {
  return `\nExample: ${command}`;
}

function forMore(command: string): string {
  return `\nProxies, certificates, headers and time limits: rollcall doctor --help${example(command)}`;
}

/** One line, so that the help of the commands with most options fits a screen. */
function forMoreOfRuns(command: string): string {
  return `\nProxies, headers, …: rollcall doctor --help; --allow: rollcall help capabilities${example(command)}`;
}
