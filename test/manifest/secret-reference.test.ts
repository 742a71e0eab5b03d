import { expect, test } from 'vitest';
import { readSecret, secretFiles } from '../../src/manifest/secret-reference.ts';
import { memoryFiles } from '../support/memory-files.ts';

/** What `${file:secret}` stands for when the file holds this. */
function secretIn(content: string): ReturnType<typeof readSecret> {
  const readFile = secretFiles(memoryFiles({ 'm/secret': content }), {})('m/a.yaml');
  return readSecret({ file: 'secret' }, { env: {}, policy: {}, readFile });
}

test.each([
  ['pass', 'pass'],
  ['pass\n', 'pass'],
  ['pass\r\n', 'pass'],
  ['pass\n\n', 'pass\n'],
  ['pass\r', 'pass\r'],
  ['one\ntwo\n', 'one\ntwo'],
  ['one\r\ntwo\r\n', 'one\r\ntwo'],
  [' pass ', ' pass '],
  ['', ''],
  ['\n', ''],
])('a file that holds %j gives %j: without its last line end', async (content, expected) => {
  expect(await secretIn(content)).toBe(expected);
});

test.each([
  [64 * 1024, 'string'],
  [64 * 1024 + 1, 'object'],
])('a secret may have 64 KiB: of %i bytes it is a %s', async (bytes, type) => {
  expect(typeof (await secretIn('x'.repeat(bytes)))).toBe(type);
});
