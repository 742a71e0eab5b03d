import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cli, type Ended } from '../support/cli.ts';

/** The folder, the service and the token of a command. */
export interface CommandSetting {
  readonly folder: string;
  readonly url: string;
  readonly token: string;
  /** The environment variables to which the manifest refers. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ReportedOutcome {
  /** As in reports: `group.staff`. */
  readonly address: string;
  readonly outcome: string;
}

/** A tool under examination: how its commands are started, and how their results are read. */
export interface Tool {
  /** Translates a rollcall manifest into the form of the tool, and writes it to the folder. */
  declare(folder: string, manifest: string): Promise<void>;
  plan(setting: CommandSetting): Command;
  apply(setting: CommandSetting): Command;
  /** Whether a plan has no changes. */
  isClean(plan: Ended): boolean;
  /** Whether an apply reports that the declared state is reached. */
  isDone(apply: Ended): boolean;
  /** The outcome of each resource, if the tool reports it. */
  outcomes(apply: Ended): readonly ReportedOutcome[] | undefined;
}

function command(args: readonly string[], { folder, url, token, variables }: CommandSetting): Command {
  const file = join(folder, 'manifest.yaml');
  const env = { ...variables, ROLLCALL_URL: url, ROLLCALL_TOKEN: token, ROLLCALL_CAPABILITIES: 'update' };
  // A random flow may be the login flow of a random brand.
  const allowed = ['update', 'way-in', 'lockout'].flatMap((one) => ['--allow', one]);
  return { program: process.execPath, args: [cli, ...args, ...allowed, file], env };
}

export const rollcallTool: Tool = {
  declare: (folder, manifest) => writeFile(join(folder, 'manifest.yaml'), manifest),
  plan: (setting) => command(['plan', '--detailed-exitcode'], setting),
  apply: (setting) => command(['apply', '--yes', '-o', 'json'], setting),
  isClean: ({ code }) => code === 0,
  isDone: ({ code }) => code === 0,
  outcomes: ({ stdout }) =>
    stdout.startsWith('{') ? (JSON.parse(stdout) as { outcomes?: ReportedOutcome[] }).outcomes : undefined, // its schema requires this form
};
