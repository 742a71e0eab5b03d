import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { cli, root, run, type Ended } from '../support/cli.ts';
import { inFull, someOf } from '../support/effort.ts';

/** The option to restrict permissions in this version of Node.js. In Node.js 20 it is experimental. Later versions restrict the network too. */
const knows = (flag: string): boolean => process.allowedNodeEnvironmentFlags.has(flag);
const permission = [
  knows('--permission') ? '--permission' : '--experimental-permission',
  ...(knows('--allow-net') ? ['--allow-net'] : []),
  '--no-warnings',
];

describe('under the permission model of Node.js', () => {
  let folder: string;
  let server: SandboxServer;
  beforeAll(async () => {
    folder = realpathSync(temporaryFolder());
    server = await serveSandbox(seedSandbox({}).sandbox, { port: 0, latencyMs: 0 });
    mkdirSync(join(folder, 'given/m'), { recursive: true });
    writeFileSync(join(folder, 'given/m/a.yaml'), 'version: 1\napplications: [{ slug: a, name: A }]\n');
    writeFileSync(join(folder, 'other.yaml'), 'version: 1\napplications: [{ slug: b, name: B }]\n');
  });
  afterAll(() => server.close());

  /** Runs rollcall with permission to read only its own files and the given folder. */
  function hardened(args: readonly string[], more: readonly string[] = []): Promise<Ended> {
    const given = join(folder, 'given');
    const reads = [`--allow-fs-read=${root}`, `--allow-fs-read=${given}/`];
    const env = { PATH: process.env['PATH'] ?? '', ROLLCALL_URL: server.url, ROLLCALL_TOKEN: sandboxToken };
    return run(process.execPath, [...permission, ...reads, ...more, cli, ...args], { cwd: given, env });
  }

  test('rollcall reads its inputs, talks to the service, and applies', async () => {
    expect(await hardened(['validate', 'm'])).toMatchObject({ code: 0, stderr: '' });
    expect(await hardened(['plan', 'm', '--detailed-exitcode'])).toMatchObject({ code: 2, stderr: '' });
    expect((await hardened(['apply', 'm', '--yes'])).stdout).toContain('Resources: 1 added');
  });

  test.each(
    someOf(
      [
        ['a manifest elsewhere', ['validate', '../other.yaml'], 3, /other\.yaml: error: this cannot be read/],
        ['a saved plan', ['plan', 'm', '--out', 'plan.json'], 1, /the plan cannot be saved to plan\.json/],
        ['a report', ['plan', 'm', '--report', 'json=r.json'], 1, /the report cannot be written to r\.json/],
      ] as const,
      2,
    ),
  )('%s is refused with a message, without a stack trace', async (_, args, code, said) => {
    const ended = await hardened(args);
    expect(ended.code).toBe(code);
    expect(ended.stdout + ended.stderr).toMatch(said);
    expect(ended.stderr).not.toMatch(/\n\s+at |bug in rollcall/);
  });

  test.runIf(inFull)('allowed operations succeed', async () => {
    const write = [`--allow-fs-write=${join(folder, 'given')}/`];
    expect(await hardened(['plan', 'm', '--out', 'plan.json'], write)).toMatchObject({ code: 0, stderr: '' });
  });
});
