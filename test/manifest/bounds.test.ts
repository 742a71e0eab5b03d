import { describe, expect, test } from 'vitest';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import { inFull, someOf, times } from '../support/effort.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { loadText } from '../support/desired.ts';

const entry = '  - { username: alice, name: Alice }\n';
const head = 'version: 1\nusers:\n';
const many = times({ short: 10_000, full: 100_000 });

function lines(count: number, line: (index: number) => string, end = '\n'): string {
  return Array.from({ length: count }, (_, index) => `${line(index)}${end}`).join('');
}

async function codesOf(text: string | Uint8Array): Promise<string[]> {
  const { diagnostics } = await loadText(text);
  return [...new Set(diagnostics.map(({ code }) => code))];
}

/** Manifests that would take too much time or memory without limits, each with the code of its refusal. The texts are large, so each is made only for its test. */
const costly: readonly (readonly [name: string, text: () => string, code: string])[] = [
  [
    '100,000 open brackets',
    () => `${head}  - { username: a, attributes: ${'['.repeat(100_000)}`,
    'yaml-unsupported',
  ],
  [
    '100,000 nested mappings',
    () => `${head}  - { username: a, attributes: ${'{a: '.repeat(100_000)}`,
    'yaml-unsupported',
  ],
  [
    '100,000 nested block lists',
    () => `version: 1\nusers: \n  ${'- '.repeat(100_000)}a\n`,
    'yaml-unsupported',
  ],
  ['more than 16 MiB', () => ' '.repeat(16 * 1024 * 1024 + 1), 'file-too-large'],
  ['more than 100,000 resources', () => head + entry.repeat(100_001), 'too-many-resources'],
  [
    '100,000 references that do not end',
    () => `${head}  - { username: a, name: "${'${'.repeat(100_000)}" }\n`,
    'invalid-reference',
  ],
  ['8,000,000 lines', () => '#\n'.repeat(8_000_000), 'file-too-large'],
  ['900,000 documents', () => '---\n'.repeat(900_000), 'yaml-unsupported'],
  [
    'many numbers for keys',
    () => `${head}  - username: a\n    name: A\n    attributes:\n${'      1: 1\n'.repeat(many)}`,
    'yaml-unsupported',
  ],
  [
    'many unknown fields',
    () =>
      `${head}  - username: a\n    name: A\n${Array.from({ length: many / 5 }, (_, index) => `    f${index}: 1\n`).join('')}`,
    'unknown-field',
  ],
  ['many entries that are none', () => `version: 1\nusers: [${'a,'.repeat(many)}]\n`, 'wrong-type'],
  [
    'aliases of aliases',
    () =>
      `${head}  - username: a\n    name: A\n    attributes:\n      a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${Array.from(
        { length: 30 },
        (_, level) => `      a${level + 1}: &a${level + 1} [${Array(10).fill(`*a${level}`).join(', ')}]\n`,
      ).join('')}`,
    'yaml-unsupported',
  ],
  [
    '20,000 aliases',
    () => `${head}  - username: a\n    name: A\n    attributes: { x: &x 1, y: [${'*x, '.repeat(20_000)}] }\n`,
    'yaml-unsupported',
  ],
  ['200,000 keys', () => lines(200_000, (index) => `k${index}: 1`), 'yaml-unsupported'],
  ['300,000 keys in braces', () => `{${lines(300_000, (index) => `k${index}: 1,`)}}`, 'yaml-unsupported'],
  [
    '300,000 keys in braces, below names in a comment',
    () => `# ${'slug: , username: '.repeat(6_000)}\n{${lines(300_000, (index) => `k${index}: 1,`)}}`,
    'yaml-unsupported',
  ],
  ['a million dashes', () => '-\n'.repeat(1_000_000), 'yaml-unsupported'],
  ['90,000 entries with tags', () => `version: 1\nusers:\n${'- !x a\n'.repeat(90_000)}`, 'yaml-unsupported'],
  [
    '500,000 entries without a name',
    () => `version: 1\nusers:\n${'- !x a\n'.repeat(500_000)}`,
    'too-many-resources',
  ],
  [
    '3,000,000 entries in brackets',
    () => `version: 1\nusers: [${'a,'.repeat(3_000_000)}]\n`,
    'yaml-unsupported',
  ],
];

describe('the limits on manifests', () => {
  test.each(someOf(costly, 1))('refuse %s', async (_name, text, code) => {
    expect(await codesOf(text())).toContain(code);
  });

  test('accept 1,400 users with 120 attributes each, in one line of JSON', async ({ skip }) => {
    skip(!inFull);
    const attributes = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`k${index}`, 1]));
    const users = Array.from({ length: 1400 }, (_, index) => ({
      username: `u${index}`,
      name: 'U',
      attributes,
    }));
    expect(await codesOf(JSON.stringify({ version: 1, users }))).toEqual([]);
  });

  test.runIf(inFull).each([
    ['many small entries', entry.repeat(2000), 'name: A'],
    ['names of entries in one string', '', `name: "${', slug: '.repeat(2000)}"`],
  ])('also count %s, so fewer keys fit into a mapping', async (_name, before, name) => {
    const refusedAfter = async (above: string, field: string): Promise<number> => {
      const begin = `${head}${above}  - { username: a, ${field}, attributes: {\n`;
      const files = memoryFiles({
        'a.yaml': `${begin}${lines(80_000, (index) => `    k${index}: 1,`)}}}\n`,
      });
      const [diagnostic] = (await loadManifests(['a.yaml'], { files })).diagnostics;
      expect(diagnostic).toMatchObject({ code: 'yaml-unsupported' });
      return (diagnostic?.range?.start.line ?? 0) - begin.split('\n').length;
    };
    const alone = await refusedAfter('', 'name: A');
    expect(alone).toBeGreaterThan(50_000);
    expect(Math.abs((await refusedAfter(before, name)) - alone)).toBeLessThan(5);
  });

  test.runIf(inFull)('count resources, not comments', async () => {
    expect(await codesOf(`${head}${entry}${'# slug: x\n'.repeat(200_001)}`)).toEqual([]);
  });

  test('do not count brackets in a string as nesting', async () => {
    expect(await codesOf(`${head}  - { username: a, name: "${'['.repeat(1000)}" }\n`)).toEqual([]);
  });

  test('accept 64 levels of nesting, and refuse 65', async () => {
    const nested = (depth: number): string =>
      `${head}  - { username: a, name: A, attributes: { a: ${'['.repeat(depth)}${']'.repeat(depth)} } }\n`;
    expect(await codesOf(nested(60))).toEqual([]); // root, list, entry and attributes are four levels
    expect(await codesOf(nested(61))).toEqual(['yaml-unsupported']);
  });

  test('accept carriage returns and a byte-order mark', async () => {
    expect(await codesOf(`\u{feff}${head}${entry}`.replaceAll('\n', '\r\n'))).toEqual([]);
  });
});
