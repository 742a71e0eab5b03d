import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complete } from '../../../src/commands/complete.ts';
import { program } from '../../../src/commands/program.ts';
import { formatNames, printedFormats } from '../../../src/report/formats/all.ts';
import { loadFormats } from '../../support/formats.ts';
import { root } from '../../support/cli.ts';

const rollcall = program('1.2.3', () => {});

test('every report format can be loaded, and has a unique name', async () => {
  const formats = Object.values(await loadFormats());
  expect(new Set(formats).size).toBe(formatNames.length);
});

test('help lists the report formats that --output cannot print', () => {
  for (const name of ['validate', 'plan', 'apply']) {
    const command = rollcall.commands.find((each) => each.name() === name);
    const files = formatNames.filter((format) => !printedFormats.includes(format));
    expect(command?.helpInformation().replaceAll(/\s+/g, ' ')).toContain(`${files.join(', ')}, …`);
  }
});

test('completion offers every report format', () => {
  const offered = complete(rollcall, ['plan', '--report', '']);
  expect(offered.map(({ text }) => text)).toEqual(formatNames.map((name) => `${name}=`));
  expect(complete(rollcall, ['plan', '--report', 'text='])).toEqual([]);
  expect(complete(rollcall, ['plan', '--strict', '--report', 'ju'])).toEqual([{ text: 'junit=' }]);
});

test('completion offers help after another topic, but no second shell', () => {
  expect(complete(rollcall, ['help', 'plan', 'exit']).map(({ text }) => text)).toEqual(['exit-codes']);
  expect(complete(rollcall, ['completion', 'bash', ''])).toEqual([]);
});

test('docs/library.md mentions every report format', () => {
  const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
  for (const name of formatNames) expect(page).toContain(`\`${name}\``);
});

test('docs/plans.md describes every report format', () => {
  const page = readFileSync(join(root, 'docs/plans.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`.*?`) \| /gm)].map(([, cell = '']) => cell);
  const described = rows.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name));
  for (const name of formatNames) expect(described).toContain(name);
});
