#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { apply, type ApplyOptions } from './commands/apply.ts';
import type { Context } from './commands/context.ts';
import { nodeContext } from './commands/node-context.ts';
import { plan, type PlanOptions } from './commands/plan.ts';
import { runCommand } from './commands/run-command.ts';
import { sandbox, type SandboxOptions } from './commands/sandbox.ts';
import { schema } from './commands/schema.ts';
import { validate, type ValidateOptions } from './commands/validate.ts';
import { UsageError } from './errors.ts';
import { exitCodes, type Ending, type InterruptSignal } from './exit-code.ts';
import { inline } from './report/escape.ts';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] satisfies InterruptSignal[]) {
  // The second of a kind finds no listener, and ends the process at once.
  process.once(signal, () => interruption.abort(signal));
}
let outputLost = false;
process.stderr.on('error', () => {}); // there is nowhere left to say it
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return; // who reads us may stop reading
  outputLost = true;
  process.stderr.write(`error: the result could not be written: ${error.message}\n`);
  if (!process.exitCode) end('failed');
});

function end(ending: Ending | { readonly exitCode: number }): void {
  const code = typeof ending === 'string' ? exitCodes[ending] : ending.exitCode;
  process.exitCode = code === exitCodes.done && outputLost ? exitCodes.failed : code;
}

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
    .command('validate')
    .summary('check manifests; sends nothing')
    .description('Checks manifests and says everything that is wrong with them. Sends nothing.')
    .argument('[path...]', 'files, folders, globs, or - for standard input')
    .addOption(outputOption())
    .addOption(colourOption())
    .addOption(noColourOption())
    .action(async (paths: string[], options: ValidateOptions & ColourOption) => {
      end(await validate(paths, options, contextFor(options)));
    });

  withServiceOptions(rollcall.command('plan'))
    .summary('show what apply would create; creates nothing')
    .description('Looks up the declared applications and shows what apply would create. Creates nothing.')
    .option('--detailed-exitcode', 'exit 2 when there is something to create')
    .addOption(outputOption())
    .action(async (paths: string[], options: PlanOptions & ColourOption) => {
      end(await plan(paths, options, contextFor(options)));
    });

  withServiceOptions(rollcall.command('apply'))
    .summary('create what is missing')
    .description('Shows the plan, asks for a yes, and creates what is missing.')
    .option('-y, --yes', 'do not ask')
    .addOption(outputOption())
    .action(async (paths: string[], options: ApplyOptions & ColourOption) => {
      end(await apply(paths, options, contextFor(options)));
    });

  rollcall
    .command('schema')
    .summary('print a JSON Schema')
    .description('Prints a JSON Schema, for editors and for the readers of what rollcall writes.')
    .argument('<name>', 'manifest, plan, apply, validation or sandbox-seed')
    .action((name: string) => end(schema(name, contextFor({}))));

  rollcall
    .command('sandbox')
    .summary('serve the API from memory, to try things on')
    .description(
      'Serves the API from memory on the loopback interface. With a command, runs it against the sandbox\nand exits as the command did.',
    )
    .argument('[command...]', 'after --: the command to run, with ROLLCALL_URL and ROLLCALL_TOKEN set')
    .option('--port <n>', 'listen on this port (default: any free one)')
    .option('--latency <ms>', 'how long each answer takes (default: 0)')
    .option('--seed <file>', 'a YAML file of what exists at the start')
    .passThroughOptions()
    .action(async (command: string[], options: SandboxOptions) => {
      end(await sandbox(command, options, contextFor({}), runCommand));
    });

  return rollcall;
}

interface ColourOption {
  readonly color?: boolean;
}

function contextFor({ color }: ColourOption): Context {
  return nodeContext(toolVersion(), interruption.signal, color);
}

function withServiceOptions(command: Command): Command {
  return command
    .argument('[path...]', 'files, folders, globs, or - for standard input')
    .addHelpText('after', '\nROLLCALL_TOKEN holds the access token.')
    .option('--url <url>', 'the base URL of the service (ROLLCALL_URL)')
    .option(
      '--token-file <file>',
      'a file that holds the token, or - for standard input (ROLLCALL_TOKEN_FILE)',
    )
    .option('--concurrency <n>', 'requests under way at a time (ROLLCALL_CONCURRENCY; default: 4)')
    .option('--timeout <seconds>', 'how long one request may take (default: 60)')
    .option('--insecure-http', 'allow http:// to hosts other than this one')
    .addOption(colourOption())
    .addOption(noColourOption());
}

function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print the result')
    .choices(['text', 'json'])
    .default('text');
}

function colourOption(): Option {
  return new Option('--color', 'use colours even without a terminal');
}

function noColourOption(): Option {
  return new Option('--no-color', 'use no colours');
}

function toolVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version; // our own package.json
}
