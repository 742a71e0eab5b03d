import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { isJsonList, isJsonObject, type JsonValue } from '../../src/base/json.ts';
import { sourceFile, type Span } from '../../src/base/source.ts';
import { parseAnyYaml } from '../../src/yaml/parse-any-yaml.ts';
import type { Places } from '../../src/yaml/places.ts';
import { readPlainYaml } from '../../src/yaml/plain-yaml.ts';
import { root } from '../support/cli.ts';
import { times } from '../support/effort.ts';

/** Every path into a value, and the places of what is there and of what is not. */
function placesOf(value: JsonValue, places: Places): Record<string, Span> {
  const found: Record<string, Span> = {};
  const visit = (inner: JsonValue, path: readonly (string | number)[]): void => {
    found[`${path.join('/')} value`] = places.ofValue(path);
    for (const step of ['absent', 0, 99]) {
      found[`${[...path, step].join('/')} absent`] = places.ofValue([...path, step]);
      found[`${[...path, step].join('/')} absent key`] = places.ofKey(path, String(step));
    }
    if (isJsonList(inner)) for (const [index, item] of inner.entries()) visit(item, [...path, index]);
    if (!isJsonObject(inner)) return;
    for (const [key, item] of Object.entries(inner)) {
      found[`${[...path, key].join('/')} key`] = places.ofKey(path, key);
      visit(item, [...path, key]);
    }
  };
  visit(value, []);
  return found;
}

/** Whether a text is read as plain; fails when the parser reads it in another way. */
function isReadAlike(text: string): boolean {
  const plain = readPlainYaml(text);
  if (plain === undefined) return false;
  const parsed = parseAnyYaml(sourceFile('a.yaml', text));
  const shown = JSON.stringify(text);
  expect(parsed.diagnostics, shown).toEqual([]);
  // As JSON: the order of keys counts as well.
  expect(JSON.stringify(plain.value), shown).toBe(JSON.stringify(parsed.value));
  expect(placesOf(plain.value, plain.places), shown).toEqual(placesOf(parsed.value ?? null, parsed.places));
  return true;
}

const words = [
  'a',
  'word',
  'two words',
  'Ünïcode ラベル',
  'null',
  'True',
  'NULL',
  'no',
  'on',
  '~',
  '12',
  '007',
  '1e3',
  '1.5',
  '1.',
  '0x1f',
  '0o7',
  '.5',
  '-1',
  '+1',
  '.inf',
  '9007199254740993',
  '123456789012345',
  '1_000',
  '2024-01-01',
  '12:30',
  '11111111-1111-4111-8111-111111111111',
  'https://a.example/?b=c#d',
  'a #b',
  'a# b',
  'a: b',
  'a:',
  'a:b',
  'a ',
  '""',
  '"double"',
  '"a: b #c"',
  String.raw`"a\n"`,
  '"a" b',
  '"open',
  "'single'",
  "'it''s'",
  "'a: #b'",
  '[1, 2]',
  '{a: b}',
  '[]',
  '{}',
  '[ ]',
  '{ a: b, c: "d, e", f: [] }',
  '[{ name: a }, { name: https://a.example }]',
  '[{ name: two words , b: null }]  ',
  "[ 'a', b c, 12, true, 1e3 ]",
  '{ a: 1, a: 2 }',
  '{ a:1 }',
  '{ a: {b: [c, [d, {e: f}]]} }',
  '[a, ]',
  '[a: b]',
  '["a": b]',
  '{ a }',
  '{ a: , b: c }',
  '{ "a": b }',
  '{ null: a }',
  '[a #b]',
  '[a] #b',
  '[a] b',
  '[a, - b]',
  '[a]]',
  '[a',
  '${a: b}',
  '[${env:A}]',
  '[2024-01-01, 007, 12:30, ~]',
  '&anchor a',
  '*alias',
  '!tag a',
  '|',
  '>',
  '@a',
  '`a`',
  '%a',
  '- a',
  '? a',
  '${env:A}',
  '$${',
  '(a)',
  '/a',
  '<<',
  '=',
  'a\tb',
  'a, b]',
  'a"b',
  "a'b",
  '---',
  '...',
  'a\u00a0b',
  '\u00e4',
  '\u0085',
  'a\u2028b',
  'a\ufeffb',
  '😀',
  'a\\b',
  'x'.repeat(2000),
];
const keys = [
  'a',
  'b',
  'slug',
  'name',
  'meta_launch_url',
  'x-y',
  '_z',
  'null',
  'True',
  '__proto__',
  'constructor',
  '"q"',
  '1',
  '<<',
];
const ends = [
  '\n',
  '\n',
  '\n',
  '\n',
  '\n',
  '\n\n',
  '\r\n',
  ' \n',
  ' # comment\n',
  '\n# comment\n',
  '\n  # comment\n',
  '\n \n',
  '\n---\n',
  '',
];

const word = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...words) },
  {
    weight: 6,
    arbitrary: fc.constantFrom('a', 'two words', '12', 'true', '"a: b"', "'#'", 'a:b', 'null', 'ü'),
  },
);

