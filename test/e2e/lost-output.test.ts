import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { cli, run, type Ended, type RunOptions } from '../support/cli.ts';
import { inFull, someOf } from '../support/effort.ts';

const count = 40;
let folder: string;
let created: number;
let server: SandboxServer;

beforeEach(async () => {
  folder = temporaryFolder();
  const apps = Array.from({ length: count }, (_, index) => `  - { slug: app-${index}, name: App ${index} }`);
  writeFileSync(join(folder, 'apps.yaml'), `version: 1\napplications:\n${apps.join('\n')}\n`);
  writeFileSync(join(folder, 'broken.txt'), 'version: 1\napplications: [{ slug: a b, name: A }]\n');
  created = 0;
  const { sandbox } = seedSandbox({});
  server = await serveSandbox(
    {
      handle: (request) => {
        const answer = sandbox.handle(request);
        if (answer.status === 201) created += 1;
        return answer;
      },
    },
    { port: 0, latencyMs: 5 },
  );
});
afterEach(() => server.close());

/** Runs a line of bash in the folder. In it, `rollcall` is the program. */
function bash(line: string, options: RunOptions = {}): Promise<Ended> {
  return run('bash', ['-c', `rollcall() { "${process.execPath}" "${cli}" "$@"; }; ${line}`], {
    cwd: folder,
    env: { ROLLCALL_URL: server.url, ROLLCALL_TOKEN: sandboxToken },
    ...options,
  });
}

/** Limits the size of files to a number of blocks of 1,024 bytes, as a full disk does. */
const blocks = (most: number): string => `ulimit -f ${most} && ulimit -c 0 &&`;
const textIn = (name: string): string => readFileSync(join(folder, name), 'utf8');
const bytesIn = (name: string): number => statSync(join(folder, name)).size;

const lost =
  /^error: the result could not be written: .* \(E\w+\)\n {4}Standard output contains only a part of the result\.$/m;
const eachCreated = new RegExp(
  `^(?: {2}\\+ application\\.app-\\d+ {2}created \\(pk \\S+\\)\n){${count}}`,
  'm',
);

describe.skipIf(process.platform !== 'linux')('standard output on a full disk', () => {
  const commands = [
    '--version',
    'help plan',
    'schema plan',
    'completion zsh',
    'validate apps.yaml',
    'validate apps.yaml --report github=-',
    'plan apps.yaml --detailed-exitcode',
    'apply --yes apps.yaml -o json',
    'doctor -o json',
    'init new --yes',
    'complete schema ""',
  ];

  test.each(someOf(commands, 1))('causes an error of rollcall %s', async (args) => {
    const { code, stderr } = await bash(`rollcall ${args} >/dev/full`);
    expect(stderr).toMatch(lost);
    expect(stderr.match(/the result could not be written/g)).toHaveLength(1);
    expect(code).toBe(1);
  });

  test.runIf(inFull)('does not change the exit code of another failure', async () => {
    expect(await bash('rollcall validate broken.txt >/dev/full')).toMatchObject({ code: 3 });
    expect(await bash('ROLLCALL_TOKEN=another rollcall plan apps.yaml -o json >/dev/full')).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(lost) as string,
    });
  });

  test.each(
    someOf(
      [
        ['apply --yes apps.yaml', 4],
        ['apply --yes apps.yaml -o json', 8],
      ],
      1,
    ),
  )(
    'that fills up after the first bytes causes an error of rollcall %s, and stderr lists the created resources',
    async (args, most) => {
      const { code, stderr } = await bash(`${blocks(most)} rollcall ${args} >out`);
      expect(bytesIn('out')).toBe(most * 1024);
      expect(code).toBe(1);
      expect(created).toBe(count);
      expect(stderr).toMatch(lost);
      expect(stderr).toMatch(eachCreated);
      expect(stderr).toContain(`Apply complete! Resources: ${count} added`);
    },
  );
});

describe('a file on a full disk', () => {
  const tooLarge = 'the file would be larger than the system allows (EFBIG)';

  test.each(
    someOf(
      [
        ['plan apps.yaml --report', 'json=r', 'the report cannot be written'],
        ['apply --yes apps.yaml --report', 'html=r', 'the report cannot be written'],
        ['validate apps.yaml --report', 'html=r', 'the report cannot be written'],
        ['plan apps.yaml --out', 'r', 'the plan cannot be saved'],
      ],
      1,
    ),
  )('keeps its former content after a failed write by rollcall %s %s', async (args, report, said) => {
    writeFileSync(join(folder, 'r'), 'the former one');
    const before = readdirSync(folder);
    const { code, stderr } = await bash(`${blocks(1)} rollcall ${args} ${report}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`error: ${said} to r\n    ${tooLarge}`);
    expect(textIn('r')).toBe('the former one');
    expect(readdirSync(folder)).toEqual(before);
  });

  test('is not left incomplete by init', async () => {
    const { code, stdout, stderr } = await bash(
      `${blocks(0)} rollcall init new --yes | cat; exit \${PIPESTATUS[0]}`,
    );
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(`error: cannot write new/rollcall.yaml\n    ${tooLarge}`);
    expect(readdirSync(join(folder, 'new'), { recursive: true })).toEqual(['manifests']);
  });
});

describe('a report', () => {
  test.runIf(inFull)('is written in full to a process substitution', async () => {
    const { code } = await bash('rollcall plan apps.yaml --report json=>(cat >copy && mv copy got)');
    expect(code).toBe(0);
    await expect.poll(() => existsSync(join(folder, 'got'))).toBe(true);
    expect(parseJson(textIn('got'))).toMatchObject({ summary: { create: count } });
  });

  test.each(someOf(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'], 0))(
    'to %s is appended to standard output, a file or a pipe, and replaces the printed text',
    async (name) => {
      const command = `{ echo first; rollcall validate apps.yaml --report text=${name}; }`;
      const { stdout } = await bash(`${command} && ${command} >out && cat out`);
      expect(stdout).toBe(`first\nValid: ${count} applications.\n`.repeat(2));
    },
  );

  test.each(someOf(['/dev/stderr', '/dev/fd/2'], 0))(
    'to %s is written, and a failure to write is an error',
    async (name) => {
      const { code } = await bash(`rollcall plan apps.yaml --report json=${name} 2>out`);
      expect(code).toBe(0);
      expect(parseJson(textIn('out'))).toMatchObject({ summary: { create: count } });
      const args = `plan apps.yaml -q --report json=${name}`;
      expect(await bash(`${blocks(1)} rollcall ${args} 2>out | cat; exit \${PIPESTATUS[0]}`)).toMatchObject({
        code: 1,
      });
    },
  );
});

describe('a reader who stops reading', () => {
  test.each(
    someOf(
      [
        ['apply --yes apps.yaml', 'head -c 10'],
        ['apply --yes apps.yaml -o json', 'true'],
      ],
      1,
    ),
  )('prevents no creates of rollcall %s, and causes no error: | %s', async (args, reader) => {
    const { stdout, stderr } = await bash(`rollcall ${args} | ${reader} >/dev/null; echo \${PIPESTATUS[0]}`);
    expect(stdout).toBe('0\n');
    expect(stderr).toBe('');
    expect(created).toBe(count);
  });

  test.runIf(inFull)('does not hide a failure', async () => {
    const { stdout } = await bash('rollcall validate broken.txt | true; echo ${PIPESTATUS[0]}');
    expect(stdout).toBe('3\n');
  });
});
