import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { diagnosticCodes } from '../../src/base/diagnostic-codes.ts';
import { root } from '../support/cli.ts';

/** A pattern for the name of each page's model in the code. */
const models: Readonly<Record<string, RegExp>> = {
  command: /'\.\/show\.ts'|^export async function show\(/m,
  format: /\bjunit\b/i,
  kind: /^    list: 'roles',$|^  role: \{$/m,
  rule: /\bsimilar-name\b|\bsimilarName\b/,
};

const source = globSync(['src/**/*.ts', '!src/generated'], { cwd: root });

test('docs/extending/ has a page for each kind of extension that is tested here', () => {
  const pages = readdirSync(join(root, 'docs/extending')).map((name) => name.replace('.md', ''));
  expect(pages.toSorted()).toEqual(Object.keys(models).toSorted());
});

test.each(Object.entries(models))(
  'the page on a new %s names exactly the source files in which an existing example occurs',
  (page, model) => {
    const text = readFileSync(join(root, `docs/extending/${page}.md`), 'utf8');
    const named = Array.from(text.matchAll(/^\| `([\w/.-]+)` \|/gm), ([, path = '']) => path);
    const touched = source.filter((path) => model.test(readFileSync(join(root, path), 'utf8')));
    expect(named.toSorted()).toEqual(touched.toSorted());
  },
);

test('docs/diagnostics.md describes every diagnostic code once', () => {
  const page = readFileSync(join(root, 'docs/diagnostics.md'), 'utf8');
  const rows = page.matchAll(/^\| `([^`]+)` \| .+ \| .+ \|$/gm);
  expect(Array.from(rows, ([, code = '']) => code).toSorted()).toEqual(diagnosticCodes.toSorted());
});
