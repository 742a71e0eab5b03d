import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { sourceFile } from '../../src/base/source.ts';
import { parseYaml } from '../../src/yaml/parse-yaml.ts';

/** The value of a text alone, and in a list. */
function readAs(text: string): JsonValue[] {
  const file = sourceFile('a.yaml', `a: ${text}\nb:\n  - ${text}\n`);
  const { value, diagnostics } = parseYaml(file);
  expect(diagnostics).toEqual([]);
  const { a, b } = value as { a: JsonValue; b: JsonValue[] }; // the text above has these keys
  return [a, ...b];
}

describe('a YAML word', () => {
  test.each<[string, JsonValue]>([
    ...['null', 'Null', 'NULL', '~'].map((word): [string, null] => [word, null]),
    ...['true', 'True', 'TRUE'].map((word): [string, true] => [word, true]),
    ...['false', 'False', 'FALSE'].map((word): [string, false] => [word, false]),
    ['0', 0],
    ['12', 12],
    ['-1', -1],
    ['+1', 1],
    ['007', 7],
    ['0x1f', 31],
    ['0o17', 15],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['1e3', 1000],
    ['123456789012345', 123_456_789_012_345],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('%s without quotes is read as %j', (text, value) => {
    expect(readAs(text)).toEqual([value, value]);
  });

  /** Words for null, yes and no in other languages, older YAML and odd spellings, and texts that look like numbers. */
  const texts = [
    'none None NONE nil Nil undefined void empty nan NaN nothing nUll nulL NUll nul nulls null0',
    'tRue TRue truE trueish fAlse FALSe False1 yes Yes YES y Y no No NO n N on On ON off Off OFF t f',
    '1_000 1,000 12:30 0b11 0X1F 0x 0xg 0o8 1e e3 1.2.3 1-2 12a = Infinity inf',
    '2024-01-01 2024-01-01T00:00:00Z 11111111-1111-4111-8111-111111111111',
  ].flatMap((line) => line.split(' '));

  test.each([...texts, 'null null', '1 2'])('%s without quotes is read as a string', (text) => {
    expect(readAs(text)).toEqual([text, text]);
  });

  test.each(['null', '~', 'true', '12', '1e3', 'none', ''])('"%s" in quotes is read as a string', (text) => {
    expect(readAs(`"${text}"`)).toEqual([text, text]);
    expect(readAs(`'${text}'`)).toEqual([text, text]);
  });
});
