import { Option } from 'commander';
import { fileSplits } from '../adopt/choices.ts';
import { formatNames, printedFormats } from '../report/formats/all.ts';
import { failOnNames } from './fail-on.ts';

/** Makes a new option for each command, because an option contains its help group, which depends on the command. */
export type OptionFactory = () => Option;

export function singleOption(
  flags: string,
  words: string,
  choices?: readonly string[],
  usual?: string,
): OptionFactory {
  return () => {
    const option = new Option(flags, words).default(usual);
    return choices ? option.choices(choices) : option;
  };
}

/** An option that can be repeated. A variadic option would also take the paths after it. */
export function repeatableOption(flags: string, words: string): OptionFactory {
  return () => new Option(flags, `${words}; repeatable`).argParser(collect);
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

const notPrintedFormats = formatNames.filter((format) => !printedFormats.includes(format)).join(', ');
const reportOption: OptionFactory = () =>
  new Option('--report <format=file>', `also write ${notPrintedFormats}, …`).argParser(collect);
const commentKeyOption = singleOption(
  '--comment-key <text>',
  "identifies this run's comments on a pull request",
);

export const failOnOption: OptionFactory = () => {
  const finding = 'exit 2 if the plan has this finding (opens: among permitted changes)';
  const option = new Option('--fail-on <finding>', finding).choices(failOnNames);
  const { parseArg } = option;
  return option.argParser((value, previous?: readonly string[]) =>
    collect(parseArg?.(value, '') ?? value, previous),
  );
};

export function outputOption(formats: readonly string[] = printedFormats): OptionFactory {
  return singleOption('-o, --output <format>', '', formats, formats[0]);
}

const urlOption = singleOption('--url <url>', 'the base URL of the service (ROLLCALL_URL)');
const insecureHttpOption = singleOption('--insecure-http', 'allow http:// to hosts other than this one');
const caFileOption = singleOption('--ca-file <file>', 'a PEM file of certificate authorities to trust');
const verboseOption = singleOption('-v, --verbose', 'log each request to stderr (ROLLCALL_LOG)');
const targetOption = repeatableOption('--target <address>', 'select only addresses like application.*');
const excludeOption = repeatableOption('--exclude <address>', 'leave out addresses like user.ci-*');
const waitOption = singleOption('--wait <seconds>', 'wait for the service (default: 60 once it answers)');
const concurrencyOption = singleOption(
  '--concurrency <n>',
  'the maximum number of parallel requests (default: 8)',
);

export const colourOptions: readonly OptionFactory[] = [
  singleOption('--color', 'use colours even without a terminal'),
  singleOption('--no-color', 'use no colours'),
];

export const reportOptions: readonly OptionFactory[] = [reportOption, commentKeyOption];

export const detailOptions: readonly OptionFactory[] = [
  singleOption('--compact', 'show one line for each change'),
  singleOption('--no-compact', 'show every change in full, however many there are'),
];

const configOptions: readonly OptionFactory[] = [
  singleOption('--env <name>', 'the environment of rollcall.yaml (ROLLCALL_ENV)'),
  singleOption('--config <file>', 'read this file in place of rollcall.yaml'),
  singleOption('--contract-only', 'send only the three documented operations'),
  repeatableOption('--capability <name>', 'turn on a capability: update or delete'),
];

const variableOptions: readonly OptionFactory[] = [
  repeatableOption('--var <name=value>', 'set a variable'),
  repeatableOption('--vars <file>', 'a YAML file of variables'),
];

export function projectOptions(formats?: readonly string[]): readonly OptionFactory[] {
  return [
    ...configOptions,
    ...variableOptions,
    singleOption('--strict', 'make warnings errors'),
    outputOption(formats),
    ...colourOptions,
  ];
}

const serviceOptions: readonly OptionFactory[] = [
  urlOption,
  singleOption('--token-file <file>', 'the file of the token; - for stdin (ROLLCALL_TOKEN_FILE)'),
  singleOption('-q, --quiet', 'print no progress, remarks or warnings'),
];
const connectionOptions: readonly OptionFactory[] = [
  singleOption('--timeout <seconds>', 'the time limit of a request (default: 60)'),
  insecureHttpOption,
  caFileOption,
  singleOption('--client-cert <file>', 'a PEM file with the client certificate'),
  singleOption('--client-key <file>', 'the key of the client certificate, if in another file'),
  repeatableOption('--header <name: value>', 'send this header too; may contain ${env:NAME}'),
];

/** The options of commands that read records of the service for another purpose than a plan. */
const readingOptions: readonly OptionFactory[] = [
  ...serviceOptions,
  ...configOptions,
  ...connectionOptions,
  verboseOption,
  waitOption,
  concurrencyOption,
  ...colourOptions,
];

export const initOptions: readonly OptionFactory[] = [
  singleOption('-y, --yes', 'ask nothing and use the defaults'),
  urlOption,
  singleOption('--token-env <name>', 'the variable that holds the token (default: ROLLCALL_TOKEN)'),
  singleOption('--manifests <path>', 'the path of existing manifests (default: a new manifest is written)'),
  singleOption('--pipeline <kind>', 'github, gitlab or none (default: none)'),
  singleOption('--merges <what>', 'what a merge may do: create, or update too (default: create)'),
  insecureHttpOption,
  caFileOption,
];

export function runOptions(formats?: readonly string[]): readonly OptionFactory[] {
  return [
    ...projectOptions(formats),
    ...serviceOptions,
    ...connectionOptions,
    ...detailOptions,
    verboseOption,
    waitOption,
    concurrencyOption,
    targetOption,
    excludeOption,
    singleOption('--shard <i/n>', 'select part I of N of the resources, divided by address'),
    singleOption('--baseline <folder>', 'show changes since an earlier state of this folder'),
    singleOption('--changed-only', 'with --baseline: select only added or altered entries'),
    singleOption('--max-creates <n>', 'the maximum number of creates in a plan'),
    singleOption('--keep-going', 'continue without resources that cannot be planned; exit 6'),
    singleOption('--max-updates <n>', 'the maximum number of updates in a plan'),
    singleOption('--max-deletes <n>', 'the maximum number of deletes in a plan (default: 10)'),
    repeatableOption('--allow <what>', 'allow update, delete, way-in, lockout or open-login'),
    repeatableOption('--resend <address>', 'send write-only fields again, such as secrets'),
    ...reportOptions,
  ];
}

export const doctorOptions: readonly OptionFactory[] = [
  singleOption('--wait <seconds>', 'wait for a service that is starting (default: 0)'),
  singleOption('--role', 'print a blueprint of the role that rollcall needs'),
  ...serviceOptions,
  ...connectionOptions,
  verboseOption,
  ...configOptions,
  ...variableOptions,
  outputOption(),
  ...colourOptions,
];

export const credentialsOptions: readonly OptionFactory[] = [
  singleOption('--to <file>', 'a new file, or - for standard output'),
  singleOption('--format <name>', 'the format of the file', ['dotenv', 'json', 'kubernetes'], 'dotenv'),
  singleOption('--replace', 'replace an existing file'),
  singleOption('--all', 'write all providers with a secret'),
  singleOption('--show-secrets', 'with --to -: print secrets'),
  ...readingOptions,
];

export const exportOptions: readonly OptionFactory[] = [
  singleOption('--out <folder>', 'the folder for the new files (default: stdout)'),
  singleOption('--split <by>', 'how to divide the export into files (default: type)', fileSplits),
  repeatableOption('--type <type>', 'export only this type, such as application or flow'),
  singleOption('--all', 'include unchanged defaults of the service'),
  targetOption,
  excludeOption,
  repeatableOption('--missing-from <path>', 'export only records that these manifests do not declare'),
  ...variableOptions,
  singleOption('--without <fields>', 'leave fields out, such as email,attributes'),
  singleOption('--ids', 'write ids of providers and groups, in place of their names'),
  singleOption('--internal', 'include records that the service maintains itself'),
  singleOption('--list', 'print only the addresses'),
  singleOption('--check', 'write nothing if a plan of the manifests has changes'),
  outputOption(['yaml', 'json']),
  ...readingOptions,
];
