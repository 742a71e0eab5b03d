import { describe, expect, test } from 'vitest';
import { readSecret, referencedFiles, type ReferencePolicy } from '../../src/manifest/secret-reference.ts';
import { memoryFiles } from '../support/memory-files.ts';

/** The value of `${file:secret}` if the file has this content. */
function secretIn(content: string): ReturnType<typeof readSecret> {
  const files = memoryFiles({ 'm/secret': content });
  const readFile = referencedFiles({ secret: files, text: files }, {})('m/a.yaml');
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
])(
  'a secret file with the content %j is read as %j, without the last line break',
  async (content, expected) => {
    expect(await secretIn(content)).toBe(expected);
  },
);

test.each([
  [64 * 1024, 'string'],
  [64 * 1024 + 1, 'object'],
])('a secret file may have 64 KiB: %i bytes are read as %s', async (bytes, type) => {
  expect(typeof (await secretIn('x'.repeat(bytes)))).toBe(type);
});

describe('a file that ${text:} refers to', () => {
  const files = memoryFiles({
    'm/a.yaml': '',
    'm/texts/x.py': 'return 1\n',
    'texts/x.py': 'return 2\n',
    'm/.git/config': 'token',
    '.env': 'token',
    '/memory/above.txt': '',
    '/home/key': 'token',
    '.before/texts/x.py': 'return 3\n',
  });

  function textOf(path: string, manifest = 'm/a.yaml', policy: ReferencePolicy = {}): Promise<unknown> {
    return referencedFiles({ secret: files, text: files }, policy)(manifest)(path, 'text');
  }

  test.each([
    ['texts/x.py', 'm/a.yaml', 'return 1'],
    ['../texts/x.py', 'm/a.yaml', 'return 2'],
    ['/memory/above.txt', 'm/a.yaml', ''],
    ['../texts/x.py', '.before/m/a.yaml', 'return 3'],
  ])('may be below the working directory: %s of %s', async (path, manifest, text) => {
    expect(await textOf(path, manifest)).toBe(text);
  });

  test.each(['.git/config', '../.env', '/home/key', '/proc/self/environ'])(
    'must be visible and inside the working directory: %s',
    async (path) => {
      expect(await textOf(path)).toMatchObject({ code: expect.stringMatching(/-reference$/) as string });
    },
  );

  test('must be in a folder of allow_texts if that is set, regardless of allow_files', async () => {
    const allowTexts = ['m/texts'];
    expect(await textOf('texts/x.py', 'm/a.yaml', { allowTexts, allowFiles: [] })).toBe('return 1');
    expect(await textOf('../texts/x.py', 'm/a.yaml', { allowTexts, allowFiles: ['texts'] })).toMatchObject({
      code: 'invalid-reference',
      detail: 'To allow the reference, add the file or its folder to allow_texts in rollcall.yaml.',
    });
  });

  test('may be in a folder of allow_texts if another folder of allow_texts does not exist', async () => {
    const realPath = (path: string): Promise<string> =>
      path === 'missing' ? Promise.reject(new Error('ENOENT')) : files.realPath(path);
    const text = { ...files, realPath };
    const read = referencedFiles({ secret: text, text }, { allowTexts: ['missing', 'm/texts'] });
    expect(await read('m/a.yaml')('texts/x.py', 'text')).toBe('return 1');
  });

  test('may have 1 MiB', async () => {
    const of = (bytes: number): Promise<unknown> => {
      const large = memoryFiles({ 'm/t': 'x'.repeat(bytes) });
      return referencedFiles({ secret: large, text: large }, {})('m/a.yaml')('t', 'text');
    };
    expect(await of(1024 * 1024)).toHaveLength(1024 * 1024);
    expect(await of(1024 * 1024 + 1)).toMatchObject({ code: 'unresolved-reference' });
  });
});

test.each([
  ['WIKI', 'WIKI', true],
  ['WIKI', 'WIKI_ADMIN', false],
  ['WIKI_*', 'WIKI_ADMIN', true],
  ['*_KEY', 'WIKI_KEY_ID', false],
])('the pattern %s of allow_env allows %s: %j', async (pattern, name, isAllowed) => {
  const readFile = async (): Promise<string> => '';
  const found = await readSecret(
    { env: name },
    { env: { [name]: 'x' }, policy: { allowEnv: [pattern] }, readFile },
  );
  expect(found === 'x').toBe(isAllowed);
});
