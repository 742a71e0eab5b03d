import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { program } from '../../src/commands/program.ts';

const rollcall = program('1.2.3', () => {});

const withParents = (command: Command): string =>
  command.parent === null ? command.name() : `${withParents(command.parent)} ${command.name()}`;

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];

describe('the help', () => {
  const shown = all(rollcall).filter((command) => !['complete', 'report'].includes(command.name()));

  test.each(shown.map((command) => [withParents(command), command] as const))(
    'of %s fits a screen and ends with an example',
    (_name, command) => {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      const lines = help.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(35);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      expect(lines.at(-1)).toMatch(/^Example: /);
    },
  );
});
