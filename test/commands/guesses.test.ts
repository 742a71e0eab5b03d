import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { commandHint, guessAmong } from '../../src/commands/guesses.ts';
import { program } from '../../src/commands/program.ts';
import { run } from '../../src/commands/run-program.ts';

const rollcall = program('1.2.3', () => {});

/** What is said of arguments, which must be nothing that a command is run for. */
async function saidOf(args: readonly string[]): Promise<string> {
  let said = '';
  const ending = await run(args, '1.2.3', {
    env: {},
    writeOut: () => {},
    writeErr: (text) => (said += text),
    contextFor: () => Promise.reject(new Error('the command was run')),
  });
  expect(ending).toBe('invalid');
  return said;
}

describe('who knows Terraform or decK learns in one line what to write', () => {
  test.each([
    ['plan -out=p.json', '-out', 'with two dashes: --out.'],
    ['plan m -out p.json', '-out', 'with two dashes: --out.'],
    ['plan -var a=canary', '-var', 'with two dashes: --var.'],
    ['plan -var=a=canary', '-var', 'with two dashes: --var.'],
    ['plan -var-file=prod.yaml', '-var-file', '--vars FILE'],
    ['plan --var-file=prod.yaml m', '--var-file', '--vars FILE'],
    ['plan -target=application.a', '-target', 'with two dashes: --target.'],
    ['plan -refresh=false', '-refresh', 'keeps no state'],
    ['plan -refresh-only', '-refresh-only', 'keeps no state'],
    ['plan -lock=false', '-lock', 'keeps no state'],
    ['plan -input=false', '-input', '--yes'],
    ['plan -no-color', '-no-color', 'with two dashes: --no-color.'],
    ['plan -json', '-json', '-o json'],
    ['plan -destroy', '-destroy', 'deletes nothing'],
    ['plan -detailed-exitcode', '-detailed-exitcode', 'with two dashes'],
    ['apply -auto-approve', '-auto-approve', '--yes'],
    ['apply --yes --auto-approve m', '--auto-approve', '--yes'],
    ['apply -parallelism=4', '-parallelism', '--concurrency N'],
    ['apply -replace=application.a', '-replace', 'replaces nothing'],
    ['apply --dry-run m', '--dry-run', '`rollcall plan`'],
    ['-chdir=roll plan', '-chdir', '--config'],
    ['init -upgrade', '-upgrade', 'nothing to install'],
    ['init -backend-config=x', '-backend-config', 'keeps no state'],
    ['-version', '-version', '--version'],
    ['plan -version', '-version', '--version'],
    ['plan -help', '-help', '--help'],
    ['doctor -timeout=5', '-timeout', 'with two dashes: --timeout.'],
  ])('rollcall %s', async (line, option, hint) => {
    const said = await saidOf(line.split(' '));
    expect(said).toMatch(/^error: [^\n]+\n {4}[^\n]+\n$/);
    expect(said).toContain(`unknown option '${option}'\n`);
    expect(said).toContain(hint);
  });

  test.each([
    ['destroy -auto-approve', 'deletes nothing'],
    ['refresh', 'keeps no state'],
    ['fmt', 'YAML'],
    ['state list', 'keeps no state'],
    ['output -json', '`rollcall plan -o json`'],
    ['console', '`rollcall validate`'],
    ['taint x', 'keeps no state'],
    ['untaint x', 'keeps no state'],
    ['workspace select staging', '--env NAME'],
    ['login', 'ROLLCALL_TOKEN'],
    ['providers', 'declared in manifests: rollcall help providers'],
    ['get', 'nothing to install'],
    ['graph', 'a plan shows what is created first'],
    ['diff', 'rollcall plan'],
    ['sync', 'rollcall apply'],
    ['dump', 'rollcall export'],
    ['lint', 'rollcall validate'],
    ['ping', 'rollcall doctor'],
    ['test', '`rollcall sandbox -- COMMAND`'],
    ['force-unlock 1', 'keeps no state'],
    ['version', '--version'],
  ])('rollcall %s', async (line, hint) => {
    const said = await saidOf(line.split(' '));
    expect(said).toMatch(/^error: unknown command '[\w-]+'\n {4}[^\n]+\n$/);
    expect(said).toContain(hint);
  });
});

test.each([
  ['import application.a a', "'application.a'", 'plan looks for it by its name'],
  ['import people.csv', "'people.csv'", 'rollcall import csv FILE'],
  ['import \u001b[31m', String.raw`'\u{1b}[31m'`, 'rollcall import csv FILE'],
])('what cannot be imported is reported: rollcall %s', async (line, written, hint) => {
  const said = await saidOf(line.split(' '));
  expect(said).toMatch(/^error: unknown command '[^\n]+'\n {4}[^\n]+\n$/);
  expect(said).toContain(written);
  expect(said).toContain(hint);
});

describe('what rollcall has itself is taken for no guess', () => {
  const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];

  test.each(below(rollcall).map((command) => [command.name(), command] as const))(
    '%s and its options',
    (name, command) => {
      expect(commandHint(name)).toBeUndefined();
      for (const { long, short } of command.options) {
        for (const option of [long, short, `${long}=x`])
          expect(guessAmong(name === 'rollcall' ? [`${option}`] : [name, `${option}`], rollcall)).toBe(
            undefined,
          );
      }
    },
  );

  test.each([
    ['plan', '-vq', '--bogus'],
    ['plan', '-ojson', '--bogus'],
    ['plan', 'destroy', '--bogus'],
    ['plan', '-o', 'bogus', '--', '-json'],
    ['plan', '--target', 'application.a', '--bogus'],
  ])('%s %s %s', async (...args) => {
    expect(await saidOf(args)).toMatch(/bogus.*\n--help shows the usage\.\n$/);
  });
});

test('no arguments at all are answered with the usage, and with nothing else', async () => {
  expect(await saidOf([])).toMatch(/^Usage: rollcall [^]*\nExample: rollcall init\n$/);
});

test('of a flag for the token it is said where the token comes from', async () => {
  expect(await saidOf(['plan', '--token', 'canary'])).toBe(
    "error: unknown option '--token'\n--help shows the usage.\n" +
      '    There is no flag for the token: set ROLLCALL_TOKEN, or name a file with --token-file.\n',
  );
});
