#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import type { ApplyOptions } from './commands/apply.ts';
import type { Context } from './commands/context.ts';
import type { DoctorOptions } from './commands/doctor.ts';
import type { InitOptions } from './commands/init.ts';
import type { PlanOptions } from './commands/plan.ts';
import type { ReportMergeOptions } from './commands/report-merge.ts';
import type { SandboxOptions } from './commands/sandbox.ts';
import type { ValidateOptions } from './commands/validate.ts';
import { UsageError } from './errors.ts';
import { exitCodes, type Ending } from './exit-code.ts';
import { inline } from './report/escape.ts';

let outputLost = false;
process.stderr.on('error', () => {}); // there is nowhere left to say it
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return; // who reads us may stop reading
  outputLost = true;
  process.stderr.write(`error: the result could not be written: ${error.message}\n`);
  if (!process.exitCode) end('failed');
});

try {
  await program().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    end(error.exitCode === 0 ? 'done' : 'invalid'); // commander has said it
  } else if (error instanceof UsageError) {
    process.stderr.write(`error: ${inline(error.message)}\n    ${inline(error.hint)}\n`);
    end('invalid');
  } else {
    throw error;
  }
}

function end(ending: Ending | { readonly exitCode: number }): void {
  const code = typeof ending === 'string' ? exitCodes[ending] : ending.exitCode;
  process.exitCode = code === exitCodes.done && outputLost ? exitCodes.failed : code;
}

