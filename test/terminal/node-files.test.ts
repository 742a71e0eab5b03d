import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeFiles } from '../../src/terminal/node-files.ts';
import { temporaryFolder } from '../support/canary.ts';

test.each([
  [2, 'ab'],
  [3, 'abc'],
  [4, 'abc'],
])('a file of 3 bytes is read up to a limit of %i bytes', async (limit, text) => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'abc');
  expect(String(await nodeFiles.read(file, limit))).toBe(text);
});

test('a path below a file is absent', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(await nodeFiles.kindOf(join(file, 'below'))).toBe('absent');
});
