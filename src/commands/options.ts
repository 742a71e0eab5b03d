import { Option } from 'commander';
import { splits } from '../adopt/choices.ts';
import { formatNames, printedFormats } from '../report/formats/all.ts';
import { failOnNames } from './fail-on.ts';

/** Makes a new option for each command, because commander stores the place in the command's help in the option. */
export type Made = () => Option;

export function singleOption(
  flags: string,
  words: string,
  choices?: readonly string[],
  usual?: string,
): Made {
  return () => {
    const option = new Option(flags, words).default(usual);
    return choices ? option.choices(choices) : option;
  };
}

/** An option that can be repeated. It is not variadic, because a variadic option would also take the paths after it. */
export function repeatableOption(flags: string, words: string): Made {
  return () => new Option(flags, `${words}; repeatable`).argParser(collect);
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

const notPrintedFormats = formatNames.filter((format) => !printedFormats.includes(format)).join(', ');
const report: Made = () =>
  new Option('--report <format=file>', `also write ${notPrintedFormats}, …`).argParser(collect);
const commentKey = singleOption(
  '--comment-key <text>',
  'identifies the comments of this run on a pull request',
);

export const failOn: Made = () => {
  const option = new Option('--fail-on <finding>', 'exit 2 if found').choices(failOnNames);
  const { parseArg } = option;
  return option.argParser((value, previous?: readonly string[]) =>
    collect(parseArg?.(value, '') ?? value, previous),
  );
};

export function output(formats: readonly string[] = printedFormats): Made {
  return singleOption('-o, --output <format>', '', formats, formats[0]);
}

export const url: Made = singleOption('--url <url>', 'the base URL of the service (ROLLCALL_URL)');
export const insecureHttp: Made = singleOption(
  '--insecure-http',
  'allow http:// to hosts other than this one',
);
export const caFile: Made = singleOption('--ca-file <file>', 'a PEM file of additional trusted authorities');
const verbose = singleOption('-v, --verbose', 'log each request to stderr (ROLLCALL_LOG)');
const target = repeatableOption('--target <address>', 'select only addresses like application.*');
const exclude = repeatableOption('--exclude <address>', 'leave out addresses like user.ci-*');
const wait = singleOption('--wait <seconds>', 'wait for the service (default: 60 after an answer)');
const concurrency = singleOption('--concurrency <n>', 'most requests at the same time (default: 8)');

export const colours: readonly Made[] = [
  singleOption('--color', 'use colours even without a terminal'),
  singleOption('--no-color', 'use no colours'),
];

export const reporting: readonly Made[] = [report, commentKey];

/** Options of commands that show many changes. */
export const detail: readonly Made[] = [
  singleOption('--compact', 'show a line for each change'),
  singleOption('--no-compact', 'show every change in full, however many there are'),
];

/** Options of commands that read rollcall.yaml. */
const config: readonly Made[] = [
  singleOption('--env <name>', 'the environment of rollcall.yaml (ROLLCALL_ENV)'),
  singleOption('--config <file>', 'read this file in place of rollcall.yaml'),
  singleOption('--contract-only', 'send only the three documented operations'),
  repeatableOption('--capability <name>', 'turn on a capability: rollcall help capabilities'),
];

/** Options of commands that read manifests. */
export function project(formats?: readonly string[]): readonly Made[] {
  return [
    ...config,
    repeatableOption('--var <name=value>', 'set a variable'),
    repeatableOption('--vars <file>', 'a YAML file of variables'),
    singleOption('--strict', 'make warnings errors'),
    output(formats),
    ...colours,
  ];
}

/** Options of commands that talk to the service. */
const service: readonly Made[] = [
  url,
  singleOption('--token-file <file>', 'the file of the token; - for stdin (ROLLCALL_TOKEN_FILE)'),
  singleOption('-q, --quiet', 'print no progress, remarks or warnings'),
];
const connection: readonly Made[] = [
  singleOption('--timeout <seconds>', 'the time limit of a request (default: 60)'),
  insecureHttp,
  caFile,
  singleOption('--client-cert <file>', 'a PEM file with the client certificate'),
  singleOption('--client-key <file>', 'the key of the certificate, if in another file'),
  repeatableOption('--header <name: value>', 'send this header too; may contain ${env:NAME}'),
];

/** Options of commands that plan or apply. */
export function runOptions(formats?: readonly string[]): readonly Made[] {
  return [
    ...project(formats),
    ...service,
    ...connection,
    ...detail,
    verbose,
    wait,
    concurrency,
    target,
    exclude,
    singleOption('--shard <i/n>', 'select part I of N of the resources, divided by address'),
    singleOption('--baseline <folder>', 'show changes since an earlier state of this folder'),
    singleOption('--changed-only', 'with --baseline: select only added or altered entries'),
    singleOption('--max-creates <n>', 'refuse a plan that would create more'),
    singleOption('--keep-going', 'continue without resources that cannot be planned; exit 6'),
    singleOption('--max-updates <n>', 'refuse a plan that would change more'),
    singleOption('--max-deletes <n>', 'refuse a plan that would delete more (default: 10)'),
    repeatableOption('--allow <what>', 'update, delete, way-in, lockout or open-login'),
    repeatableOption('--resend <address>', 'send write-only fields again, such as secrets'),
    ...reporting,
  ];
}

export const doctorOptions: readonly Made[] = [
  singleOption('--wait <seconds>', 'wait for a service that is starting (default: 0)'),
  singleOption('--role', 'print a blueprint of a role with the least permissions'),
  ...service,
  ...connection,
  verbose,
  ...config,
  output(),
  ...colours,
];

export const credentialsOptions: readonly Made[] = [
  singleOption('--to <file>', 'a new file, or - for standard output'),
  singleOption('--format <name>', 'the format of the file', ['dotenv', 'json', 'kubernetes'], 'dotenv'),
  singleOption('--replace', 'replace an existing file'),
  singleOption('--all', 'write all providers with a secret'),
  singleOption('--show-secrets', 'with --to -: print secrets'),
  ...service,
  ...config,
  ...connection,
  verbose,
  wait,
  concurrency,
  ...colours,
];

export const exportOptions: readonly Made[] = [
  singleOption('--out <folder>', 'the folder for the new files (default: stdout)'),
  singleOption('--split <by>', 'how files are divided (default: type)', splits),
  repeatableOption('--type <type>', 'export only this type, such as application or flow'),
  singleOption('--all', 'include unchanged defaults of the service'),
  target,
  exclude,
  repeatableOption('--missing-from <path>', 'export only records that these manifests do not declare'),
  singleOption('--without <fields>', 'leave fields out, such as email,attributes'),
  singleOption('--ids', 'write ids of providers and groups, in place of their names'),
  singleOption('--internal', 'include users that the service made for itself'),
  singleOption('--list', 'print only the addresses'),
  singleOption('--check', 'write nothing if a plan of the manifests has changes'),
  output(['yaml', 'json']),
  ...service,
  ...config,
  ...connection,
  verbose,
  wait,
  concurrency,
  ...colours,
];
