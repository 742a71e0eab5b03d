import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstColumns, shortened, uriComponent, wrapText } from '../../src/report/printable.ts';

test.each<[string, string[]]>([
  ['', ['']],
  ['12345678', ['12345678']],
  ['1234567 9', ['1234567', '  9']],
  ['12345678 0', ['12345678', '  0']],
  ['123 567 90', ['123 567', '  90']],
  ['12 4567890 2', ['12', '  4567890', '  2']],
  ['1234567890', ['1234567890']],
  ['  34567890', ['  34567890']],
  ['1 \u001b[1m345678\u001b[22m 0', ['1 \u001b[1m345678\u001b[22m', '  0']],
  ['\u65e5\u672c\u8a9e\u306e\u6587', ['\u65e5\u672c\u8a9e\u306e', '  \u6587']],
  ['ab \u65e5\u672c\u8a9e\u306e\u6587', ['ab \u65e5\u672c', '  \u8a9e\u306e\u6587']],
  ['x \u65e5https://id.example', ['x \u65e5', '  https://id.example']],
  [
    'e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301 1',
    ['e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301', '  1'],
  ],
  ['x \u304b\u3099https://id.example', ['x \u304b\u3099', '  https://id.example']],
  ['12345678 ::group::x', ['12345678', String.raw`  \u{3a}:group::x`]],
])('%j is wrapped to lines of 8 columns', (text, lines) => {
  expect(wrapText(text, 8, 2)).toEqual(lines);
});

test('lines of several words fit the width, without losing text', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,15}$/), { maxLength: 30 }).map((some) => some.join(' '));
  fc.assert(
    fc.property(words, fc.integer({ min: 4, max: 40 }), (text, width) => {
      const lines = wrapText(text, width);
      expect(lines.join(' ')).toBe(text);
      for (const line of lines) if (line.includes(' ')) expect(line.length).toBeLessThanOrEqual(width);
    }),
  );
});

test('a shortened text does not end with half a character', () => {
  expect(shortened('a\u{1f600}b', 1)).toBe('a…');
  expect(shortened('a\u{1f600}b', 2)).toBe('a…');
  expect(shortened('a\u{1f600}b', 3)).toBe('a\u{1f600}…');
  expect(shortened('a\u{1f600}b', 4)).toBe('a\u{1f600}b');
});

test.each([
  ['abc', 2, 'ab'],
  ['abc', 3, 'abc'],
  ['日本', 3, '日'],
  ['日本', 4, '日本'],
])('the prefix of %s in %i columns is %s', (text, columns, expected) => {
  expect(firstColumns(text, columns)).toBe(expected);
});

test('half of a character in a URI is replaced', () => {
  expect(uriComponent('a \ud800')).toBe('a%20%EF%BF%BD');
});
