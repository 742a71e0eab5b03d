import type { ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { cli, rollcall, root, run } from '../support/cli.ts';
import { inFull, someOf } from '../support/effort.ts';
import { endedHere } from '../support/here.ts';

let folder: string;
let server: SandboxServer;
let service: { ROLLCALL_URL: string; ROLLCALL_TOKEN: string };

beforeAll(async () => {
  folder = temporaryFolder();
  const apps = Array.from({ length: 40 }, (_, index) => `  - { slug: app-${index}, name: App ${index} }`);
  writeFileSync(join(folder, 'apps.yaml'), `version: 1\napplications:\n${apps.join('\n')}\n`);
  writeFileSync(join(folder, 'broken.yml'), 'version: 1\napplications: [{ slug: a b, name: A }]\n');
  server = await serveSandbox(seedSandbox({}).sandbox, { port: 0, latencyMs: 0 });
  service = { ROLLCALL_URL: server.url, ROLLCALL_TOKEN: 'sandbox-token' };
});
afterAll(async () => {
  await server.close();
});

describe('the program', () => {
  test('prints the version of its package', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await rollcall(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('prints its help', async () => {
    for (const args of [['--help'], ['help'], ['plan', '--help'], ['help', 'plan']])
      expect(await endedHere(args)).toMatchObject({ code: 0, stderr: '' });
    if (inFull) expect(await rollcall(['--help'])).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    [['aply'], /Did you mean apply/],
    [['plan', '--nonsense'], /unknown option/],
    [['plan', '--token', 'canary-1'], /There is no flag for the token: set ROLLCALL_TOKEN/],
    [['doctor', '-HX-Pass:canary-3'], /unknown option '-H'/],
    [['plan', '-out=plan.json'], /begin with two dashes/],
    [['apply', '-auto-approve'], /To apply without a question, use --yes/],
    [['init', '--token=canary-2'], /unknown option '--token'[^]*set ROLLCALL_TOKEN/],
    [['plan', 'apps.yaml', '-o', 'xml'], /invalid.*choices/i],
    [['plan', 'apps.yaml', '-o', 'markdown'], /use --report, as in --report markdown=plan\.md/],
    [['plan', 'apps.yaml'], /no service URL is given/],
    [['plan', 'apps.yaml', '--url', 'https://id.example.com'], /no access token is given/],
    [['plan', 'apps.yaml', '--url', 'http://id.example.com'], /unencrypted/],
    [['plan', 'apps.yaml', '--url', 'not a url'], /not a URL/],
    [['plan', 'apps.yaml', '--url', 'https://me:canary@id.example.com'], /user name or a password/],
    [['validate'], /no manifest is named/],
    [['schema', 'nothing'], /there is no schema "nothing"/],
    [['sandbox', '--port', '99999'], /--port cannot be "99999"/],
    [['sandbox', '--release', '2024.2'], /Allowed choices are 2023\.10, 2025\.12, 2026\.2/],
    [['sandbox', '--', 'no-such-program'], /cannot be run/],
    [['plan', '-', '--token-file', '-', '--url', 'https://id.example.com'], /both the token and a manifest/],
  ])('exits with 3 for wrong usage, without a stack trace: %j', async (args, message) => {
    const { code, stdout, stderr } = await endedHere(args, { cwd: folder });
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at |canary/);
  });

  test.runIf(inFull)('exits with 3 for wrong usage of the executable', async () => {
    expect(await rollcall(['aply'])).toMatchObject({ code: 3, stdout: '' });
    const { code, stdout, stderr } = await rollcall(['plan', '-', '--url', 'http://id.example.com']);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(/unencrypted/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('exits with 3 for an invalid manifest', async () => {
    const { code, stdout } = await rollcall(['validate', '.'], { cwd: folder });
    expect(code).toBe(3);
    expect(stdout).toContain('broken.yml:2:24: error: `slug`');
  });

  test('reads a manifest from standard input', async () => {
    const { code, stdout } = await rollcall(['validate', '-'], { input: 'version: 1\nusers: []\n' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Valid: nothing is declared.\n' });
  });

  test.runIf(inFull)('reads the token from a file', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'sandbox-token\n');
    const { code } = await rollcall(['plan', 'apps.yaml', '--token-file', tokenFile, '--concurrency', '40'], {
      cwd: folder,
      env: { ROLLCALL_URL: server.url },
    });
    expect(code).toBe(0);
  });

  test.runIf(inFull)('ends without an error if the reader of a pipe stops reading', async () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `  - { username: user-${index}, nam: x }`);
    writeFileSync(join(folder, 'many.txt'), `version: 1\nusers:\n${lines.join('\n')}\n`);
    const validate = `"${process.execPath}" "${cli}" validate -o json "${join(folder, 'many.txt')}"`;
    const { stderr, stdout } = await run('sh', ['-c', `${validate} | head -1; exit 0`]);
    expect({ stderr, stdout }).toEqual({ stderr: '', stdout: '{\n' });
  });

  test.runIf(inFull)('writes no colours to a pipe, even in a CI pipeline', async () => {
    const { stdout } = await rollcall(['validate', 'apps.yaml'], {
      cwd: folder,
      env: { CI: 'true', NO_COLOR: '' },
    });
    expect(stdout).toBe('Valid: 40 applications.\n');
  });

  test.runIf(inFull)('uses colours on request', async () => {
    const { stdout } = await rollcall(['validate', '--color', 'apps.yaml'], { cwd: folder });
    expect(stdout).toContain('\u001b[32mValid:');
  });

  test.each(
    someOf(
      [
        ['SIGINT', 130],
        ['SIGTERM', 143],
        ['SIGHUP', 129],
      ] as const,
      1,
    ),
  )('completes changes under way on %s, reports them, and exits with %i', async (signal, expected) => {
    const { sandbox } = seedSandbox({});
    let creates = 0;
    let child: ChildProcess | undefined;
    const interrupting = await serveSandbox(
      {
        handle: (request) => {
          if (request.method === 'POST' && (creates += 1) === 3) {
            child?.kill(signal);
            setTimeout(() => child?.kill('SIGHUP'), 50); // a closed terminal may send the signal again
          }
          return sandbox.handle(request);
        },
      },
      { port: 0, latencyMs: 100 },
    );
    const { code, stdout } = await rollcall(
      ['apply', '--yes', 'apps.yaml', '-o', 'json', '--concurrency', '4'],
      {
        cwd: folder,
        env: { ...service, ROLLCALL_URL: interrupting.url },
        started: (started) => (child = started),
      },
    );
    await interrupting.close();
    expect(code).toBe(expected);
    const { interrupted, summary } = JSON.parse(stdout) as {
      interrupted: boolean;
      summary: Record<string, number>;
    };
    expect(interrupted).toBe(true);
    expect(summary).toMatchObject({ created: creates, not_attempted: 40 - creates, unknown: 0 });
  });
});

describe('a second interruption', () => {
  test.each(someOf(['SIGINT', 'SIGTERM'] as const, 1))(
    'by %s ends requests under way, and the run reports this',
    async (second) => {
      let child: ChildProcess | undefined;
      const silent = createServer((request, response) => {
        if (request.method === 'GET') {
          response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not found."}');
          return;
        }
        child?.kill('SIGINT'); // the create is never answered
      });
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as AddressInfo; // a TCP server's address is an object
      const { code, stdout, stderr } = await rollcall(['apply', '--yes', '--concurrency', '1', '-'], {
        input: 'version: 1\napplications: [{ slug: a, name: A }, { slug: b, name: B }]\n',
        env: { ...service, ROLLCALL_URL: `http://127.0.0.1:${port}` },
        started: (running) => {
          child = running;
          running.stderr?.on('data', (text: string) => {
            if (text.includes('interrupt again')) running.kill(second);
          });
        },
      });
      silent.closeAllConnections();
      silent.close();
      expect(code).toBe(130);
      expect(stdout).toMatch(
        / {2}\? application\.a {2}unknown\n {2}\. application\.b {2}not attempted: the run was interrupted\n/,
      );
      expect(stdout).toContain('Apply incomplete! Resources: 0 added');
      expect(stderr).toContain(
        'Interrupted. Finishing the changes under way; interrupt again to stop immediately.',
      );
    },
  );
});

describe('the sandbox command', () => {
  test.each(someOf(['SIGTERM', 'SIGHUP'] as const, 1))(
    "passes %s on to the started command, and exits with the command's code",
    async (signal) => {
      const script = `process.addListener("${signal}", () => process.exit(7)); console.log("up"); setInterval(() => {}, 1000)`;
      const { code } = await rollcall(['sandbox', '--', process.execPath, '-e', script], {
        started: (child) => child.stdout?.once('data', () => child.kill(signal)),
      });
      expect(code).toBe(7);
    },
  );

  test.runIf(inFull)('exits with 128 and the number of the signal that ended the command', async () => {
    expect(await rollcall(['sandbox', '--', 'sh', '-c', 'kill -TERM $$'])).toMatchObject({ code: 143 });
  });

  test.runIf(inFull)(
    "runs a command against a sandbox of the chosen release, and exits with the command's code",
    async () => {
      const script = `
      const { ROLLCALL_URL: url, ROLLCALL_TOKEN: token } = process.env;
      const headers = { authorization: 'Bearer ' + token };
      fetch(url + '/api/v3/admin/version/', { headers })
        .then((answer) => answer.json())
        .then(({ version_current: release }) => process.exit(release === '2026.2.2' ? 42 : 1));`;
      const command = ['--', process.execPath, '-e', script];
      expect(await rollcall(['sandbox', '--release', '2026.2', ...command])).toMatchObject({ code: 42 });
    },
  );

  test.runIf(inFull)(
    'takes the place of the service, whatever environment the started command chooses',
    async () => {
      const { code, stdout } = await rollcall(
        ['sandbox', '--', process.execPath, cli, 'plan', '--env', 'production'],
        {
          cwd: join(root, 'examples/environments'),
          env: { PAGER_KEY: 'canary-pager-key', PRODUCTION_TOKEN: 'canary-production-token' },
        },
      );
      expect(stdout).toMatch(/^Plan for production \(http:\/\/127\.0\.0\.1:\d+\)\n/);
      expect(code).toBe(0);
    },
  );

  test('runs until it is interrupted, and exits with 0', async () => {
    const { code, stdout } = await rollcall(['sandbox'], {
      started: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
    });
    expect(code).toBe(0);
    expect(stdout).toContain('the API of authentik 2023.10');
    expect(stdout).toMatch(/export ROLLCALL_URL=http:\/\/127\.0\.0\.1:\d+ ROLLCALL_TOKEN=sandbox-token/);
  });

  test('reports an error in a seed at the place of the error', async () => {
    const seed = join(folder, 'seed.txt');
    writeFileSync(seed, 'applications:\n  - slug: a\n    name: A\n    provider: 99\n');
    const { code, stderr } = await endedHere(['sandbox', '--seed', seed, '--', 'true']);
    expect(code).toBe(3);
    expect(stderr).toContain(`${seed}:4:15: error: the sandbox does not accept this \`provider\``);
  });
});
