import { Option, type Command } from 'commander';
import type { Ending } from '../base/exit-code.ts';
import type { Context } from '../terminal/context.ts';
import { splits } from '../adopt/choices.ts';
import { failOnNames } from './fail-on.ts';
import { defaultRelease, sandboxReleases } from '../sandbox/release.ts';
import { formatNames, printedFormats } from '../report/formats/all.ts';

/** How a command that is called is run, and says how it ended. */
export interface Caller {
  readonly end: (ending: ProgramEnding) => void;
  readonly contextFor: (options: ColourOption) => Promise<Context>;
}

/** How a run of the program ended; a command that the sandbox ran has an exit code of its own. */
export type ProgramEnding = Ending | { readonly exitCode: number };

export interface ColourOption {
  readonly color?: boolean;
}

/** Of the commands that read manifests. */
export function withProjectOptions(
  command: Command,
  capability: Option,
  formats?: readonly string[],
): Command {
  const project = withConfigOptions(command, capability)
    .argument('[path...]', 'files, folders, globs, or - for standard input')
    .option('--var <name=value>', 'set a variable; repeatable', collect)
    .option('--vars <file>', 'a YAML file of variables; repeatable', collect)
    .option('--strict', 'make warnings errors')
    .addOption(outputOption(formats));
  return withColourOptions(project);
}

/** Of the commands that read rollcall.yaml. */
export function withConfigOptions(command: Command, capability: Option): Command {
  return command
    .option('--env <name>', 'the environment of rollcall.yaml (ROLLCALL_ENV)')
    .option('--config <file>', 'in place of rollcall.yaml')
    .addOption(contractOnlyOption())
    .addOption(capability);
}

/** The second of two switches; the page on capabilities explains both. */
function allowOption(): Option {
  return new Option('--allow <action>', 'update or delete: what the run may do; repeatable').argParser(
    collect,
  );
}

function contractOnlyOption(): Option {
  return new Option('--contract-only', 'send only the three documented operations');
}

export function capabilityOption(): Option {
  return new Option('--capability <name>', 'turn it on: rollcall help capabilities; repeatable').argParser(
    collect,
  );
}

export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

/** Of the commands that talk to the service. */
export function withServiceOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the base URL of the service (ROLLCALL_URL)')
    .option('--token-file <file>', 'holds the token; or - (ROLLCALL_TOKEN_FILE)')
    .option('-q, --quiet', 'no progress, remarks or warnings');
}

/** How to get to the service. Only `doctor` shows these in its help: the help of the other commands should fit a screen. */
export function connectionOptions(): Option[] {
  return [
    new Option('--timeout <seconds>', 'how long one request may take (default: 60)'),
    new Option('--insecure-http', 'allow http:// to hosts other than this one'),
    new Option('--ca-file <file>', 'a PEM file of authorities to trust as well'),
    new Option('--client-cert <file>', 'a PEM file to show to a service that asks for it'),
    new Option('--client-key <file>', 'its key, if that is in another file'),
    new Option('--header <name: value>', 'send this too; ${env:NAME} in it; repeatable').argParser(collect),
  ];
}

/** What of a plan makes the command fail. Not variadic, because that would take the paths after it as well. */
export function failOnOption(): Option {
  const option = new Option('--fail-on <finding>', 'exit 2 if found').choices(failOnNames);
  const { parseArg } = option;
  return option.argParser((value, previous?: readonly string[]) =>
    collect(parseArg?.(value, '') ?? value, previous),
  );
}

export function withOptions(command: Command, options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}

/** Of the commands that look up and create. */
export function withRunOptions(command: Command, formats?: readonly string[]): Command {
  const project = withProjectOptions(command, capabilityOption(), formats);
  return withDetailOptions(withOptions(withServiceOptions(project), connectionOptions()))
    .addOption(verboseOption())
    .option('--wait <seconds>', 'wait while the service is down (default: 60 once up)')
    .option('--concurrency <n>', 'requests at a time, at the most (default: 16)')
    .option('--target <address>', 'only addresses like application.*; repeatable', collect)
    .option('--exclude <address>', 'no addresses like user.ci-*; repeatable', collect)
    .option('--shard <i/n>', 'one of n parts of the roll, chosen by address')
    .option('--since <ref>', 'show what has changed since a commit, as origin/main')
    .option('--changed-only', 'with --since: only what has been added or altered')
    .option('--max-creates <n>', 'refuse a plan that would create more')
    .option('--keep-going', 'do the rest where some cannot be planned; exit 6')
    .option('--max-updates <n>', 'refuse a plan that would change more')
    .option('--max-deletes <n>', 'refuse a plan that would delete more (default: 10)')
    .addOption(allowOption())
    .addOption(reportOption())
    .addOption(commentKeyOption());
}

/** Of the command that writes what the service holds. */
export function withExportOptions(command: Command): Command {
  const choosing = command
    .option('--out <folder>', 'for the new files (default: stdout)')
    .addOption(new Option('--split <by>', 'how files are divided (default: type)').choices(splits))
    .option('--type <type>', 'application or user; repeatable', collect)
    .option('--target <address>', 'only addresses like application.*; repeatable', collect)
    .option('--exclude <address>', 'no addresses like user.ci-*; repeatable', collect)
    .option('--missing-from <path>', 'only what these manifests lack; repeatable', collect)
    .option('--without <fields>', 'leave fields out, such as email,attributes')
    .option('--ids', 'ids of providers and groups, in place of their names')
    .option('--internal', 'also users that the service made for itself')
    .option('--list', 'print the addresses alone')
    .option('--check', 'write nothing of which a plan finds something to do')
    .addOption(outputOption(['yaml', 'json'], 'yaml'));
  const reaching = withConfigOptions(withServiceOptions(choosing), capabilityOption());
  return withColourOptions(
    withOptions(reaching, [...connectionOptions(), verboseOption()])
      .option('--wait <seconds>', 'wait while the service is down (default: 60 once up)')
      .option('--concurrency <n>', 'requests at a time, at the most (default: 16)'),
  );
}

/** Of the commands that show many changes. */
export function withDetailOptions(command: Command): Command {
  return command
    .option('--compact', 'a line for each change')
    .option('--no-compact', 'all of each change, however many');
}

/** What the sandbox imitates. */
export function sandboxReleaseOption(): Option {
  const option = new Option(
    '--release <release>',
    `be this release of the service (default: ${defaultRelease})`,
  );
  return option.choices(sandboxReleases);
}

export function verboseOption(): Option {
  return new Option('-v, --verbose', 'log each request to stderr (ROLLCALL_LOG)');
}

export function reportOption(): Option {
  const printed = new Set<string>(printedFormats);
  const written = formatNames.filter((format) => !printed.has(format)).join(', ');
  return new Option('--report <format=file>', `also write ${written}, …`).argParser(collect);
}

export function commentKeyOption(): Option {
  return new Option('--comment-key <text>', 'tells its Markdown from that of other rolls');
}

export function outputOption(formats: readonly string[] = printedFormats, usual: string = 'text'): Option {
  return new Option('-o, --output <format>', '').choices(formats).default(usual);
}

export function withColourOptions(command: Command): Command {
  return command
    .option('--color', 'use colours even without a terminal')
    .option('--no-color', 'use no colours');
}

/** What stands below the options of a command's help. */
export function example(command: string): string {
  return `\nExample: ${command}`;
}
