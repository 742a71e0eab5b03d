import { expect, test } from 'vitest';
import { lineOf, rangeOf, sourceFile } from '../../src/base/source.ts';

test('the lines of a file have no line endings, whichever the file uses', () => {
  const file = sourceFile('m.yaml', 'a: 1\r\n\nb: 2');
  expect([1, 2, 3, 4].map((line) => lineOf(file, line))).toEqual(['a: 1', '', 'b: 2', '']);
});

test('a range never ends before it begins', () => {
  const { start, end } = rangeOf(sourceFile('m.yaml', 'a: 1\nb: 2\n'), [7, 3]);
  expect(start).toEqual({ line: 2, column: 3 });
  expect(end).toEqual(start);
});
