import { expect, test } from 'vitest';
import { comparePlaces, diagnosticAt, redactDiagnostic, type Diagnostic } from '../../src/base/diagnostic.ts';
import { Redactor } from '../../src/base/redactor.ts';
import { sourceFile } from '../../src/base/source.ts';

const problem = { severity: 'error', code: 'invalid-value', summary: '', detail: '' } as const;

test('a diagnostic is redacted in its texts and its source line', () => {
  const text = 'hunter2!';
  const told = redactDiagnostic(
    { ...problem, summary: text, detail: text, excerpt: `x: ${text}` },
    new Redactor([text]),
  );
  expect(told).toMatchObject({ summary: '(sensitive)', detail: '(sensitive)', excerpt: 'x: (sensiti' });
});

test.each([
  [true, 6],
  [false, 4],
])('the length of a mistake is shown only if its line may be quoted: %j', (isQuotable, column) => {
  const file = { ...sourceFile('m.yaml', 'x: hunter2'), isQuotable: () => isQuotable };
  const { range } = diagnosticAt(file, [3, 5], problem);
  expect(range).toMatchObject({ start: { column: 4 }, end: { column } });
});

test('diagnostics are sorted by file, place and code, and those without a place come last', () => {
  const at = (filename: string, line: number, column: number): Pick<Diagnostic, 'range'> => {
    const start = { line, column };
    return { range: { filename, start, end: start } };
  };
  const sorted: Diagnostic[] = [
    { ...problem, ...at('a', 2, 1) },
    { ...problem, ...at('b', 1, 2), code: 'invalid-format' },
    { ...problem, ...at('b', 1, 2) },
    { ...problem, ...at('b', 1, 3) },
    { ...problem, ...at('b', 10, 1) },
    problem,
  ];
  expect(sorted.toReversed().toSorted(comparePlaces)).toEqual(sorted);
});
