import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { topicNames, topicPage } from '../base/package-file.ts';
import { didYouMean } from '../base/suggestion.ts';
import { pageText } from '../report/formats/page-text.ts';
import type { Context } from '../terminal/context.ts';
import { helpColumns } from './option-groups.ts';

const maxColumns = 100;

/** `rollcall help`: shows the help of a command (`import csv`) or a page of the documents (`exit-codes`). */
export function help(
  words: readonly string[],
  rollcall: Command,
  { stdout }: Pick<Context, 'stdout'>,
): Ending {
  let command: Command | undefined = rollcall;
  for (const word of words) command = command?.commands.find((inner) => inner.name() === word);
  if (command !== undefined) {
    command.outputHelp();
    return 'done';
  }
  const topic = topicNames.find((name) => words.length === 1 && name === words[0]);
  if (topic === undefined) throw unknownTopic(words.join(' '), rollcall);
  stdout.write(pageText(topicPage(topic), Math.min(helpColumns(rollcall), maxColumns)));
  return 'done';
}

function unknownTopic(name: string, rollcall: Command): UsageError {
  const commands = rollcall.createHelp().visibleCommands(rollcall);
  const known = [...commands.map((command) => command.name()), ...topicNames];
  const withSection = topicNames.filter((topic) => sectionNames(topic).includes(name.toLowerCase()));
  const hint =
    withSection.length > 0
      ? `This section is part of: ${withSection.map((topic) => `rollcall help ${topic}`).join(', ')}.`
      : (didYouMean(name, known) ?? `The topics are: ${topicNames.join(', ')}.`);
  return new UsageError(`there is no help on ${JSON.stringify(name)}`, hint);
}

function sectionNames(topic: (typeof topicNames)[number]): string[] {
  return Array.from(topicPage(topic).matchAll(/^#{2,} (.+)$/gm), ([, title = '']) => title.toLowerCase());
}
