import type { Command } from 'commander';
import { delimiters } from '../adopt/choices.ts';
import { schemaNames, schemaText, topicNames } from '../base/package-file.ts';
import type { Ending } from '../base/exit-code.ts';
import { choiceNamed } from '../base/suggestion.ts';
import { defaultRelease, sandboxReleases } from '../sandbox/release.ts';
import type { Context } from '../terminal/context.ts';
import type { SandboxOptions } from './sandbox.ts';
import {
  colourOptions,
  detailOptions,
  doctorOptions,
  exportOptions,
  failOnOption,
  credentialsOptions,
  initOptions,
  repeatableOption,
  singleOption,
  outputOption,
  projectOptions,
  reportOptions,
  runOptions,
  type OptionFactory,
} from './options.ts';

/** How the program ended: an ending, or the exit code of the command that the sandbox ran. */
export type ProgramEnding = Ending | { readonly exitCode: number };

export interface CommandDeclaration {
  /** The words with which users call the command, such as `import csv`. */
  readonly name: string;
  /** A command without a summary is not in the help. */
  readonly summary?: string;
  readonly description: string;
  readonly argument?: readonly [name: string, words?: string];
  readonly example?: string;
  readonly options?: readonly OptionFactory[];
  /** For commands such as `sandbox`: whether options after the first argument belong to another command. */
  readonly passesOptions?: true;
  readonly isOfAll?: true;
  /** Loads the function that runs the command. Loading the functions of all commands would make help slow. */
  readonly load: (
    rollcall: Command,
  ) => Promise<(...given: never[]) => ProgramEnding | Promise<ProgramEnding>>;
}

export const commandGroups: Readonly<
  Record<string, { readonly summary: string; readonly example?: string }>
> = {
  import: {
    summary: 'write manifests from records kept elsewhere',
    example: 'rollcall import csv --kind users people.csv --out manifests',
  },
};

export const topicsText: string = `Topics: ${topicNames.join(', ')}.`;

