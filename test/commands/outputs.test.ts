import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import type { Ended } from '../support/cli.ts';
import { endedHere } from '../support/here.ts';
import { inFull, someOf } from '../support/effort.ts';

const files = {
  'rollcall.yaml':
    'version: 1\nmanifests: [m]\nvars_files: [vars.yaml]\nenvironments:\n  test: { token_file: token }\n  other: { token_file: other-token }\n',
  'vars.yaml': 'name: Alice\n',
  'more.yaml': 'other: Bob\n',
  'm/a.yaml':
    'version: 1\nusers: [{ username: alice, name: "${var:name}", attributes: { key: "${file:../keys/one}" } }]\n',
  'keys/one': 'a-key-of-somebody\n',
  token: `${sandboxToken}\n`,
  'other-token': `${sandboxToken}\n`,
  'broken/b.yaml': 'version: 1\nusers: [{ username: alice, nam: A }]\n',
};

let cwd: string;
let server: SandboxServer;
let sent: number;

beforeEach(async () => {
  cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  symlinkSync('m', join(cwd, 'linked'));
  sent = 0;
  const { sandbox } = seedSandbox({});
  const handle: typeof sandbox.handle = (request) => ((sent += 1), sandbox.handle(request));
  server = await serveSandbox({ handle }, { port: 0, latencyMs: 0 });
});
afterEach(() => server.close());

function run(args: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return endedHere(args.split(' '), { cwd, env: { ROLLCALL_URL: server.url, ...env } });
}

const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');

/** Expects that no existing file was changed. */
function expectUntouched(): void {
  for (const [name, text] of Object.entries(files)) expect(read(name), name).toBe(text);
}

describe('an output that would overwrite another output', () => {
  test.each([
    ['plan --env test --out p.json --report json=./p.json', 'p.json'],
    ['plan --env test --out ./p.json --report json=m/../p.json', 'p.json'],
    ['plan --env test --report json=r.x --report html=./r.x', 'r.x'],
    ['plan --env test --report json=linked/r.x --report html=m/r.x', 'm/r.x'],
    ['apply --env test --yes --report json=r.x --report html=.//r.x', 'r.x'],
    ['validate --report json=r.x --report html=./r.x', 'r.x'],
    ['show p.json --report json=r.x --report html=./r.x', 'r.x'],
  ])('is refused before anything is sent: %s', async (args, target) => {
    for (const isThere of [false, true]) {
      if (isThere) writeFileSync(join(cwd, target), 'mine');
      const { code, stderr } = await run(args);
      expect(stderr).toMatch(
        /^error: (?:two reports would be written to|a report would overwrite) .*\n {4}\S/,
      );
      expect([code, sent]).toEqual([3, 0]);
      if (isThere) expect(read(target)).toBe('mine');
    }
  });

  test('is refused if it is the step summary of a pipeline', async () => {
    const args = 'plan --env test --report github=- --report markdown=./summary';
    const { code, stderr } = await run(args, { GITHUB_STEP_SUMMARY: join(cwd, 'summary') });
    expect(stderr).toContain('two reports would be written to ');
    expect([code, sent]).toEqual([3, 0]);
  });
});

describe('an output that would overwrite an input', () => {
  const targets = [
    'rollcall.yaml',
    './rollcall.yaml',
    'vars.yaml',
    'm/a.yaml',
    'linked/a.yaml',
    'm/../m//a.yaml',
    'token',
    'other-token',
    'keys/one',
  ];

  test.each(
    someOf(
      targets.flatMap((target): [string, string][] => [
        ['plan --env test --report json=', target],
        ['plan --env test --out ', target],
        ['apply --env test --yes -o json --report html=', target],
        ['validate --env test --report junit=', target],
        ['validate --without-secrets --report junit=', target],
      ]),
      9,
    ),
  )('is refused before anything is sent: %s%s', async (args, target) => {
    const { code, stdout, stderr } = await run(args + target);
    const said = `an output would overwrite ${target}, which this run reads`;
    expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toContain(said);
    expect(stdout + stderr).toContain('Name another file for the output.');
    expect([code, sent]).toEqual([3, 0]);
    expectUntouched();
  });

  test.each([
    'plan m --vars more.yaml --report json=more.yaml --token-file token',
    'plan m --ca-file more.yaml --report json=more.yaml --token-file token',
    'plan - --report json=token --token-file token',
    'plan --config vars.yaml m --report json=./vars.yaml --token-file token',
    'plan m --baseline broken --out linked/../broken/b.yaml --token-file token',
    'apply m --yes --baseline broken --report json=broken/b.yaml --token-file token',
    'plan m --baseline keys --out keys/one --token-file token',
  ])('is refused for other inputs: %s', async (args) => {
    const { code, stderr } = await run(args);
    const isBaseline = args.includes('--baseline');
    const reason = isBaseline
      ? /which is in the folder of the baseline/
      : /which this run reads|which this run may read/;
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(reason);
    expect([code, sent]).toEqual([3, 0]);
    expectUntouched();
  });

  test('is refused if it is the step summary of a pipeline', async () => {
    const summary = { GITHUB_STEP_SUMMARY: join(cwd, 'm/a.yaml') };
    const { code, stderr } = await run('plan --env test --report github=-', summary);
    expect(stderr).toContain('an output would overwrite ');
    expect([code, sent]).toEqual([3, 0]);
    expectUntouched();
  });

  test.runIf(inFull)('is not written if a run fails early', async () => {
    for (const [args, url] of [
      ['plan --env test', ''],
      ['plan --env nobody', server.url],
      ['plan --env test --timeout 0', server.url],
      ['plan broken --env test', server.url],
      ['apply --env test', server.url],
      ['apply --env test --yes --plan vars.yaml', server.url],
    ] as const)
      for (const target of [...targets, 'broken/b.yaml']) {
        if (target === 'broken/b.yaml' && !args.includes('broken')) continue;
        if (args.includes('broken') && /a\.yaml|keys/.test(target)) continue;
        const { code } = await run(`${args} --report json=${target} --report html=r.html`, {
          ROLLCALL_URL: url,
        });
        expect([code, sent], args).toEqual([3, 0]);
        expectUntouched();
        expect(read('r.html')).toContain('<!doctype html>');
      }
  });

  test('is refused if apply --plan or show reads that input', async () => {
    expect((await run('plan --env test --out p.json')).code).toBe(0);
    const saved = read('p.json');
    sent = 0;
    for (const target of ['p.json', './p.json', 'keys/one', 'token', 'rollcall.yaml']) {
      const { code, stderr } = await run(`apply --env test --plan p.json --report json=${target}`);
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`an output would overwrite ${target}, which`);
      expect([code, sent]).toEqual([3, 0]);
    }
    const { code, stderr } = await run('show p.json --report html=./p.json');
    expect(stderr).toContain('an output would overwrite ./p.json, which this run reads');
    expect(code).toBe(3);
    expect(read('p.json')).toBe(saved);
    expectUntouched();
  });
});

test('an earlier report is replaced', async () => {
  writeFileSync(join(cwd, 'r.json'), 'old');
  writeFileSync(join(cwd, 'p.json'), 'old');
  const { code } = await run('plan --env test --out p.json --report json=r.json --report text=more.yaml');
  expect(code).toBe(0);
  for (const name of ['r.json', 'p.json', 'more.yaml']) expect(read(name)).toContain('user.alice');
});
