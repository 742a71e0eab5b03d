import { expect, test } from 'vitest';
import { overlayFiles } from '../../src/base/files.ts';
import { mapValues, parseJson, pointer, pointerSteps, valueAt } from '../../src/base/json.ts';
import { lazy } from '../../src/base/memoize.ts';
import { memoryFiles } from '../support/memory-files.ts';

test('a pointer leads back to its path, whatever the keys contain', () => {
  const path = ['a/b', '~1', '~', 'c~0/d', ''];
  expect(pointer(path)).toBe('/a~1b/~01/~0/c~00~1d/');
  expect(pointerSteps(pointer(path))).toEqual(path);
});

test('the value at a path is null if a step leads nowhere', () => {
  const value = { list: [1, { key: 2 }] };
  const paths = [
    ['list', '1', 'key'],
    ['list', 0],
    ['list', '-1'],
    ['list', '2'],
    ['toString'],
    ['list', 0, 'x'],
  ];
  expect(paths.map((path) => valueAt(value, path))).toEqual([2, 1, null, null, null, null]);
});

test('a text with up to 500 nested lists or objects is parsed', () => {
  const nested = (depth: number): string => `${'['.repeat(depth - 1)}{}${']'.repeat(depth - 1)}`;
  expect(parseJson(nested(500))).toBeDefined();
  expect(parseJson(nested(501))).toBeUndefined();
});

test('an object whose values do not change stays the same object', () => {
  const object = { a: 1, b: 2 };
  expect(mapValues(object, (value) => value)).toBe(object);
  expect(mapValues(object, (value, key) => (key === 'b' ? 3 : value))).toEqual({ a: 1, b: 3 });
});

test('a lazy value is made once, even if it is undefined', () => {
  let made = 0;
  const value = lazy(() => void (made += 1));
  expect([value(), value(), made]).toEqual([undefined, undefined, 1]);
});

test('texts that are not written yet are found like files in the working directory', async () => {
  const files = memoryFiles({ 'a.yaml': 'old', 'b.yaml': 'kept' });
  const overlaid = overlayFiles(
    files,
    new Map([
      ['a.yaml', 'new'],
      ['c.yaml', 'more'],
    ]),
  );
  const textAt = async (path: string): Promise<string> =>
    new TextDecoder().decode(await overlaid.read(path, 99));
  expect(await Promise.all(['a.yaml', 'b.yaml', 'c.yaml'].map(textAt))).toEqual(['new', 'kept', 'more']);
  expect([await overlaid.kindOf('c.yaml'), await overlaid.kindOf('d.yaml')]).toEqual(['file', 'absent']);
  expect(await overlaid.realPath('c.yaml')).toBe(`${await files.realPath('.')}/c.yaml`);
});
