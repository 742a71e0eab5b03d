import { expect, test } from 'vitest';
import { globFolder, isBelow, resolveFromFile, systemFolderOf } from '../../src/base/path-rules.ts';

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
  ['teams/**/m.yaml', 'teams/'],
  ['a/b/**', 'a/b/'],
  ['teams/m[12].yaml', 'teams/'],
  ['/a/{b,c}.yaml', '/a/'],
  ['teams/m.yaml', undefined],
])('the matches of the pattern %s are below %j', (path, folder) => {
  expect(globFolder(path)).toBe(folder);
});

test.each([
  ['/proc', '/proc'],
  ['/proc/self/environ', '/proc'],
  ['/process', undefined],
  ['/home/proc', undefined],
  ['/dev/fd/3', '/dev'],
])('the path %s is in the system folder %s', (path, folder) => {
  expect(systemFolderOf(path)).toBe(folder);
});

test.each([
  ['/a/b', '/a', true],
  ['/a', '/a', true],
  ['/ab', '/a', false],
  ['/a', '/a/b', false],
  ['/a/b', '/a/', true],
  ['/a', '/', true],
])('%s is in or below %s: %j', (path, folder, isInside) => {
  expect(isBelow(path, folder)).toBe(isInside);
});
