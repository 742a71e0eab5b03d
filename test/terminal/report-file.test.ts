import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
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
import { writeReport } from '../../src/terminal/write-file.ts';
import { temporaryFolder } from '../support/canary.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'report.html');
});

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o777;
}

describe('a report', () => {
  test('is written with the mode of a new file, and nothing else is left beside it', async () => {
    writeFileSync(join(folder, 'other'), '');
    await writeReport(file, 'text \u{1f600}\n');
    expect(readFileSync(file, 'utf8')).toBe('text \u{1f600}\n');
    expect(modeOf(file)).toBe(modeOf(join(folder, 'other')));
    expect(readdirSync(folder)).toEqual(['other', 'report.html']);
  });

  test.each([0o600, 0o640, 0o666])('replaces a file, and has its mode: %i', async (mode) => {
    writeFileSync(file, 'a longer text than the new one');
    chmodSync(file, mode);
    await writeReport(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(modeOf(file)).toBe(mode);
    expect(readdirSync(folder)).toEqual(['report.html']);
  });

  test('leaves whoever reads the former file with the whole of it', async () => {
    writeFileSync(file, 'before');
    const reader = await open(file);
    await writeReport(file, 'after');
    expect(await reader.readFile('utf8')).toBe('before');
    await reader.close();
    expect(readFileSync(file, 'utf8')).toBe('after');
  });

  test('replaces no link and does not follow it, wherever that leads', async () => {
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
      await expect(writeReport(link, 'new')).rejects.toThrow(
        'there is a link: name the file that it leads to',
      );
      expect(readlinkSync(link)).toBe(leadsTo);
    }
    expect(readFileSync(target, 'utf8')).toBe('untouched');
    expect(readdirSync(folder)).toHaveLength(5);
  });

  test.skipIf(process.platform === 'win32')('replaces no folder and no socket', async () => {
    mkdirSync(file);
    await expect(writeReport(file, 'new')).rejects.toThrow('there is a folder');
    const socket = join(folder, 'socket');
    const server = createServer().listen(socket);
    await new Promise((resolve) => server.once('listening', resolve));
    await expect(writeReport(socket, 'new')).rejects.toThrow('there is something that is not a file');
    expect(lstatSync(socket).isSocket()).toBe(true);
    server.close();
  });
});

describe.skipIf(process.platform === 'win32')('a report is written to', () => {
  const long = 'A line of text.\n'.repeat(20_000);

  test('a named pipe, which stays one', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('/usr/bin/env', ['mkfifo', pipe]);
    const [text] = await Promise.all([readFile(pipe, 'utf8'), writeReport(pipe, long)]);
    expect(text).toBe(long);
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(folder)).toEqual(['pipe']);
  });

  test('/dev/null, which stays what it is', async () => {
    await writeReport('/dev/null', long);
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('a file that is open already, behind what it holds', async () => {
    const descriptor = openSync(file, 'w');
    const { ino } = lstatSync(file);
    writeSync(descriptor, 'before ');
    await writeReport(`/dev/fd/${descriptor}`, long);
    writeSync(descriptor, 'after');
    closeSync(descriptor);
    expect(readFileSync(file, 'utf8')).toBe(`before ${long}after`);
    expect(lstatSync(file).ino).toBe(ino);
  });

  test('nothing that is not open', async () => {
    await expect(writeReport('/dev/fd/987', 'text')).rejects.toThrow('EBADF');
  });
});
