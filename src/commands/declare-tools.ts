import { Option, type Command } from 'commander';
import { delimiters } from '../adopt/choices.ts';
import { UsageError } from '../base/errors.ts';
import { schemaNames, schemaText, topicNames } from '../base/package-file.ts';
import type { DoctorOptions } from './doctor.ts';
import type { ExportOptions } from './export-options.ts';
import type { ImportCsvOptions } from './import-csv.ts';
import type { InitOptions } from './init-files.ts';
import {
  capabilityOption,
  connectionOptions,
  example,
  outputOption,
  sandboxReleaseOption,
  verboseOption,
  withColourOptions,
  withConfigOptions,
  withExportOptions,
  withOptions,
  withServiceOptions,
  type Caller,
  type ColourOption,
  collect,
} from './options.ts';
import type { SandboxOptions } from './sandbox.ts';

// The commands around a project. Each is loaded when it is called.

export function declareInit(rollcall: Command, { end, contextFor }: Caller): void {
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
}

export function declareDoctor(rollcall: Command, { end, contextFor }: Caller): void {
  const reaching = withServiceOptions(
    rollcall
      .command('doctor')
      .option('--wait <seconds>', 'wait for a service that is starting (default: 0)')
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
}

export function declareExport(rollcall: Command, { end, contextFor }: Caller): void {
  withExportOptions(rollcall.command('export'))
    .summary('write manifests of what the service holds')
    .description(
      'Writes manifests of the applications, groups and users that the service holds; a plan of them finds nothing to do. Changes nothing in the service, and no file that is there. The token must be that of a superuser for applications, and may view users for them.',
    )
    .addHelpText('after', example('rollcall export --out manifests'))
    .action(async (options: ExportOptions & ColourOption) => {
      const { exportManifests } = await import('./export.ts');
      end(await exportManifests(options, await contextFor(options)));
    });
}

export function declareImportCsv(rollcall: Command, { end, contextFor }: Caller): void {
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
      .option('--out <path>', 'a new file, or a folder for it (default: stdout)')
      .option('--into <file>', 'a manifest that is there: write what differs')
      .option('--max-gone <n>', 'with --into: how many may have left (default: half)')
      .option('--column <name=field>', 'which field a column is; repeatable', collect)
      .option('--ignore <name>', 'leave a column out; repeatable', collect),
  )
    .summary('write a manifest of the rows of a table')
    .description(
      'Writes a manifest of a CSV file: its first row names the fields, such as username, email, groups and attributes.department. Changes no file that is there, but with --into, and sends nothing.',
    )
    .argument('<file>', 'the CSV file, or - for standard input')
    .addHelpText('after', example('rollcall import csv people.csv --out manifests/people.yaml'))
    .action(async (file: string, options: ImportCsvOptions & ColourOption) => {
      const { importCsv } = await import('./import-csv.ts');
      end(await importCsv(file, options, await contextFor(options)));
    });
}

export function declareSchema(rollcall: Command, { end, contextFor }: Caller): void {
  rollcall
    .command('schema')
    .summary('print a JSON Schema')
    .description('Prints a JSON Schema, for editors and for the readers of what rollcall writes.')
    .argument('<name>', 'manifest, config, plan, apply, apply-event, validation, doctor or sandbox-seed')
    .addHelpText('after', example('rollcall schema manifest > manifest.schema.json'))
    .action(async (name: string) => {
      const known = schemaNames.find((schemaName) => schemaName === name);
      if (known === undefined)
        throw new UsageError(
          `there is no schema ${JSON.stringify(name)}`,
          `The schemas are: ${schemaNames.join(', ')}.`,
        );
      (await contextFor({})).stdout.write(schemaText(known));
      end('done');
    });
}

export function declareSandbox(rollcall: Command, { end, contextFor }: Caller): void {
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
}

export function declareCompletion(rollcall: Command, { end, contextFor }: Caller): void {
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
}

export function declareHelp(rollcall: Command, { end, contextFor }: Caller, columns: () => number): void {
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
}

export function declareComplete(rollcall: Command, { contextFor }: Caller): void {
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
}

export const topics: string = `Topics: ${topicNames.join(', ')}.`;
