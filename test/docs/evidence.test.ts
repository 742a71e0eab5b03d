import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rules } from '../simulation/rules.ts';
import { plantedBugs } from '../simulation/planted-bugs.ts';

const root = new URL('../../', import.meta.url);
const text = (name: string): string => readFileSync(new URL(name, root), 'utf8');
const inWords = (count: number): string => count.toLocaleString('en');

/** The sums of the numeric columns in the table that has this first line. */
function sums(page: string, head: string): number[] {
  const [, below = ''] = page.split(`${head}\n`);
  const [table = ''] = below.split('\n\n', 1);
  return table
    .split('\n')
    .slice(1)
    .map((row) =>
      Array.from(row.matchAll(/(?<=\| )[\d,]+(?= \|)/g), ([cell]) => Number(cell.replaceAll(',', ''))),
    )
    .reduce<number[]>((total, row) => row.map((cell, column) => cell + (total[column] ?? 0)), []);
}

function lawsTable(): string {
  const rows = Object.entries(rules).map(([law, words]) => {
    const mistakes = Object.entries(plantedBugs).flatMap(([name, { breaks }]) =>
      breaks === law ? [name] : [],
    );
    return `| \`${law}\` | ${words} | ${mistakes.join('; ')} |`;
  });
  return ['| law | promise | planted mistakes |', '|---|---|---|', ...rows].join('\n');
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly commit: string;
  readonly broke: readonly number[];
}

const ranges = JSON.parse(text('test/simulation/ranges.json')) as readonly Range[]; // the file has this form

/** The ranges of seeds with records of every kind. Each range was run on one commit. */
function rangesTable(): string {
  const rows = ranges.map(
    ({ from, to, commit, broke }) =>
      `| ${inWords(from)} to ${inWords(to)} | ${commit} | ${broke.map((seed) => inWords(seed)).join('; ') || 'none'} |`,
  );
  return ['| seeds | commit | broke a law |', '|---|---|---|', ...rows].join('\n');
}

/** The first paragraph of the page. Its figures are counted, or come from a table in the documents. */
function figuresOf(page: string): string {
  const { version } = JSON.parse(text('package.json')) as { readonly version: string };
  const [earlier = 0] = sums(page, '| content of the worlds | seeds | broke a law |');
  const seeds = ranges.reduce((sum, { from, to }) => sum + to - from + 1, earlier);
  const [planted = 0] = sums(page, '| where | planted | caught at first | caught now |');
  const [recorded = 0, alike = 0] = sums(text('docs/sandbox.md'), recordingsHead());
  const laws = Object.keys(rules).length;
  const bugs = Object.keys(plantedBugs).length;
  const releases = (JSON.parse(text('src/kinds/facts/releases.json')) as string[]).length;
  const folders = readdirSync(new URL('test/recordings/', root), { withFileTypes: true });
  const recordings = folders.filter((entry) => entry.isDirectory()).length;
  return `For release ${version}, the simulation ran ${inWords(seeds)} seeds and checked ${laws} laws; each law catches its planted mistakes, ${bugs} in all. ${planted} more mistakes were planted by hand. The sandbox answers ${inWords(alike)} of ${inWords(recorded)} recorded exchanges like the ${recordings} recorded releases. The API of ${releases} releases was compared field by field, answers were cut at 4,774 places, and 2,640 outcomes on a real service were checked with SQL.`;
}

/** The line above the table of recordings in docs/sandbox.md. */
function recordingsHead(): string {
  return /^\| release \|.*$/m.exec(text('docs/sandbox.md'))?.[0] ?? '';
}

test('docs/evidence.md lists the measured figures, the tested laws and the planted mistakes', async () => {
  const page = text('docs/evidence.md');
  const made: Readonly<Record<string, string>> = {
    figures: figuresOf(page),
    ranges: rangesTable(),
    laws: lawsTable(),
  };
  const parts = /(<!-- made by `npm run evidence`: (\w+) -->\n)[^]*?(<!-- end -->)/g;
  expect(Array.from(page.matchAll(parts), ([, , name]) => name)).toEqual(Object.keys(made));
  const whole = page.replaceAll(
    parts,
    (_, before: string, name: string, after: string) => `${before}${made[name]}\n${after}`,
  );
  // `npm run evidence` writes the page to this file.
  await expect(whole).toMatchFileSnapshot('../../docs/evidence.md');
});
