import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/canary.ts';
import { cli, run } from '../support/cli.ts';
import { endedHere, rollcallHere } from '../support/here.ts';
import { serveResidents, type Residents } from '../support/resident.ts';
import { inFull } from '../support/effort.ts';

let folder: string;
let residents: Residents;
afterAll(() => residents.close());
beforeAll(async () => {
  residents = await serveResidents({ rollcall: rollcallHere });
  folder = temporaryFolder();
  for (const name of ['here', 'whole']) mkdirSync(join(folder, name));
  residents.install(join(folder, 'here/rollcall'), 'rollcall');
  symlinkSync(cli, join(folder, 'whole/rollcall'));
});

/** What bash completes at the end of a line once it has read the script. */
async function offered(line: string, program: 'here' | 'whole' = 'here'): Promise<string[]> {
  const script = `
source <(rollcall completion bash)
complete -p rollcall >/dev/null || exit 1
compopt() { :; } # it works only while the user is typing
COMP_LINE=$1 COMP_POINT=\${#1}
_rollcall
(( \${#COMPREPLY[@]} )) && printf '%s\\n' "\${COMPREPLY[@]}"
exit 0`;
  const env = { PATH: `${join(folder, program)}:${process.env['PATH'] ?? ''}` };
  const { code, stdout, stderr } = await run('bash', ['-c', script, 'bash', line], { cwd: folder, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').filter((text) => text !== '');
}

describe('completion in bash', () => {
  test.each([
    ['rollcall plan --tar', ['--target']],
    ['rollcall apply -o ', ['text', 'json']],
    ['rollcall plan -o ', ['text', 'json']],
    ['rollcall plan --report m', ['markdown=']],
    ['rollcall help exit', ['exit-codes']],
    ['rollcall completion ', ['bash', 'zsh', 'fish']],
    ['rollcall help val', ['validate']],
    ['rollcall import csv --delimiter s', ['semicolon']],
    ['rollcall init --pipeline ', ['github', 'gitlab', 'none']],
    ['rollcall init --merges ', ['create', 'update']],
  ])('completes %j', async (line, expected) => {
    expect(await offered(line)).toEqual(expected);
  });

  test.runIf(inFull)('works in the executable', async () => {
    expect(await offered('rollcall plan -o j', 'whole')).toEqual(['json']);
  });

  test.each([
    'rollcall plan ',
    'rollcall plan --out ',
    'rollcall plan --report markdown=',
    'rollcall plan -- x',
    'rollcall plan --target ',
    'rollcall plan --env ',
  ])("leaves %j to bash's completion of file names", async (line) => {
    expect(await offered(line)).toEqual([]);
  });
});

test('each command and option has a description for shells that show descriptions', async () => {
  const { stdout } = await endedHere(['complete', '--', 'doctor', '--w']);
  expect(stdout).toBe('--wait\twait for a service that is starting (default: 0)\n');
});

test('an unknown shell is refused', async () => {
  expect(await endedHere(['completion', 'tcsh'])).toMatchObject({ code: 3, stdout: '' });
});