/** A command is loaded when it is called: `--version` and `--help` need none of them. */
function program(): Command {
  const rollcall = new Command('rollcall')
    .description(
      'Calls the roll of an identity service: checks the applications and users that\nmanifests declare, shows which are missing, and creates them.',
    )
    .version(toolVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('--help shows the usage.');

  rollcall
    .command('init')
    .summary('write the first files of a project')
    .description(
      'Writes rollcall.yaml, a first manifest and a pipeline file, and checks\nthe service. Overwrites nothing.',
    )
    .argument('[dir]', 'where (default: here)')
    .option('-y, --yes', 'do not ask; take the defaults')
    .option('--url <url>', 'the base URL of the service (ROLLCALL_URL)')
    .option('--token-env <name>', 'the variable that holds the token (default: ROLLCALL_TOKEN)')
    .option('--pipeline <kind>', 'github, gitlab or none (default: none)')
    .option('--insecure-http', 'allow http:// to hosts other than this one')
    .option('--ca-file <file>', 'a PEM file of authorities to trust as well')
    .addHelpText('after', '\nrollcall init --url https://id.example.com --pipeline github')
    .action(async (folder: string | undefined, options: InitOptions) => {
      const { init } = await import('./commands/init.ts');
      end(await init(folder, options, await contextFor({})));
    });

  withProjectOptions(rollcall.command('validate'))
    .summary('check manifests; sends nothing')
    .description('Checks manifests and says everything that is wrong with them. Sends nothing.')
    .addOption(reportOption())
    .action(async (paths: string[], options: ValidateOptions & ColourOption) => {
      const { validate } = await import('./commands/validate.ts');
      end(await validate(paths, options, await contextFor(options)));
    });

  withRunOptions(rollcall.command('plan'))
    .summary('show what apply would create; creates nothing')
    .description('Looks up the declared applications and shows what apply would create. Creates nothing.')
    .option('--out <file>', 'save the plan, for `rollcall apply --plan`')
    .option('--detailed-exitcode', 'exit 2 when there is something to create')
    .action(async (paths: string[], options: PlanOptions & ColourOption) => {
      const { plan } = await import('./commands/plan.ts');
      end(await plan(paths, options, await contextFor(options)));
    });

  withRunOptions(rollcall.command('apply'), ['text', 'json', 'ndjson'])
    .summary('create what is missing')
    .description('Shows the plan, asks for a yes, and creates what is missing.')
    .option('-y, --yes', 'do not ask')
    .option('--plan <file>', 'apply a saved plan, exactly and without asking')
    .option('--fail-fast', 'begin nothing more after the first failure')
    .action(async (paths: string[], options: ApplyOptions & ColourOption) => {
      const { apply } = await import('./commands/apply.ts');
      end(await apply(paths, options, await contextFor(options)));
    });

  withServiceOptions(rollcall.command('doctor'))
    .summary('check the service, the token and the way to them')
    .description('Asks the service one harmless thing, and says what that tells. Creates nothing.')
    .option('--env <name>', 'the environment of rollcall.yaml (ROLLCALL_ENV)')
    .option('--config <file>', 'in place of rollcall.yaml')
    .option('--wait <seconds>', 'wait for a service that is starting')
    .addOption(outputOption(['text', 'json']))
    .addOption(colourOption())
    .addOption(noColourOption())
    .action(async (options: DoctorOptions & ColourOption) => {
      const { doctor } = await import('./commands/doctor.ts');
      end(await doctor(options, await contextFor(options)));
    });

  const report = rollcall.command('report').summary('work on the reports of several runs');
  report
    .command('merge')
    .summary('join the reports of shards')
    .description(
      'Joins the JSON documents that the shards of one plan or apply printed.\nFails when a shard is missing or doubled.',
    )
    .argument('<file...>', 'the document of each shard, of `plan -o json` or `apply -o json`')
    .addOption(outputOption(['text', 'json']))
    .addOption(reportOption())
    .addOption(colourOption())
    .addOption(noColourOption())
    .action(async (files: string[], options: ReportMergeOptions & ColourOption) => {
      const { reportMerge } = await import('./commands/report-merge.ts');
      end(await reportMerge(files, options, await contextFor(options)));
    });

  rollcall
    .command('schema')
    .summary('print a JSON Schema')
    .description('Prints a JSON Schema, for editors and for the readers of what rollcall writes.')
    .argument('<name>', 'manifest, config, plan, apply, apply-event, validation, doctor or sandbox-seed')
    .action(async (name: string) => {
      const { schema } = await import('./commands/schema.ts');
      end(schema(name, await contextFor({})));
    });

  rollcall
    .command('sandbox')
    .summary('serve the API from memory, to try things on')
    .description(
      'Serves the API from memory on the loopback interface. With a command, runs it\nagainst the sandbox and exits as the command did.',
    )
    .argument('[command...]', 'after --: the command to run, with ROLLCALL_URL and ROLLCALL_TOKEN set')
    .option('--port <n>', 'listen on this port (default: any free one)')
    .option('--latency <ms>', 'how long each answer takes (default: 0)')
    .option('--seed <file>', 'a YAML file of what exists at the start')
    .passThroughOptions()
    .action(async (command: string[], options: SandboxOptions) => {
      const [{ sandbox }, { runCommand }] = await Promise.all([
        import('./commands/sandbox.ts'),
        import('./commands/run-command.ts'),
      ]);
      end(await sandbox(command, options, await contextFor({}), runCommand));
    });

  return rollcall;
}

interface ColourOption {
  readonly color?: boolean;
}

async function contextFor({ color }: ColourOption): Promise<Context> {
  const { nodeContext } = await import('./commands/node-context.ts');
  return nodeContext(toolVersion(), color);
}

function withProjectOptions(command: Command, formats = ['text', 'json']): Command {
  return command
    .argument('[path...]', 'files, folders, globs, or - for standard input')
    .option('--env <name>', 'the environment of rollcall.yaml (ROLLCALL_ENV)')
    .option('--config <file>', 'in place of rollcall.yaml')
    .option('--var <name=value>', 'set a variable; repeatable', collect)
    .option('--vars <file>', 'a YAML file of variables; repeatable', collect)
    .option('--strict', 'make warnings errors')
    .addOption(outputOption(formats))
    .addOption(colourOption())
    .addOption(noColourOption());
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

function withServiceOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the base URL of the service (ROLLCALL_URL)')
    .option('--token-file <file>', 'holds the token; or - (ROLLCALL_TOKEN_FILE)')
    .option('--timeout <seconds>', 'how long one request may take (default: 60)')
    .option('--insecure-http', 'allow http:// to hosts other than this one')
    .option('--ca-file <file>', 'a PEM file of authorities to trust as well')
    .option('-q, --quiet', 'no progress and no remarks')
    .addHelpText('after', '\nROLLCALL_TOKEN holds the access token; HTTPS_PROXY and NO_PROXY are heeded.');
}

/** Of the commands that look up and create. */
function withRunOptions(command: Command, formats?: string[]): Command {
  return withServiceOptions(withProjectOptions(command, formats))
    .option('-v, --verbose', 'log each request to stderr (ROLLCALL_LOG=debug or json)')
    .option('--concurrency <n>', 'requests at a time, at the most (default: 16)')
    .option('--target <address>', 'only addresses like application.*; repeatable', collect)
    .option('--exclude <address>', 'no addresses like user.ci-*; repeatable', collect)
    .option('--shard <i/n>', 'one of n parts of the roll, chosen by address')
    .option('--max-creates <n>', 'refuse a plan that would create more')
    .addOption(reportOption());
}

function reportOption(): Option {
  return new Option(
    '--report <format=file>',
    'also write: text, json, markdown, html, junit, sarif or github; repeatable',
  ).argParser(collect);
}

function outputOption(formats: string[]): Option {
  return new Option('-o, --output <format>', '').choices(formats).default('text');
}

function colourOption(): Option {
  return new Option('--color', 'use colours even without a terminal').hideHelp();
}

function noColourOption(): Option {
  return new Option('--no-color', 'use no colours; --color: even without a terminal');
}

function toolVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version; // our own package.json
}
