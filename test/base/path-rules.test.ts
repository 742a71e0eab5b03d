import { expect, test } from 'vitest';
import { globFolder, resolveFromFile } from '../../src/base/path-rules.ts';

test.each([
  ['m.yaml', 'secret', 'secret'],
  ['teams/m.yaml', '../secret', 'teams/../secret'],
  ['teams/m.yaml', '/run/secret', '/run/secret'],
  // Elsewhere, `-` is the standard input.
  ['m.yaml', '-', './-'],
  ['teams/m.yaml', '-', 'teams/-'],
])('from the file %s, the path %s leads to %s', (filename, path, whole) => {
  expect(resolveFromFile(filename, path)).toBe(whole);
});

test.each([
  ['teams/*/m?.yaml', 'teams/'],
  ['*.yaml', ''],
  ['teams/m.yaml', undefined],
])('the matches of the pattern %s are below %j', (path, folder) => {
  expect(globFolder(path)).toBe(folder);
});
