import { describe, expect, test } from 'vitest';
import { sourceFile } from '../../src/base/source.ts';
import { composeYaml } from '../../src/yaml/compose.ts';
import { parseYaml } from '../../src/yaml/parse-yaml.ts';
import { inFull } from '../support/effort.ts';

function codesOf(text: string): string[] {
  return parseYaml(sourceFile('a.yaml', text)).diagnostics.map(({ code, summary }) => `${code}: ${summary}`);
}

const lists = (depth: number, inside: string): string => `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`;

test('a problem at the end of a line is reported in this line', () => {
  const [problem] = parseYaml(sourceFile('a.yaml', 'a: [b: \n}')).diagnostics;
  expect(problem?.range?.start).toMatchObject({ line: 1, column: 6 });
});

describe('a YAML alias', () => {
  test('may be used any number of times, with its value each time', () => {
    const { value, diagnostics } = parseYaml(
      sourceFile('a.yaml', 'a: &x [1, { b: 2 }]\nc: *x\nd: [*x, *x]\n'),
    );
    const x = [1, { b: 2 }];
    expect(diagnostics).toEqual([]);
    expect(value).toEqual({ a: x, c: x, d: [x, x] });
  });

  test('refers to the last anchor of its name, even if another alias has repeated a value with an earlier anchor of that name', () => {
    const text = 'a: &list [&x 1]\nb: &x 2\nc: *list\nd: *x\n';
    expect(parseYaml(sourceFile('a.yaml', text)).value).toEqual({ a: [1], b: 2, c: [1], d: 2 });
  });

  test('inside a repeated value keeps its value, even if its anchor is defined again before the repetition', () => {
    const text = 'a: &x 1\nb: &list [*x]\nc: &x 2\nd: *list\n';
    expect(parseYaml(sourceFile('a.yaml', text)).value).toEqual({ a: 1, b: [1], c: 2, d: [1] });
  });

  test('does not repeat the problems of the anchored value', () => {
    expect(codesOf('a: &x [.nan]\nb: *x\nc: *x\n')).toEqual(['invalid-value: this is not a JSON value']);
  });

  test('gets the places of the keys in the anchored value', () => {
    const { places } = parseYaml(sourceFile('a.yaml', 'a: &x { b: 2 }\nc: *x\n'));
    expect(places.keySpan(['c'], 'b')).toEqual(places.keySpan(['a'], 'b'));
    expect([places.keySpan(['c'], 'b'), places.valueSpan(['c', 'b'])]).toEqual([
      [8, 9],
      [11, 12],
    ]);
  });

  test('has the depth of its place plus the depth of its value', () => {
    const nested = (depth: number): string => `a: &x ${lists(40, '1')}\nb: ${lists(depth, '*x')}\n`;
    // The root and the alias itself are one level each.
    expect(codesOf(nested(22))).toEqual([]);
    expect(codesOf(nested(23))).toEqual(['yaml-unsupported: this is nested too deeply']);
  });

  test('that refers to another alias also counts the depth of that alias', () => {
    const chain = Array.from({ length: 40 }, (_, index) => `a${index + 1}: &a${index + 1} [[*a${index}]]\n`);
    expect(codesOf(`a0: &a0 1\n${chain.join('')}`)).toContain('yaml-unsupported: this is nested too deeply');
  });
});

test('a template is an error that names the way to set variables', () => {
  const { diagnostics } = parseYaml(sourceFile('a.yaml', 'a: {{ .Values.user }}'), 10);
  expect(diagnostics.map(({ summary, detail }) => `${summary}: ${detail}`)).toEqual([
    'a key must be a string, and {{ … }} is not a template in a manifest: Render the file first, or write ${var:NAME}.',
  ]);
});

test.each<[string, entries: number, most: number, (count: number) => string]>([
  ['a list beyond the entries', 0, 19, (count) => `users:\n${'- a\n'.repeat(count)}`],
  ['a list of known entries', 1000, 59, (count) => `users:\n${'- a\n'.repeat(count)}`],
  ['an entry beyond the entries', 0, 25, (count) => `users:\n- [${'a,'.repeat(count)}]\n- b\n- c\n- d\n`],
  ['the first of several entries', 3, 35, (count) => `users:\n- [${'a,'.repeat(count)}]\n- b\n- c\n- d\n`],
  ['an entry in brackets', 3, 30, (count) => `users: [[${'a,'.repeat(count)}], b, c]\n`],
  ['a list in a mapping', 3, 28, (count) => `users: {b: [${'a,'.repeat(count)}]}\n`],
])('the limits for lexemes allow a certain number of values in %s', (_, entries, most, text) => {
  const max = { shared: 100, entry: 20, total: 300 };
  const isRefused = (count: number): boolean => 'refused' in composeYaml(text(count), entries, max);
  expect([isRefused(most), isRefused(most + 1)]).toEqual([false, true]);
});

