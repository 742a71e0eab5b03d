import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { writePrivateFile } from '../../src/terminal/write-file.ts';
import { temporaryFolder } from '../support/canary.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'plan.json');
});

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o777;
}

describe('a private file', () => {
  test('can be read by its owner only, and nothing else is left beside it', async () => {
    await writePrivateFile(file, 'text \u{1f600}\n');
    expect(readFileSync(file, 'utf8')).toBe('text \u{1f600}\n');
    expect(modeOf(file)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['plan.json']);
  });

  test('takes the place of a file, and of what others could do with that', async () => {
    writeFileSync(file, 'a longer text than the new one');
    chmodSync(file, 0o666);
    await writePrivateFile(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(modeOf(file)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['plan.json']);
  });

  test('leaves whoever reads the former file with the whole of it', async () => {
    writeFileSync(file, 'before');
    const reader = await open(file);
    await writePrivateFile(file, 'after');
    expect(await reader.readFile('utf8')).toBe('before');
    await reader.close();
    expect(readFileSync(file, 'utf8')).toBe('after');
  });

  test('takes the place of no link, wherever that leads, and does not follow it', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, 'untouched');
    for (const [name, leadsTo] of [
      ['to-file', target],
      ['to-folder', folder],
      ['to-nothing', join(folder, 'nothing')],
    ] as const) {
      const link = join(folder, name);
      symlinkSync(leadsTo, link);
      await expect(writePrivateFile(link, 'new')).rejects.toThrow(
        'there is a link: name the file that it leads to',
      );
      expect(readlinkSync(link)).toBe(leadsTo);
    }
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(readdirSync(folder).toSorted()).toEqual(['target', 'to-file', 'to-folder', 'to-nothing']);
  });

  test('takes the place of no folder', async () => {
    mkdirSync(file);
    for (const path of [file, `${file}/`])
      await expect(writePrivateFile(path, 'new')).rejects.toThrow('there is a folder');
    expect(readdirSync(folder)).toEqual(['plan.json']);
    expect(readdirSync(file)).toEqual([]);
  });

  test('is written under the longest of names', async () => {
    const longest = 'x'.repeat(255);
    await writePrivateFile(join(folder, longest), 'text');
    expect(readdirSync(folder)).toEqual([longest]);
  });

  test.skipIf(process.platform === 'win32')('takes the place of no socket and of no device', async () => {
    const server = createServer().listen(file);
    await new Promise((resolve) => server.once('listening', resolve));
    for (const path of [file, '/dev/null'])
      await expect(writePrivateFile(path, 'new')).rejects.toThrow('there is something that is not a file');
    expect(lstatSync(file).isSocket()).toBe(true);
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
    server.close();
  });

  test.each([
    ['in a folder that is not there', 'nowhere/plan.json', 'there is no folder'],
    ['below a file', 'file/plan.json', 'ENOTDIR'],
    ['under a name that is too long', 'x'.repeat(256), 'ENAMETOOLONG'],
  ])('cannot stand %s, and nothing is left of it', async (_, name, code) => {
    writeFileSync(join(folder, 'file'), '');
    await expect(writePrivateFile(join(folder, name), 'new')).rejects.toThrow(code);
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
