import { expect, test } from 'vitest';
import { loadText } from '../support/desired.ts';

async function warningsOf(value: string, options = {}): Promise<(readonly unknown[])[]> {
  const text = `version: 1\nusers:\n  - username: a\n    name: A\n    attributes:\n      code: ${value}\n`;
  const { diagnostics } = await loadText(text, { variables: { n: 7 }, ...options });
  return diagnostics.map(({ severity, code, summary, range }) => [
    `${severity} ${code}`,
    summary,
    `${range?.start.line}:${range?.start.column}`,
  ]);
}

test.each([
  ['0510210600', '510210600'],
  ['0755', '755'],
  ['1.10', '1.1'],
  ['1.0', '1'],
  ['+491701234567', '491701234567'],
  ['12e4', '120000'],
  ['0x1F', '31'],
])(
  'a number that is written as %s and read as %s causes a warning with both spellings',
  async (written, read) => {
    expect(await warningsOf(written)).toEqual([
      [
        'warning rewritten-number',
        `YAML reads this number differently from its spelling: ${written} is read as ${read}`,
        '6:13',
      ],
    ]);
  },
);

test('a number that an alias repeats is reported only where it is written', async () => {
  expect(await warningsOf('[&n 1.10, *n]')).toEqual([
    ['warning rewritten-number', expect.stringContaining('1.10 is read as 1.1'), expect.anything()],
  ]);
});

test('a number in a list or an inline mapping is reported at its place', async () => {
  expect(await warningsOf('{ a: [1, 007] }')).toEqual([
    ['warning rewritten-number', expect.stringContaining('007 is read as 7'), '6:22'],
  ]);
});

test.each(['"0755"', '755', '-1.5', '0', '0.5', '2024-01-02', '1.2.3', '"${var:n}"', 'x0755'])(
  'a number that keeps its spelling causes no warning: %s',
  async (written) => {
    expect(await warningsOf(written)).toEqual([]);
  },
);

test('a rewritten number of a hidden field is not repeated', async () => {
  expect(await warningsOf('0755', { hide: ['user.attributes'] })).toEqual([
    ['warning rewritten-number', 'YAML reads this number differently from its spelling', expect.anything()],
  ]);
});

test('a number in place of a string is reported once', async () => {
  const { diagnostics } = await loadText('version: 1\nusers: [{ username: 0755 }]\n');
  expect(diagnostics.map(({ code }) => code)).toEqual(['wrong-type']);
});
