import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../src/commands/program.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { endedHere } from '../support/here.ts';

/** Texts in the name of a file or a branch that a pipeline passes on. */
const hostile = 'e\u001b[31m\u202ev\u009bil\n::error::x ##[error]y';
const escaped = String.raw`e\u{1b}[31m\u{202e}v\u{9b}il\n::error::x #\u{23}[error]y`;

let folder: string;
let server: SandboxServer;
beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(join(folder, 'm.yaml'), 'version: 1\napplications: [{ slug: a, name: A }]\n');
  server = await serveSandbox(seedSandbox({}).sandbox, { port: 0, latencyMs: 0 });
});
afterAll(() => server.close());

/** Runs a command, and expects that no terminal or log can interpret anything in its output. */
async function inert(
  args: readonly string[],
): Promise<{ readonly printed: string; readonly code: number | null }> {
  const env = { ROLLCALL_URL: server.url, ROLLCALL_TOKEN: sandboxToken };
  const { code, stdout, stderr } = await endedHere(args, { cwd: folder, env });
  const printed = stdout + stderr;
  expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  expect(printed).not.toMatch(/^\s*::|##\w*\[/m);
  return { printed, code };
}

const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];
const namesOf = (command: Command): string[] =>
  command.parent === null ? [] : [...namesOf(command.parent), command.name()];
const commands = below(program('1.2.3', () => {})).filter((command) => command.name() !== 'complete');

/** The arguments with which each command reads all its options. */
const reachingOptions: Readonly<Record<string, readonly string[]>> = {
  init: ['new', '--yes'],
  validate: ['m.yaml'],
  plan: ['m.yaml'],
  apply: ['m.yaml', '--yes'],
  merge: ['m.yaml'],
  schema: ['plan'],
  sandbox: ['--', 'true'],
  completion: ['bash'],
};

describe('a hostile string on the command line is repeated without effect', () => {
  test.each(commands.map((command) => [namesOf(command).join(' '), command]))(
    'as an unknown option of rollcall %s',
    async (_, command) => {
      const { printed, code } = await inert([...namesOf(command), `--${hostile}`]);
      expect(printed).toContain(`unknown option '--${escaped}'`);
      expect(code).toBe(3);
    },
  );

  test.each([
    [[hostile], `unknown command '${escaped}'`],
    [['help', hostile], 'there is no help on "e'],
    [['schema', 'plan', hostile], 'too many arguments'],
    [['validate', '-o', hostile], `argument '${escaped}' is invalid. Allowed choices are text, json.`],
    [['validate', `-o${hostile}`], `argument '${escaped}' is invalid`],
    [['validate', hostile], `${escaped}: error: no file matches`],
    [['plan', hostile], `${escaped}: error: no file matches`],
    [['apply', '--yes', hostile], `${escaped}: error: no file matches`],
    [['schema', hostile], 'there is no schema'],
    [['completion', hostile], 'there is no completion for'],
    [['sandbox', '--', hostile], `cannot be run: ${escaped}`],
    [['init', hostile, '--yes'], `${escaped}/rollcall.yaml`],
    [['plan', 'm.yaml', '--report', `text=nowhere/${hostile}`], `cannot be written to nowhere/${escaped}`],
    [['plan', 'm.yaml', '--out', `nowhere/${hostile}`], `cannot be saved to nowhere/${escaped}`],
  ])('in %j', async (args, expected) => {
    expect((await inert(args)).printed).toContain(expected);
  });

  /** Every option that takes a value, with a command that has it. */
  const options = new Map<string, [Command, Option]>();
  for (const command of commands)
    for (const option of command.options)
      if (option.required) options.set(option.long ?? option.flags, [command, option]);

  test.each([...options].map(([name, [command]]) => [name, command]))(
    'as the value of %s',
    async (name, command) => {
      const { code } = await inert([
        ...namesOf(command),
        name,
        hostile,
        ...(reachingOptions[command.name()] ?? []),
      ]);
      expect(code).not.toBeNull();
    },
  );
});

test('a suggestion for an unknown option is on its own line', async () => {
  expect((await inert(['aply'])).printed).toBe(
    "error: unknown command 'aply'\n(Did you mean apply?)\n--help shows the usage.\n",
  );
});
