import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startOf, wrapped } from '../../src/report/printable.ts';

test.each<[string, string[]]>([
  ['', ['']],
  ['12345678', ['12345678']],
  ['1234567 9', ['1234567 ', '9']],
  ['12345678 0', ['12345678', ' 0']],
  ['123456 890', ['123456 ', '890']],
  ['123 567 90', ['123 567 ', '90']],
  ['12 4567890', ['12 45678', '90']],
  ['1234567890', ['12345678', '90']],
  ['1234567\u{1f600}9', ['1234567', '\u{1f600}9']],
])('%j is broken into lines of 8', (text, lines) => {
  expect(wrapped(text, 8)).toEqual(lines);
});

test('no line is longer than the width, and none of the text is lost', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,15}$/), { maxLength: 30 }).map((some) => some.join(' '));
  fc.assert(
    fc.property(words, fc.integer({ min: 4, max: 40 }), (text, width) => {
      const lines = wrapped(text, width);
      expect(lines.join('')).toBe(text);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    }),
  );
});

test('the beginning of a text ends with no half of a character', () => {
  expect(startOf('a\u{1f600}b', 1)).toBe('a');
  expect(startOf('a\u{1f600}b', 2)).toBe('a');
  expect(startOf('a\u{1f600}b', 3)).toBe('a\u{1f600}');
});
