import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { cli, rollcall, run, type Ended } from '../support/cli.ts';
import { inFull } from '../support/effort.ts';
import { endedHere } from '../support/here.ts';
import { schemaErrors } from '../support/schemas.ts';

let manifests: string;
let folder: string;
let server: SandboxServer;
let env: Record<string, string>;

const count = 24;
const longText = 'What it is, "and" why.\n'.repeat(40_000);

beforeAll(() => {
  manifests = temporaryFolder();
  writeFileSync(
    join(manifests, 'apps.yaml'),
    'version: 1\napplications: [{ slug: wiki, name: Wiki }, { slug: new, name: "${env:NAME}" }]\nusers: [{ username: alice }]\n',
  );
  writeFileSync(join(manifests, 'broken.yml'), 'version: 1\napplications: [{ slug: a b, name: A }]\n');
  for (let index = 0; index < (inFull ? count : 0); index += 1) {
    const user = { username: `user-${index}`, name: '', attributes: { text: longText } };
    writeFileSync(join(manifests, `large-${index}.txt`), JSON.stringify({ version: 1, users: [user] }));
  }
});

beforeEach(async () => {
  folder = temporaryFolder();
  server = await serveSandbox(seedSandbox({ applications: [{ slug: 'wiki', name: 'Wiki' }] }).sandbox, {
    port: 0,
    latencyMs: 0,
  });
  env = { ROLLCALL_URL: server.url, ROLLCALL_TOKEN: 'sandbox-token', NAME: 'CANARY' };
});
afterEach(async () => {
  await server.close();
});

const apps = (): string => join(manifests, 'apps.yaml');

/** Runs a line of the shell. In it, `rollcall` is the program. */
function shell(line: string): Promise<Ended> {
  return run('sh', ['-c', `rollcall() { "${process.execPath}" "${cli}" "$@"; }; ${line}`], {
    cwd: manifests,
    env,
  });
}

describe('a plan of more than 20 MB', () => {
  test('is complete at the other end of a pipe', async ({ skip }) => {
    skip(!inFull);
    const { code, stdout, stderr } = await shell('rollcall plan large-*.txt -o json | cat');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.length).toBeGreaterThan(20_000_000);
    const document = parseJson(stdout);
    expect(document).toMatchObject({ summary: { create: count } });
    expect(document).toHaveProperty(`resource_changes.${count - 1}.change.after.attributes.text`, longText);
  });

  test.runIf(inFull).each([
    ['reads one line', 'head -1', '{\n'],
    ['reads nothing', 'true', ''],
  ])('causes no error if its reader %s', async (_, reader, expected) => {
    expect(await shell(`rollcall plan large-1.txt large-2.txt -o json | ${reader}; exit 0`)).toEqual({
      code: 0,
      stdout: expected,
      stderr: '',
    });
  });
});

describe('standard output', () => {
  test.runIf(inFull)('that is closed from the start causes no stack trace', async () => {
    const { stderr } = await shell('rollcall plan apps.yaml >&-');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('contains one document with -o json, and everything else goes to stderr', async () => {
    const { code, stdout, stderr } = await rollcall(['plan', apps(), '-o', 'json', '--max-creates', '1'], {
      env,
    });
    expect(code).toBe(1);
    expect(schemaErrors('plan', parseJson(stdout))).toEqual([]);
    expect(stderr).toContain(
      'warning: user.alice: the service is known to require a `name` [likely-refused]',
    );
    expect(stderr).toContain('error: the plan would create 2 resources, and --max-creates allows 1');

    const applied = await rollcall(['apply', apps(), '-o', 'json', '--yes'], { env });
    expect(schemaErrors('apply', parseJson(applied.stdout))).toEqual([]);
    expect(applied.stderr).toContain('warning: user.alice');
  });

  test.each<[string, string[], Record<string, string>, number, string]>([
    ['the manifests are invalid', ['broken.yml'], {}, 3, 'invalid-format'],
    ['the URL has no such API', ['apps.yaml'], { path: '/nowhere' }, 1, 'service-unexpected'],
    ['access is denied', ['apps.yaml'], { ROLLCALL_TOKEN: 'another-token' }, 4, 'service-denied'],
  ])(
    'contains a document with the reason of the failure if %s',
    async (_, paths, { path = '', ...changed }, expected, problem) => {
      for (const command of [['plan'], ['apply', '--yes']]) {
        const { code, stdout, stderr } = await endedHere([...command, ...paths, '-o', 'json'], {
          cwd: manifests,
          env: { ...env, ROLLCALL_URL: server.url + path, ...changed },
        });
        expect(code).toBe(expected);
        const document = parseJson(stdout);
        expect(schemaErrors('validation', document)).toEqual([]);
        expect(document).toMatchObject({ valid: false });
        expect(stdout).toContain(`"code": "${problem}"`);
        expect(stderr).toContain(`[${problem}]`);
      }
    },
  );
});

describe('a saved plan', () => {
  test.runIf(inFull)(
    'is readable only by its owner, leaves no other files, and can be applied only once',
    async () => {
      const file = join(folder, 'plan.json');
      writeFileSync(file, 'something older', { mode: 0o644 });
      expect((await endedHere(['plan', apps(), '--out', file], { env })).code).toBe(0);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readdirSync(folder)).toEqual(['plan.json']);
      expect(readFileSync(file, 'utf8')).not.toContain('CANARY');

      const first = await endedHere(['apply', '--plan', file, apps()], { env });
      expect(first.code).toBe(6); // the service requires a name for alice
      expect(first.stdout).toContain('  + application.new  created');
      const second = await rollcall(['apply', '--plan', file, apps()], { env });
      expect(second.code).toBe(5);
      expect(second.stderr).toContain('application.new: it now exists');
    },
  );

  test('is not written through a link, and replaces no folder', async () => {
    symlinkSync(join(folder, 'target'), join(folder, 'link'));
    writeFileSync(join(folder, 'target'), 'untouched');
    mkdirSync(join(folder, 'folder'));
    for (const out of [join(folder, 'link'), join(folder, 'folder')]) {
      const { code, stdout, stderr } = await endedHere(['plan', apps(), '--out', out], { env });
      expect(code).toBe(1);
      expect(stdout).toContain('Plan: 2 to add');
      expect(stderr).toMatch(
        /error: the plan cannot be saved to .*\n {4}this (?:is a symbolic link: name its target instead|name is a folder)\n/,
      );
    }
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('untouched');
    expect(readdirSync(folder).toSorted()).toEqual(['folder', 'link', 'target']);
  });
});
