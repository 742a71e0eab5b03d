import { describe, expect, test } from 'vitest';
import { diagnosticAt, diagnosticFor, type Diagnostic } from '../../../src/base/diagnostic.ts';
import type { DiagnosticCode } from '../../../src/base/diagnostic-codes.ts';
import { createStyle, diagnosticsText, plainStyle } from '../../../src/report/formats/lines.ts';
import { foldByCause } from '../../../src/report/words/diagnostics.ts';
import { sourceFile } from '../../../src/base/source.ts';

/** The line and the caret that the text shows. `[` and `]` mark the place of the problem. */
function shown(marked: string): string[] {
  const start = marked.indexOf('[');
  const end = marked.indexOf(']') - 1;
  const file = sourceFile('a.yaml', `\n\n${marked.replace(/[[\]]/g, '')}\n`);
  const problem = { code: 'invalid-value', summary: 'no' } as const;
  const text = diagnosticsText(
    [diagnosticAt(file, [start + 2, end + 2], problem)],
    createStyle({ colours: false }),
  );
  return text.trimEnd().split('\n').slice(1);
}

describe('a caret below a line marks the place of a problem', () => {
  test.each<[string, string, string]>([
    ['[name]: x', '  3 | name: x', '    | ^^^^'],
    ['  name: [x]', '  3 |   name: x', '    |         ^'],
    ['  name: [x y z]', '  3 |   name: x y z', '    |         ^^^^^'],
    ['  name: []x', '  3 |   name: x', '    |         ^'],
    ['  name:[]', '  3 |   name:', '    |        ^'],
    ['  a: [one\n  two]', '  3 |   a: one', '    |      ^^^'],
    ['\tname: [x]', '  3 |     name: x', '    |           ^'],
    ['  a: "\u202e" [x]', String.raw`  3 |   a: "\u{202e}" x`, '    |                 ^'],
  ])('in %j', (marked, line, carets) => {
    expect(shown(marked)).toEqual([line, carets]);
  });

  test.each([0, 1, 59, 60, 61, 100, 109, 110, 111, 500, 989])(
    'in a shortened line too: column %i',
    (column) => {
      const [line = '', carets = ''] = shown(`${'.'.repeat(column)}[XYZ]${'.'.repeat(1000 - column)}`);
      expect(line.length).toBeLessThanOrEqual(120);
      expect(line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('XYZ');
      expect(line.endsWith('…')).toBe(column < 940);
      expect(line.startsWith('  3 | …')).toBe(column > 60);
    },
  );

  test('in a line of up to 110 characters, which is shown in full', () => {
    expect(shown(`[X]${'.'.repeat(109)}`)[0]).toBe(`  3 | X${'.'.repeat(109)}`);
    expect(shown(`[X]${'.'.repeat(110)}`)[0]).toBe(`  3 | X${'.'.repeat(109)}…`);
  });
});

test.each([
  ['the line and column of a problem at the start of a file', 'a: x\n', 'a.yaml:1:1: error: no'],
  ['only the name of a file without lines to show', undefined, 'a.yaml: error: no'],
])('the text of a diagnostic has %s', (_, content, start) => {
  const problem = { code: 'invalid-value', summary: 'no' } as const;
  const found =
    content === undefined
      ? diagnosticFor('a.yaml', problem)
      : diagnosticAt(sourceFile('a.yaml', content), [0, 1], problem);
  expect(diagnosticsText([found], plainStyle)).toMatch(new RegExp(`^${start} `));
});

describe('a repeated cause of diagnostics', () => {
  const of = (name: string, detail: string, summary = 'denied'): Diagnostic => ({
    severity: 'error',
    code: 'service-denied',
    summary,
    detail,
    address: `user.${name}`,
  });

  test('is reported once, despite different request ids', () => {
    expect(
      foldByCause([of('a', 'No.\nRequest id: 1'), of('b', 'No.\nRequest id: 2'), of('c', 'No.')]),
    ).toEqual([of('a', 'No.\nRequest id: 1\nThe same for: user.b'), of('c', 'No.')]);
  });

  test('is reported with all its places in one resource', () => {
    const file = sourceFile('m.yaml', 'a: x\n'.repeat(3));
    const at = (line: number): Diagnostic => ({
      ...diagnosticAt(file, [line * 5, line * 5 + 1], {
        code: 'service-denied',
        summary: 'no',
        detail: 'No.',
      }),
      address: 'user.a',
    });
    expect(foldByCause([at(0), at(1), at(2)])[0]?.detail).toBe('No.\nThe same for: m.yaml:2:1, 3:1');
  });

  test('is not assumed if the messages differ', () => {
    const different = [
      of('a', 'No.'),
      of('b', 'Never.'),
      of('c', 'No.', 'refused'),
      { ...of('d', 'No.'), severity: 'warning' as const },
    ];
    expect(foldByCause(different)).toEqual(different);
  });

  test('is reported with its places: 50 of an error, 3 of a warning', () => {
    const file = sourceFile('m.yaml', 'a: x\n'.repeat(60));
    const unknown = Array.from({ length: 60 }, (_, line) =>
      diagnosticAt(file, [line * 5, line * 5 + 1], {
        code: 'unknown-field',
        summary: 'no',
        detail: 'Remove it.',
      }),
    );
    const told = (count: number, severity: Diagnostic['severity'] = 'error'): string | undefined =>
      foldByCause(unknown.slice(0, count).map((each) => ({ ...each, severity })))[0]?.detail;
    expect(told(1)).toBe('Remove it.');
    expect(told(51)).toMatch(/\nThe same for: m.yaml:2:1, 3:1, .*, 50:1, 51:1$/);
    expect(told(54)).toMatch(/\nThe same for 53 others: m.yaml:2:1, 3:1, .*, 51:1, and 3 more$/);
    expect(told(4, 'warning')).toBe('Remove it.\nThe same for: m.yaml:2:1, 3:1, 4:1');
    expect(told(5, 'warning')).toBe('Remove it.\nThe same for 4 others: m.yaml:2:1, 3:1, 4:1, and 1 more');
  });

  test('is not assumed if the wrong values differ', () => {
    const file = sourceFile('m.yaml', 'a: x # 1\na: x # 2\na: y\n');
    const wrong = (start: number, code: DiagnosticCode): Diagnostic =>
      diagnosticAt(file, [start, start + 1], { code, summary: 'no' });
    for (const code of ['invalid-value', 'invalid-format', 'invalid-length'] as const)
      expect(
        foldByCause([3, 12, 21].map((start) => wrong(start, code))).map(({ range }) => range?.start.line),
      ).toEqual([1, 3]);
    expect(foldByCause([3, 12, 21].map((start) => wrong(start, 'wrong-type')))).toHaveLength(1);
  });

  test('is not assumed for differences of two resources', () => {
    const differs = ['a', 'b'].map((name) => ({ ...of(name, 'No.'), code: 'differs' as const }));
    expect(foldByCause(differs)).toEqual(differs);
  });
});
