import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const words = /^\| `(\w+)` \| `(src\/[\w/.-]+)` \|/gm;

test('every term of CONTRIBUTING.md is a type in the named file', async () => {
  const rows = Array.from((await readFile(new URL('.github/CONTRIBUTING.md', root), 'utf8')).matchAll(words));
  expect(rows.length).toBeGreaterThan(9);
  for (const [, word = '', path = ''] of rows)
    expect(await readFile(new URL(path, root), 'utf8'), `${word} in ${path}`).toMatch(
      new RegExp(`^export (?:interface|type|class) ${word}\\b`, 'm'),
    );
});

test('CONTRIBUTING.md explains a new kind with field names that exist in the types', async () => {
  const text = await readFile(new URL('docs/extending/kind.md', root), 'utf8');
  const types = await Promise.all(
    ['src/kinds/kind.ts', 'src/kinds/row.ts', 'src/sandbox/kind.ts', 'src/sandbox/table.ts'].map((path) =>
      readFile(new URL(path, root), 'utf8'),
    ),
  );
  const named = Array.from(text.matchAll(/`([\w.]+)`/g), ([, word = '']) => word.split('.')).flat();
  expect(named).toContain('refersTo');
  for (const word of named) expect(types.join('\n')).toMatch(new RegExp(`\\b${word}\\b`));
});
