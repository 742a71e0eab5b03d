import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const words = /^\| `(\w+)` \| `(src\/[\w/.-]+)` \|/gm;

test('every word of CONTRIBUTING.md is a type of the file that it names', async () => {
  const rows = Array.from((await readFile(new URL('CONTRIBUTING.md', root), 'utf8')).matchAll(words));
  expect(rows.length).toBeGreaterThan(10);
  for (const [, word = '', path = ''] of rows)
    expect(await readFile(new URL(path, root), 'utf8'), `${word} in ${path}`).toMatch(
      new RegExp(`^export (?:interface|type|class) ${word}\\b`, 'm'),
    );
});