const line = fc
  .record({
    indent: fc.constantFrom(0, 0, 2, 2, 4, 4, 6, 1, 3),
    dash: fc.constantFrom('', '', '- ', '-  ', '-', '- - '),
    key: fc.option(fc.constantFrom(...keys), { freq: 8 }),
    value: fc.option(word, { freq: 3 }),
    end: fc.constantFrom(...ends),
  })
  .map(({ indent, dash, key, value, end }) => {
    const text = [key === null ? undefined : `${key}:`, value ?? undefined].filter(
      (part) => part !== undefined,
    );
    return `${' '.repeat(indent)}${dash}${text.join(' ')}${end}`;
  });

/** A value in block style, mostly plain. */
const block = fc.letrec<{ value: string[]; mapping: string[]; sequence: string[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    word.map((text) => [text]),
    tie('mapping'),
    tie('sequence'),
  ),
  mapping: fc
    .uniqueArray(
      fc.tuple(
        fc.constantFrom(...keys.slice(0, 7)),
        tie('value'),
        fc.constantFrom('', '', '', '\n', '# c\n', '  # c\n'),
      ),
      { selector: ([key]) => key, minLength: 1, maxLength: 4 },
    )
    .map((entries) =>
      entries.flatMap(([key, value, above]) => [
        ...(above === '' ? [] : [above.replace('\n', '')]),
        ...(value.length === 1 && !/^(?:- |[\w-]+:)/.test(value[0] ?? '')
          ? [`${key}: ${value[0]}`]
          : [`${key}:`, ...value.map((inner) => (/^(?:#|$)/.test(inner) ? inner : `  ${inner}`))]),
      ]),
    ),
  sequence: fc
    .array(tie('value'), { minLength: 1, maxLength: 3 })
    .map((items) =>
      items.flatMap((item) =>
        item.map((inner, index) => (/^(?:#|$)/.test(inner) ? inner : `${index === 0 ? '- ' : '  '}${inner}`)),
      ),
    ),
})).mapping;

describe('what is read as plain YAML is read as the parser reads it', () => {
  const runs = times({ short: 100, full: 3000 });

  test('in blocks', () => {
    let plain = 0;
    fc.assert(
      fc.property(
        block,
        fc.constantFrom('\n', '', '\n\n', '\n# end\n'),
        fc.constantFrom('', '---\n', '# head\n\n'),
        (lines, end, head) => {
          if (isReadAlike(head + lines.join('\n') + end)) plain += 1;
        },
      ),
      { numRuns: runs },
    );
    // One in eight is, or nothing was compared.
    expect(plain).toBeGreaterThan(0);
  });

  test('in lines of any kind', () => {
    const texts = times({ short: 1500, full: 10_000 });
    let plain = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
        if (isReadAlike(lines.join(''))) plain += 1;
      }),
      { numRuns: texts },
    );
    // One in seventy is, or nothing was compared.
    expect(plain).toBeGreaterThan(0);
  });

  test('in one line', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      ': ',
      ' ',
      'a',
      'b: ',
      '{ a: ',
      '[a',
      ', ',
      '1',
      '"a"',
      '-',
      '#',
      ' #',
      "'b'",
    );
    const sound = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        word,
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
        fc
          .uniqueArray(fc.tuple(fc.constantFrom(...keys.slice(0, 7)), tie('value')), {
            selector: ([key]) => key,
            maxLength: 3,
          })
          .map((entries) => `{ ${entries.map(([key, value]) => `${key}: ${value}`).join(', ')} }`),
      ),
    })).value;
    let plain = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          sound,
          fc.array(part, { maxLength: 12 }).map((parts) => `[${parts.join('')}]`),
        ),
        (text) => {
          if (isReadAlike(`a: ${text}\nb:\n  - ${text}\n`) && /^[[{]/.test(text)) plain += 1;
        },
      ),
      { numRuns: times({ short: 1000, full: 10_000 }) },
    );
    // One in ten is, or nothing was compared.
    expect(plain).toBeGreaterThan(0);
  });

  test.each(words)('in the value %j', (text) => {
    // Whether it is plain is not the question; that it is read alike is checked in there.
    expect(isReadAlike(`a: ${text}\nb:\n  - ${text}\n  - ${text}`)).toBeTypeOf('boolean');
  });
});

test('every YAML file of this repository is read as the parser reads it, or left to it', () => {
  const files = globSync(['examples/**/*.yaml', 'test/fixtures/broken/**/*.yaml'], { cwd: root });
  expect(files.length).toBeGreaterThan(100);
  const plain = files.filter((file) => isReadAlike(readFileSync(join(root, file), 'utf8')));
  expect(plain.length).toBeGreaterThan(20);
});

test('a manifest as a program writes it is plain', () => {
  const text = [
    'version: 1',
    'applications:',
    '  - slug: grafana',
    '    name: "Grafana: dashboards"',
    '    provider: 1',
    '    open_in_new_tab: true',
    '    meta_launch_url: https://grafana.example.com/',
    'users:',
    '- username: alice',
    "  name: 'Alice'",
    '  groups:',
    '  - 11111111-1111-4111-8111-111111111111',
    '  attributes:',
    '    department: Engineering',
    '',
  ].join('\n');
  expect(isReadAlike(text)).toBe(true);
});
