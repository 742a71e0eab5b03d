import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createPrivateFiles, writePrivateFile, writeReport } from '../../src/terminal/write-file.ts';
import { temporaryFolder } from '../support/canary.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'file');
});

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o777;
}

describe.each([
  ['a private file', writePrivateFile],
  ['a report', writeReport],
])('a file (%s)', (_, write) => {
  test('is written completely, without temporary files', async () => {
    await write(file, 'text \u{1f600}\n');
    expect(readFileSync(file, 'utf8')).toBe('text \u{1f600}\n');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test.each(['600', '640', '666'])('replaces a file with the mode %s', async (octal) => {
    const mode = Number.parseInt(octal, 8);
    writeFileSync(file, 'a longer text than the new one');
    chmodSync(file, mode);
    await write(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(modeOf(file)).toBe(write === writeReport ? mode : 0o600);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('does not change the former content for a reader that has the file open', async () => {
    writeFileSync(file, 'before');
    const reader = await open(file);
    await write(file, 'after');
    expect(await reader.readFile('utf8')).toBe('before');
    await reader.close();
    expect(readFileSync(file, 'utf8')).toBe('after');
  });

  test('neither replaces nor follows a link, whatever the target', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, 'untouched');
    for (const [name, leadsTo] of [
      ['to-file', target],
      ['to-folder', folder],
      ['to-nothing', join(folder, 'nothing')],
      ['to-device', '/dev/null'],
    ] as const) {
      const link = join(folder, name);
      symlinkSync(leadsTo, link);
      await expect(write(link, 'new')).rejects.toThrow('this is a symbolic link: name its target instead');
      expect(readlinkSync(link)).toBe(leadsTo);
    }
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(readdirSync(folder)).toHaveLength(5);
  });

  test.skipIf(process.platform === 'win32')('replaces no folder and no socket', async () => {
    mkdirSync(file);
    for (const path of [file, `${file}/`])
      await expect(write(path, 'new')).rejects.toThrow('this name is a folder');
    const socket = join(folder, 'socket');
    const server = createServer().listen(socket);
    await new Promise((resolve) => server.once('listening', resolve));
    await expect(write(socket, 'new')).rejects.toThrow('this name is not a file');
    expect(lstatSync(socket).isSocket()).toBe(true);
    server.close();
    expect(readdirSync(file)).toEqual([]);
  });

  test('is written under a name of maximum length', async () => {
    const longest = 'x'.repeat(255);
    await write(join(folder, longest), 'text');
    expect(readdirSync(folder)).toEqual([longest]);
  });

  test.each([
    ['in a missing folder', 'nowhere/plan.json', 'there is no folder'],
    ['below a file', 'there/plan.json', 'ENOTDIR'],
    ['under a name that is too long', 'x'.repeat(256), 'ENAMETOOLONG'],
  ])('cannot be written %s, and leaves nothing behind', async (__, name, code) => {
    writeFileSync(join(folder, 'there'), '');
    await expect(write(join(folder, name), 'new')).rejects.toThrow(code);
    expect(readdirSync(folder)).toEqual(['there']);
  });
});

test('several new files are all removed if one of them cannot be written', async () => {
  const texts = new Map([file, join(file, 'b')].map((name) => [name, 'x']));
  await expect(createPrivateFiles(texts)).rejects.toThrow('ENOTDIR');
  expect(existsSync(file)).toBe(false);
});

test('a private file is readable only by its owner, and a report has the permissions of any new file', async () => {
  writeFileSync(join(folder, 'other'), '');
  await writePrivateFile(join(folder, 'private'), 'text');
  await writeReport(file, 'text');
  expect(modeOf(join(folder, 'private'))).toBe(0o600);
  expect(modeOf(file)).toBe(modeOf(join(folder, 'other')));
});

test.skipIf(process.platform === 'win32')('a private file replaces no pipe', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('/usr/bin/env', ['mkfifo', pipe]);
  await expect(writePrivateFile(pipe, 'new')).rejects.toThrow('this name is not a file');
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

describe.skipIf(process.platform === 'win32')('a report is written to', () => {
  const long = 'A line of text.\n'.repeat(20_000);

  test('a named pipe, which is kept', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('/usr/bin/env', ['mkfifo', pipe]);
    const [text] = await Promise.all([readFile(pipe, 'utf8'), writeReport(pipe, long)]);
    expect(text).toBe(long);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(folder)).toEqual(['pipe']);
  });

  test('a device, which is kept', async ({ skip }) => {
    // Root could replace the device of the whole machine, and so gets one of its own.
    const device = process.getuid?.() === 0 ? join(folder, 'null') : '/dev/null';
    if (device !== '/dev/null') {
      const { status } = spawnSync('/usr/bin/env', ['mknod', '-m', '666', device, 'c', '1', '3']);
      skip(status !== 0, 'this machine allows no new devices');
    }
    await writeReport(device, long);
    expect(lstatSync(device).isCharacterDevice()).toBe(true);
  });

  test('an open file, after its present content', async () => {
    const descriptor = openSync(file, 'w');
    const { ino } = lstatSync(file);
    writeSync(descriptor, 'before ');
    await writeReport(`/dev/fd/${descriptor}`, long);
    writeSync(descriptor, 'after');
    closeSync(descriptor);
    expect(readFileSync(file, 'utf8')).toBe(`before ${long}after`);
    expect(lstatSync(file).ino).toBe(ino);
  });

  test('an open descriptor, but not to a closed one', async () => {
    await expect(writeReport('/dev/fd/987', 'text')).rejects.toThrow('EBADF');
  });
});
