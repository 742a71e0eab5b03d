import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { sourceFile } from '../../src/base/source.ts';
import { parseYaml } from '../../src/yaml/parse-yaml.ts';
import { keyProblem, numberProblem, textProblem } from '../../src/yaml/refused-values.ts';
import { yamlText } from '../../src/adopt/write-yaml.ts';
import { anyJson, anyText } from '../support/any-json.ts';
import { times } from '../support/effort.ts';

function isTaken(value: JsonValue): boolean {
  if (typeof value === 'string') return textProblem(value) === undefined;
  if (typeof value === 'number') return numberProblem(value) === undefined && !Object.is(value, -0);
  if (isJsonList(value)) return value.every((item) => isTaken(item));
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([key, inner]) => !keyProblem(key) && isTaken(inner));
}

const anyMapping = fc
  .dictionary(anyText, anyJson, { maxKeys: 5 })
  .filter((mapping) => Object.keys(mapping).length > 0 && isTaken(mapping));

describe('written YAML', () => {
  test.each([
    ['One\nTwo\n', 'a: |\n  One\n  Two\n'],
    ['One\n\n', 'a: "One\\n\\n"\n'],
    ['\nOne\n', 'a: "\\nOne\\n"\n'],
    ['One \nTwo\n', 'a: "One \\nTwo\\n"\n'],
  ])('has %j in quotes if editors would change its lines', (value, text) => {
    expect(yamlText({ a: value })).toBe(text);
  });

  test('reads back as the same value, in block and in flow style', () => {
    fc.assert(
      fc.property(anyMapping, fc.nat(4), (mapping, inlineFrom) => {
        const text = yamlText(mapping, (path) => path.length >= inlineFrom && inlineFrom > 0);
        const file = sourceFile('a.yaml', text);
        const { value, diagnostics } = parseYaml(file);
        expect(diagnostics).toEqual([]);
        expect(value).toEqual(mapping);
      }),
      { numRuns: times({ short: 20, full: 2000 }) },
    );
  });

  test('contains no characters that are invisible or that editors remove', () => {
    fc.assert(
      fc.property(anyMapping, (mapping) => {
        const text = yamlText(mapping);
        expect(text.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(
          /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u,
        );
        expect(text).not.toMatch(/[ \t]$/m);
        expect(text).not.toMatch(/^\s*::|##\w*\[/m);
        expect(text).toMatch(/[^\n]\n$/);
      }),
      { numRuns: times({ short: 20, full: 2000 }) },
    );
  });
});

test.each<[name: string, value: JsonValue, written: string]>([
  ['a word', 'Alice', 'a: Alice'],
  ['a string with blanks', 'Alice Example', 'a: Alice Example'],
  ['a URL', 'https://x.example/#a', 'a: https://x.example/#a'],
  ['a YAML 1.1 boolean', 'no', 'a: no'],
  ['a date', '2024-05-01', 'a: 2024-05-01'],
  ['a string that looks like a number', '007', 'a: "007"'],
  ['a string that looks like a constant', 'true', 'a: "true"'],
  ['a string that looks like a mapping', 'b: c', 'a: "b: c"'],
  ['an apostrophe', "it's", "a: it's"],
  ['quotes', '"a" is', `a: '"a" is'`],
  ['an empty string', '', 'a: ""'],
  ['null', null, 'a: null'],
  ['several lines', 'x\n  y\n', 'a: |\n  x\n    y'],
  ['several lines without a final line end', 'x\ny', 'a: |-\n  x\n  y'],
  ['lines with trailing blanks', 'x \ny', 'a: "x \\ny"'],
  ['a last line with trailing blanks', 'x\ny ', 'a: "x\\ny "'],
  ['CRLF lines', 'x\r\ny', 'a: "x\\r\\ny"'],
  ['a character that changes the direction of text', 'x\u202ey', 'a: "x\\u202ey"'],
  ['a character beyond 16 bits', '\u{e0001}', 'a: "\\U000e0001"'],
  [
    'a line that CI systems read as a command',
    'x\n::error::y ##[z]',
    String.raw`a: "x\n::error::y #\u0023[z]"`,
  ],
  ['an empty list', [], 'a: []'],
  ['an empty mapping', {}, 'a: {}'],
  ['a list', [1, 'b'], 'a:\n  - 1\n  - b'],
  ['a list of mappings', [{ b: 1, c: 2 }], 'a:\n  - b: 1\n    c: 2'],
])('YAML for %s is written as a person would write it', (_, value, written) => {
  expect(yamlText({ a: value })).toBe(`${written}\n`);
});

test('a YAML mapping in flow style has spaces inside its braces', () => {
  const value: JsonObject = {
    groups: [{ name: 'a, b' }, { name: 'two\nlines' }],
    provider: { name: 'Grafana' },
  };
  expect(yamlText(value, (path) => path.length > 0)).toBe(
    'groups:\n  - { name: "a, b" }\n  - { name: "two\\nlines" }\nprovider: { name: Grafana }\n',
  );
});
