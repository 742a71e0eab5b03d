import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureReason, undefinedOnUsageError, UsageError } from '../../src/base/errors.ts';
import { endingIfOutputLost, endingOfInterrupt } from '../../src/base/exit-code.ts';

const caught = async (act: () => Promise<unknown>): Promise<string> => act().then(String, failureReason);

describe('the reason of an error', () => {
  test('explains a system error in plain words, with its code', async () => {
    expect(await caught(() => readFile('/nowhere/at-all'))).toBe('there is no such file or folder (ENOENT)');
    expect(await caught(() => readFile('/'))).toBe('it is a folder, not a file (EISDIR)');
    expect(await caught(() => readFile('/etc/passwd/x'))).toBe(
      'a part of its path is a file, not a folder (ENOTDIR)',
    );
  });

  test('does not name the system call if a port is in use', async () => {
    const first = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => first.once('listening', resolve));
    const address = first.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const second = createServer().listen(port, '127.0.0.1');
    const error = await new Promise((resolve) => second.once('error', resolve));
    first.close();
    expect(failureReason(error)).toBe('the port is in use (EADDRINUSE)');
  });

  test.each([
    [new Error('it is too large'), 'it is too large'],
    [Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' }), 'EXDEV: cross-device link'],
    [new DOMException('stopped', 'AbortError'), 'stopped'],
    ['a string', 'a string'],
    [undefined, 'undefined'],
  ])('is the original message if there is no plainer one: %s', (error, reason) => {
    expect(failureReason(error)).toBe(reason);
  });

  test('is computed in one place in the source', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    );
    const others = files.filter((path) =>
      /\? \w+\.message : String\(/.test(readFileSync(join('src', path), 'utf8')),
    );
    expect(others).toEqual([]);
  });
});

test('only an error of the usage is ignored', async () => {
  const usage = new UsageError('a', 'b');
  expect(await undefinedOnUsageError(() => Promise.reject(usage))).toBeUndefined();
  const other = new Error('a');
  await expect(undefinedOnUsageError(() => Promise.reject(other))).rejects.toBe(other);
});

test.each([
  ['done', 'failed'],
  ['changes', 'failed'],
  ['incomplete', 'incomplete'],
] as const)('the ending %s becomes %s if output was lost', (ending, after) => {
  expect([endingIfOutputLost(ending, true), endingIfOutputLost(ending, false)]).toEqual([after, ending]);
});

test.each([
  ['SIGINT', 'interrupted'],
  ['SIGTERM', 'terminated'],
  ['SIGHUP', 'hung_up'],
])('a run that %s interrupts ends as %s', (reason, ending) => {
  expect(endingOfInterrupt({ reason })).toBe(ending);
});
