import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { complete, printCandidates } from '../../src/commands/complete.ts';
import { program } from '../../src/commands/program.ts';
import { runProgram } from '../../src/commands/run-program.ts';

const rollcall = program('1.2.3', () => {});

const withParents = (command: Command): string =>
  command.parent === null ? command.name() : `${withParents(command.parent)} ${command.name()}`;

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];

describe('the help of a command', () => {
  const shown = all(rollcall).filter((command) => !['complete', 'report'].includes(command.name()));

  test.each(shown.map((command) => [withParents(command), command] as const))(
    '%s fits a terminal, and ends with an example',
    (_name, command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      const lines = help.trimEnd().split('\n');
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      expect(lines.at(-1)).toMatch(/^Example: /);
    },
  );

  test.each(shown.map((command) => [withParents(command), command] as const))(
    '%s lists every accepted option',
    (_name, command) => {
      const help = command.helpInformation();
      expect(command.options.map(({ long }) => long ?? '').filter((long) => !help.includes(long))).toEqual(
        [],
      );
    },
  );

  test.each(['validate', 'plan', 'apply', 'export', 'doctor'])(
    'rollcall %s begins with the five most used options, and has each option under one heading',
    (name) => {
      const command = shown.find((each) => each.name() === name) ?? expect.fail(name);
      const help = command.helpInformation();
      const [, used = ''] = /\nMost used:\n([^]*?)\n\n/.exec(help) ?? [];
      expect(used.match(/^ {2}-/gm)).toHaveLength(5);
      expect(help).not.toContain('\nOptions:');
      const flags = Array.from(help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm), ([, flag]) => flag);
      expect(new Set(flags).size).toBe(flags.length);
    },
  );

  test.each(shown.map((command) => [withParents(command), command] as const))(
    '%s fits a narrow terminal',
    (_name, command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 60 }).outputHelp();
      const [described = ''] = help.split(/\nExample/);
      expect(described.split('\n').filter((line) => line.length > 60)).toEqual([]);
    },
  );
});

test.each([
  ['plan --tar', ['--target']],
  ['plan --col', ['--color']],
  ['plan --color --tar', ['--target']],
  ['plan -o ', ['text', 'json']],
  ['plan --out apply -o json --tar', ['--target']],
  ['plan --out ', []],
  ['plan --report m', ['markdown=']],
  ['plan --report markdown=', []],
  ['plan ', []],
  ['plan -- --tar', []],
  ['plan --out -- --tar', ['--target']],
  ['plan manifests --tar', ['--target']],
  ['he', ['help']],
  ['import ', ['csv']],
  ['import csv --delimiter s', ['semicolon']],
  ['help val', ['validate']],
  ['help exit', ['exit-codes']],
  ['schema sand', ['sandbox-seed']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['completion bash ', []],
  ['completion --he', ['--help']],
  ['init --pipeline ', ['github', 'gitlab', 'none']],
  ['init --merges ', ['create', 'update']],
])('%j is completed with %j', (line, expected) => {
  expect(complete(rollcall, line.split(' ')).map(({ text }) => text)).toEqual(expected);
});

test('completions have descriptions, which a tab separates', () => {
  let printed = '';
  const stdout = { write: (text: string) => (printed += text), isTerminal: false, colours: false };
  printCandidates(rollcall, ['doctor', '--w'], { stdout: { ...stdout, isLost: async () => false } });
  printCandidates(rollcall, ['completion', 'z'], { stdout: { ...stdout, isLost: async () => false } });
  expect(printed).toBe('--wait\twait for a service that is starting (default: 0)\nzsh\n');
});

describe('an option with an empty value', () => {
  test.each(
    all(rollcall).flatMap((command) =>
      command.options
        .filter((option) => option.required)
        .map((option) => [withParents(command), option.long ?? ''] as const),
    ),
  )(
    'is rejected with the name of the option, since an unset shell variable may be the cause: %s %s',
    async (command, flag) => {
      let said = '';
      const [, ...words] = command.split(' ');
      const ending = await runProgram(
        [...words, `${flag}=`, ...(['report', 'show', 'import'].includes(words[0] ?? '') ? ['x.json'] : [])],
        '1.2.3',
        {
          env: {},
          writeOut: () => {},
          writeErr: (text) => (said += text),
          contextFor: () => Promise.reject(new Error('the command was run')),
        },
      );
      expect(ending).toBe('invalid');
      expect(said).toContain(flag);
      expect(said).toMatch(/empty value|Allowed choices/);
    },
  );
});