test.runIf(inFull)('a file with more lexemes than the limit is refused', () => {
  expect(composeYaml('a,'.repeat(10), 0)).not.toHaveProperty('refused');
  expect(composeYaml(`[${'a,'.repeat(300_001)}]`, 0)).toMatchObject({ refused: 'too much' });
});

test('a key that occurs several times is reported once, and its place is that of the first', () => {
  const more = lines(101);
  for (const text of ['a: 1\na: 2\na: 3\n', `a: 1\na: 2\na: 3\n${more}`]) {
    const { diagnostics, places } = parseYaml(sourceFile('a.yaml', text));
    expect(diagnostics.map(({ range }) => range?.start.line)).toEqual([2]);
    expect([places.keySpan([], 'a'), places.valueSpan(['a'])]).toEqual([
      [0, 1],
      [3, 4],
    ]);
  }
});

test('the places of a key and a value that an alias repeats are in the repeated mapping', () => {
  const { places } = parseYaml(sourceFile('a.yaml', 'a: &x { b: 1 }\nc: *x\n'));
  expect([places.keySpan(['c'], 'b'), places.valueSpan(['c', 'b'])]).toEqual([
    [8, 9],
    [11, 12],
  ]);
});

test('thousands of values without aliases are all read', () => {
  const { value, diagnostics } = parseYaml(
    sourceFile('a.yaml', `a: [${'1,'.repeat(10_100)}]\nb: &b 1\nc: *b\n`),
  );
  expect(diagnostics).toEqual([]);
  expect(value).toMatchObject({ b: 1, c: 1 });
  expect(JSON.stringify(value)).not.toContain('null');
});

test.each([
  ['a:\n  : 1\n', 2, 3],
  ['a: { : 1 }\n', 1, 5],
  ['a: [ : 1 ]\n', 1, 5],
])('an empty key is reported at its place: %j', (text, line, column) => {
  const { diagnostics } = parseYaml(sourceFile('a.yaml', text));
  expect(diagnostics.map(({ range }) => range?.start)).toMatchObject([{ line, column }]);
});

test.each([
  ['a: b: c\nd: 1\n', 'a second `key: value` begins in this line'],
  ['a: [b\nc: d\n', 'the closing ] is missing'],
  ['a: {b\n', 'the closing } is missing'],
  ['a: "b', 'the closing quote is missing'],
  ['a: [b]]\n', 'this ] has no opening bracket'],
  ['a:\n  - b\n  c: 1\n', 'this line is not indented like the lines around it'],
  ['a: - b\n', 'a list cannot begin in the line of its key'],
  ['a: "b" c\n', 'more text follows the end of the value'],
])('%j is not valid YAML: %s', (text, summary) => {
  expect(codesOf(text)).toEqual([`yaml-syntax: ${summary}`]);
});

test('a text with too many brackets is refused as too deep', () => {
  expect(codesOf('['.repeat(100))).toEqual(['yaml-unsupported: this is nested too deeply']);
});

test('a second document is reported at its marker', () => {
  const { diagnostics } = parseYaml(sourceFile('a.yaml', '---\na: 1\n---\nb: 2\n'));
  expect(diagnostics).toMatchObject([{ range: { start: { line: 3, column: 1 } } }]);
});

test('the place of a missing key is that of its mapping', () => {
  const { places } = parseYaml(sourceFile('a.yaml', 'a: { b: 1 }\n'));
  expect(places.keySpan(['a'], 'c')).toEqual(places.valueSpan(['a']));
});

test('a directive for another version of YAML is reported at its line', () => {
  const { diagnostics } = parseYaml(sourceFile('a.yaml', '# a\n%YAML 1.1\n---\na: 1\n'));
  expect(diagnostics[0]).toMatchObject({ range: { start: { line: 2, column: 1 } } });
});

test('at most 1000 problems of a file are reported', () => {
  expect(codesOf('{{ a }}: 1\n'.repeat(1100))).toHaveLength(1000);
});

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `k${index}: 1\n`).join('');
}
