import { describe, expect, test } from 'vitest';
import type { Files } from '../../src/base/files.ts';
import { readText } from '../../src/yaml/read-text.ts';
import { memoryFiles } from '../support/memory-files.ts';

function read(bytes: Uint8Array, most?: number): ReturnType<typeof readText> {
  return readText('a.yaml', memoryFiles({ 'a.yaml': bytes }), most === undefined ? {} : { maxBytes: most });
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the text of a file', () => {
  test.each<[string, Uint8Array, string]>([
    ['UTF-16, little-endian', Uint8Array.of(0xff, 0xfe, 0x61, 0), 'this file is UTF-16'],
    ['UTF-16, big-endian', Uint8Array.of(0xfe, 0xff, 0, 0x61), 'this file is UTF-16'],
    ['cut off within a character', Uint8Array.of(0x61, 0xc3), 'this file is not valid UTF-8'],
    ['Latin-1', Uint8Array.of(0x61, 0xfe, 0x62), 'this file is not valid UTF-8'],
    ['half a surrogate pair', Uint8Array.of(0xed, 0xa0, 0x80), 'this file is not valid UTF-8'],
    ['a NUL', utf8('a\0b'), 'this file contains a NUL'],
  ])('is refused if it is %s', async (_, bytes, summary) => {
    expect(await read(bytes)).toMatchObject({ code: 'not-utf-8', summary });
  });

  test('is its content without the byte-order mark', async () => {
    expect(await read(utf8('\ufeffä\u{1f600}'))).toMatchObject({ text: 'ä\u{1f600}' });
    expect(await read(utf8(''))).toMatchObject({ text: '' });
  });

  test('may be as long as the limit, and no longer', async () => {
    expect(await read(utf8('x'.repeat(2048)), 2048)).toMatchObject({ text: 'x'.repeat(2048) });
    expect(await read(utf8('x'.repeat(2049)), 2048)).toMatchObject({
      code: 'file-too-large',
      summary: 'this file is larger than 2 KiB',
    });
    expect(await read(utf8('ä'.repeat(1025)), 2048)).toMatchObject({ code: 'file-too-large' });
  });

  test('may have a million lines, and no more', async () => {
    expect(await read(utf8('\n'.repeat(1_000_000)))).toHaveProperty('text');
    expect(await read(utf8('\n'.repeat(1_000_001)))).toMatchObject({
      summary: 'this file has more than 1000000 lines',
    });
  });

  test.each([
    ['other', 'file-unreadable', 'this is not a file'],
    ['folder', 'file-unreadable', 'this is not a file'],
    ['absent', 'file-not-found', 'no such file'],
  ] as const)('is refused if the path leads to no file: %s', async (kind, code, summary) => {
    const files = { ...memoryFiles({}), kindOf: async () => kind };
    expect(await readText('a.yaml', files)).toMatchObject({ code, summary });
  });

  test('may come from standard input where links are refused', async () => {
    const realPath = (): Promise<string> => Promise.reject(new Error('ENOENT'));
    const files = { ...memoryFiles({}, 'a: 1'), realPath };
    expect(await readText('-', files, { linksOutside: 'refused' })).toMatchObject({ text: 'a: 1' });
  });

  test('is read only until the text exceeds the limit', async () => {
    const asked: number[] = [];
    const files: Files = {
      ...memoryFiles({ 'a.yaml': 'x' }, 'y'),
      read: async (_, most) => (asked.push(most), utf8('x')),
      readStandardInput: async (most) => (asked.push(most), utf8('y')),
    };
    await readText('a.yaml', files, { maxBytes: 100 });
    expect(await readText('-', files, { maxBytes: 100 })).toMatchObject({ filename: '<stdin>', text: 'y' });
    expect(asked).toEqual([101, 101]);
  });
});