export const commands: readonly CommandDeclaration[] = [
  {
    name: 'init',
    summary: 'write the first files of a project',
    description:
      'Writes rollcall.yaml, a first manifest and a pipeline file, and checks the service. Overwrites nothing.',
    argument: ['[dir]', 'the folder (default: the current one)'],
    example: 'rollcall init --url https://id.example.com --pipeline github',
    options: initOptions,
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'validate',
    summary: 'check manifests, without contacting the service',
    description: 'Checks manifests and reports all problems, without contacting the service.',
    argument: ['[path...]', 'files, folders, globs, or - for standard input'],
    example: 'rollcall validate manifests --report html=problems.html',
    options: [
      ...projectOptions(),
      singleOption('-q, --quiet', 'print no warnings'),
      repeatableOption('--allow <what>', 'allow open-login: flows that ask only for a user name'),
      singleOption('--without-secrets', 'check without reading ${env:…} and ${file:…}'),
      ...reportOptions,
    ],
    load: async () => (await import('./validate.ts')).validate,
  },
  {
    name: 'plan',
    summary: 'show what apply would do',
    description: 'Shows what apply would create or change. Changes nothing.',
    argument: ['[path...]', 'files, folders, globs, or - for standard input'],
    example: 'rollcall plan manifests --env production --out plan.json',
    options: [
      singleOption('--out <file>', 'save the plan, for `rollcall apply --plan`'),
      singleOption('--detailed-exitcode', 'exit 2 when apply would do something'),
      singleOption('--undeclared', 'list records of the service that no manifest declares'),
      failOnOption,
      ...runOptions(),
    ],
    load: async () => (await import('./plan.ts')).plan,
  },
  {
    name: 'apply',
    summary: 'create missing resources',
    description:
      'Shows the plan, asks for confirmation, creates missing resources, and updates or deletes if allowed.',
    argument: ['[path...]', 'files, folders, globs, or - for standard input'],
    example: 'rollcall apply --plan plan.json manifests',
    options: [
      singleOption('-y, --yes', 'do not ask'),
      singleOption('--plan <file>', 'apply a saved plan of these manifests, without asking'),
      singleOption('--fail-fast', 'stop after the first failure'),
      ...runOptions(['text', 'json']),
    ],
    load: async () => (await import('./apply.ts')).apply,
  },
  {
    name: 'show',
    summary: 'print a saved plan or result',
    description:
      'Prints a plan saved by `plan --out`, or the output of `plan -o json` or `apply -o json`. Works without the service.',
    argument: ['<file>', 'the saved plan, or the JSON document'],
    example: 'rollcall show plan.json --report html=plan.html',
    options: [...detailOptions, outputOption(), ...reportOptions, ...colourOptions],
    load: async () => (await import('./show.ts')).show,
  },
  {
    name: 'doctor',
    summary: 'check the connection, the token and its permissions',
    description:
      'Checks connection, token and permissions: looks up an application that does not exist, the user of the token, and the permissions of that user. Changes nothing.',
    argument: ['[path...]', 'manifests, whose types are checked: files, folders or globs'],
    example: 'rollcall doctor --url https://id.example.com --wait 60',
    options: doctorOptions,
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'export',
    summary: 'write manifests from the records of the service',
    description:
      'Writes manifests from the records of the service, except unchanged records that ship with the service. A plan of the written manifests has no changes. Changes nothing in the service, and overwrites no file. Only the token of a superuser sees all applications.',
    example: 'rollcall export --out manifests',
    options: exportOptions,
    load: async () => (await import('./export.ts')).exportManifests,
  },
  {
    name: 'credentials',
    summary: 'write the client id, secret and URLs of a provider',
    description:
      'Writes the credentials that an application needs: client id, secret, issuer and endpoints of OAuth2 providers, and the shared secret of RADIUS providers. Only the owner of the new file can read it. Changes nothing in the service.',
    argument: ['[address...]', 'providers, such as provider.grafana'],
    example: 'rollcall credentials provider.grafana --to grafana.env',
    options: credentialsOptions,
    load: async () => (await import('./credentials.ts')).credentials,
  },
  {
    name: 'import csv',
    summary: 'write a manifest from the rows of a table',
    description:
      'Writes a manifest from a CSV file, whose first row has the names of the fields, such as username, email, groups and attributes.department. Overwrites no file, and does not contact the service.',
    argument: ['<file>', 'the CSV file, or - for standard input'],
    example: 'rollcall import csv --kind users people.csv --out manifests/people.yaml',
    options: [
      singleOption(
        '--kind <list>',
        'the kind of the rows: users, groups, roles, applications, outposts or certificates',
      ),
      singleOption('--delimiter <name>', 'the separator of cells', Object.keys(delimiters), 'comma'),
      singleOption('--out <path>', 'a new file, or a folder for it (default: stdout)'),
      ...colourOptions,
    ],
    load: async () => (await import('./import-csv.ts')).importCsv,
  },
  {
    name: 'schema',
    summary: 'print a JSON Schema',
    description: 'Prints a JSON Schema, for editors and for programs that read the output of rollcall.',
    argument: ['<name>', 'manifest, config, plan, apply, validation, doctor or sandbox-seed'],
    example: 'rollcall schema manifest > manifest.schema.json',
    load: async () => schema,
  },
  {
    name: 'sandbox',
    summary: 'serve the API from memory, for trials',
    description:
      'Serves the API from memory on the loopback interface. If a command is given, runs the command against the sandbox and exits with the exit code of the command.',
    argument: ['[command...]', 'after --: the command to run, with ROLLCALL_URL and ROLLCALL_TOKEN set'],
    example: 'rollcall sandbox -- rollcall apply manifests --yes',
    options: [
      singleOption('--port <n>', 'listen on this port (default: any free port)'),
      singleOption('--latency <ms>', 'the delay of each answer (default: 0)'),
      singleOption('--seed <file>', 'a YAML file of records to start with'),
      singleOption(
        '--release <release>',
        `behave like this release (default: ${defaultRelease})`,
        sandboxReleases,
      ),
    ],
    passesOptions: true,
    load: async () => {
      const [{ sandbox }, { runCommand }] = await Promise.all([
        import('./sandbox.ts'),
        import('../terminal/run-command.ts'),
      ]);
      return (command: string[], options: SandboxOptions, context: Context) =>
        sandbox(command, options, context, runCommand);
    },
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    description:
      'Prints a script for bash, zsh or fish. The script completes commands, options and their choices, if rollcall is on the PATH.',
    argument: ['<shell>', 'bash, zsh or fish'],
    example: 'source <(rollcall completion bash)',
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    name: 'help',
    summary: 'print the help of a command, or a page on a topic',
    description: `Prints the help of a command, or a page of the documents.\n\n${topicsText}`,
    argument: ['[name...]', 'a command or a topic'],
    example: 'rollcall help exit-codes',
    isOfAll: true,
    load: async (rollcall) => {
      const { help } = await import('./help.ts');
      return (words: string[], _: object, context: Context) => help(words, rollcall, context);
    },
  },
  {
    name: 'complete',
    description: 'Prints the candidates for the last word; used by the completion scripts.',
    argument: ['[word...]'],
    isOfAll: true,
    load: async (rollcall) => {
      const { printCandidates } = await import('./complete.ts');
      return (words: string[], _: object, context: Context) => printCandidates(rollcall, words, context);
    },
  },
];

function schema(name: string, _: object, { stdout }: Context): Ending {
  stdout.write(schemaText(choiceNamed(name, schemaNames, `there is no schema ${JSON.stringify(name)}`)));
  return 'done';
}
