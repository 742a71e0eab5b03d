import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/canary.ts';
import { cli, run, type Ended } from '../support/cli.ts';
import { inFull } from '../support/effort.ts';

/** Runs the program in a process that first runs this code. */
async function after(preparation: string, args: readonly string[]): Promise<Ended> {
  const folder = temporaryFolder();
  const file = join(folder, 'before.cjs');
  writeFileSync(file, preparation);
  writeFileSync(join(folder, 'a.yaml'), 'version: 1\nusers: [{ username: alice, name: A }]\n');
  return run(process.execPath, ['--require', file, cli, ...args], { cwd: folder });
}

const waitsForever =
  "const files = require('node:fs/promises'); files.stat = files.open = () => new Promise(() => {});";
const bug = 'This is a bug in rollcall: report it.';

describe('a program', () => {
  test.each([['waits for a promise that never settles', ['validate', 'a.yaml']]])(
    'that %s fails with a message',
    async (_, args) => {
      const { code, stdout, stderr } = await after(waitsForever, args);
      expect(stdout).toBe('');
      expect(stderr).toContain('error: rollcall ended before its work was complete\n');
      expect(stderr).toContain(bug);
      expect(code).toBe(1);
    },
  );

  test.runIf(inFull)(
    'with an unhandled error prints it without a stack trace, continues, and fails',
    async () => {
      const stray = "setImmediate(() => { throw new Error('stray \\u001b[31m'); });";
      const { code, stdout, stderr } = await after(stray, ['validate', 'a.yaml']);
      expect(stderr).toContain('error: an unexpected error: stray ?[31m\n');
      expect(stderr).toContain(bug);
      expect(stderr).not.toMatch(/\n +at /);
      expect(stdout).toContain('Valid:');
      expect(code).toBe(1);
    },
  );

  test('with an unhandled rejection prints it without a stack trace, continues, and fails', async () => {
    const stray = "setImmediate(() => void Promise.reject(new Error('stray')));";
    const { code, stderr } = await after(stray, ['validate', 'a.yaml']);
    expect(stderr).toContain('error: an unexpected error: stray\n');
    expect(code).toBe(1);
  });

  test('that cannot load its commands fails with a message, without a stack trace', async () => {
    const broken =
      "const { Module } = require('node:module'); const load = Module._load; Module._load = (name, ...rest) => { if (/run-program/.test(name)) throw new Error('cut short'); return load(name, ...rest); };";
    const { code, stderr } = await after(broken, ['validate', 'a.yaml']);
    expect(stderr).toContain('error: an unexpected error: cut short\n');
    expect(stderr).not.toMatch(/\n +at /);
    expect(code).toBe(1);
  });

  test.runIf(inFull)('that succeeds prints nothing', async () => {
    expect(await after('', ['validate', 'a.yaml'])).toMatchObject({ code: 0, stderr: '' });
    expect(await after('', ['--version'])).toMatchObject({ code: 0, stderr: '' });
  });
});
