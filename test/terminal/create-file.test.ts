import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFile, createPrivateFiles } from '../../src/terminal/write-file.ts';
import { temporaryFolder } from '../support/canary.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe('a created file', () => {
  test('is created together with its missing folders', async () => {
    mkdirSync(join(folder, 'a'));
    expect(await createFile(join(folder, 'a/b/c/file'), 'text')).toBe(true);
    expect(readFileSync(join(folder, 'a/b/c/file'), 'utf8')).toBe('text');
  });

  test('replaces no file', async () => {
    writeFileSync(join(folder, 'file'), 'former');
    expect(await createFile(join(folder, 'file'), 'text')).toBe(false);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('former');
  });

  test('cannot be in a folder that is a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(createFile(join(folder, 'file/below/it'), 'text')).rejects.toThrow('ENOTDIR');
  });

  test('cannot have a name that is too long', async () => {
    await expect(createFile(join(folder, 'x'.repeat(300)), 'text')).rejects.toThrow('ENAMETOOLONG');
  });

  // Node's own recursive mkdir would never end there.
  test.skipIf(process.platform !== 'linux')(
    'cannot be in /proc, and the attempt is reported at once',
    async () => {
      await expect(createFile('/proc/rollcall/file', 'text')).rejects.toThrow('ENOENT');
    },
  );
});

describe('private files created together', () => {
  const at = (name: string): string => join(folder, name);

  test('appear together with their folders, and only their owner can read them', async () => {
    const texts = new Map([
      [at('a.yaml'), 'one'],
      [at('b/c/d.yaml'), 'two'],
    ]);
    expect(await createPrivateFiles(texts)).toEqual([]);
    for (const [filename, text] of texts) {
      expect(readFileSync(filename, 'utf8')).toBe(text);
      expect(statSync(filename).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
      'a.yaml',
      'b',
      'b/c',
      'b/c/d.yaml',
    ]);
  });

  test.each([
    ['a file', () => writeFileSync(at('b.yaml'), 'former')],
    ['a folder', () => mkdirSync(at('b.yaml'))],
    ['a dangling link', () => symlinkSync('nowhere', at('b.yaml'))],
  ])('are not written if %s has the name of one of the files', async (_, put) => {
    put();
    const texts = new Map(['a.yaml', 'b.yaml', 'c.yaml'].map((name) => [at(name), 'text']));
    expect(await createPrivateFiles(texts)).toEqual([at('b.yaml')]);
    expect(readdirSync(folder)).toEqual(['b.yaml']);
  });

  test('leave nothing behind if another process takes one of the names meanwhile', async () => {
    class Raced extends Map<string, string> {
      override *[Symbol.iterator](): MapIterator<[string, string]> {
        for (const entry of this.entries()) {
          if (entry[0] === at('b.yaml')) writeFileSync(at('b.yaml'), 'of somebody else');
          yield entry;
        }
      }
    }
    const texts = new Raced(['a.yaml', 'b.yaml'].map((name) => [at(name), 'text']));
    expect(await createPrivateFiles(texts)).toEqual([at('b.yaml')]);
    expect(readdirSync(folder)).toEqual(['b.yaml']);
    expect(readFileSync(at('b.yaml'), 'utf8')).toBe('of somebody else');
  });

  test('leave nothing behind if one of them cannot be written', async () => {
    writeFileSync(at('file'), '');
    const texts = new Map(['a.yaml', 'file/b.yaml'].map((name) => [at(name), 'text']));
    await expect(createPrivateFiles(texts)).rejects.toThrow('ENOTDIR');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('are written once if several processes write them at the same time', async () => {
    const texts = (text: string): Map<string, string> => new Map([[at('a.yaml'), text]]);
    const ended = await Promise.all(
      ['one', 'two', 'three'].map(async (text) => createPrivateFiles(texts(text))),
    );
    expect(ended.filter((taken) => taken.length === 0)).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['a.yaml']);
    expect(['one', 'two', 'three']).toContain(readFileSync(at('a.yaml'), 'utf8'));
  });
});
