import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFile } from '../../src/terminal/create-file.ts';
import { temporaryFolder } from '../support/canary.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe('a file that is created', () => {
  test('gets the folders on its way, those that are there already included', async () => {
    mkdirSync(join(folder, 'a'));
    expect(await createFile(join(folder, 'a/b/c/file'), 'text')).toBe(true);
    expect(readFileSync(join(folder, 'a/b/c/file'), 'utf8')).toBe('text');
  });

  test('takes the place of nothing', async () => {
    writeFileSync(join(folder, 'file'), 'former');
    expect(await createFile(join(folder, 'file'), 'text')).toBe(false);
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('former');
  });

  test('cannot stand below a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(createFile(join(folder, 'file/below/it'), 'text')).rejects.toThrow('ENOTDIR');
  });

  // Node's own mkdir with `recursive` takes a whole processor there, for ever.
  test.skipIf(process.platform !== 'linux')('cannot stand in /proc, which is said at once', async () => {
    await expect(createFile('/proc/rollcall/file', 'text')).rejects.toThrow('ENOENT');
  });
});
