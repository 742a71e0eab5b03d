import { expect, test } from 'vitest';
import { PathMap } from '../../src/base/path-map.ts';

test('a map of paths has the paths with a value, but not those that lead to them', () => {
  const map = new PathMap<string>();
  map.set(['users', 0, 'name'], 'known');
  expect([map.has(['users', 0, 'name']), map.has(['users', 0]), map.has(['users', 1])]).toEqual([
    true,
    false,
    false,
  ]);
  expect([...map.entries()]).toEqual([[['users', 0, 'name'], 'known']]);
});
