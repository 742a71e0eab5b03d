import { basename } from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { topicNames, topicPage } from '../../src/base/package-file.ts';
import { pageText } from '../../src/report/formats/page-text.ts';
import { root } from '../support/cli.ts';
import { endedHere } from '../support/here.ts';

describe('rollcall help', () => {
  test('lists the commands and the topics', async () => {
    const { code, stdout } = await endedHere(['help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: rollcall ');
    expect(stdout.replaceAll('\n', ' ')).toContain(`Topics: ${topicNames.join(', ')}.`);
  });

  test.each([
    [['plan'], 'Usage: rollcall plan '],
    [['import', 'csv'], 'Usage: rollcall import csv '],
    [['exit-codes'], 'EXIT CODES\n\n'],
  ])('is printed by %j', async (words, begin) => {
    const { code, stdout, stderr } = await endedHere(['help', ...words]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.slice(0, begin.length)).toBe(begin);
  });

  test('shows every page of docs/ that users need, unless a command has the name of the page', () => {
    const pages = globSync('docs/*.md', { cwd: root }).map((path) => basename(path, '.md'));
    const others = new Set(['CHANGELOG', 'commands', 'evidence', 'sandbox']);
    expect(topicNames.toSorted()).toEqual(pages.filter((name) => !others.has(name)).toSorted());
  });

  test('explains when --wait waits', async () => {
    const { stdout } = await endedHere(['help', 'apply']);
    expect(stdout).toMatch(/--wait <seconds> +wait for the service \(default: 60 once it answers\)\n/);
  });

  test.each([
    [['exitcodes'], 'Did you mean `exit-codes`?'],
    [['aply'], 'Did you mean `apply`?'],
    [['update'], 'This section is part of: rollcall help capabilities.'],
    [['stages'], 'This section is part of: rollcall help reference-stages.'],
    [['report', 'plan'], `The topics are: ${topicNames.join(', ')}.`],
    [['exit-codes', 'plan'], 'Did you mean `exit-codes`?'],
  ])('is refused with the arguments %j', async (words, hint) => {
    const { code, stdout, stderr } = await endedHere(['help', ...words]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(hint);
  });
});

describe('a documentation page in the terminal', () => {
  test.each(topicNames)('about %s contains all words of the page, and no line is too long', (name) => {
    const page = topicPage(name);
    const text = pageText(page, 60);
    const words = (of: string): string[] => of.match(/[\w-]{4,}/g) ?? [];
    const held = new Set(words(text.toLowerCase()));
    const shown = page.replaceAll(
      /<!--.*?-->|!\[[^\]]*\]\([^)]*\)|\]\((?!http)[^)]*\)|^```\w+|^\|.*\n\|---.*|&lt;/gm,
      ' ',
    );
    expect(words(shown.toLowerCase()).filter((word) => !held.has(word))).toEqual([]);
    const long = text.split('\n').filter((line) => line.length > 60 && !line.startsWith('    '));
    expect(long.filter((line) => line.trim().includes(' '))).toEqual([]);
  });

  test('shows headings, tables, lists and code as a person reads them', () => {
    const page = [
      '# A title',
      'Some words with a **strong** one and [a page](b.md),\nand [the web](https://a.example).',
      '| code | when | what |\n|---|---|---|\n| 1 | `a\\|b` | |\n| 2 | &lt;x> | fix it |',
      '- one item\n  goes on\n- two',
      '<!-- made by a script: part -->',
      '```sh\n$ a\n\n$ b\n```',
      '![no picture](p.png)',
    ];
    expect(pageText(page.join('\n\n'), 30)).toBe(
      [
        'A TITLE',
        'Some words with a strong one\nand a page, and the web\n(https://a.example).',
        '1\n    when: `a|b`\n2\n    when: <x>\n    what: fix it',
        '- one item goes on\n- two',
        '    $ a\n\n    $ b',
      ].join('\n\n') + '\n',
    );
  });
});
