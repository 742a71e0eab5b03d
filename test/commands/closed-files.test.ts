import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { nodeFiles } from '../../src/terminal/node-files.ts';
import { plan, type PlanOptions } from '../../src/commands/plan.ts';
import { validate, type ValidateOptions } from '../../src/commands/validate.ts';
import type { Files } from '../../src/base/files.ts';
import { findManifests } from '../../src/manifest/find-manifests.ts';
import { environmentNames } from '../../src/settings/config.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { parseJson } from '../../src/base/json.ts';
import { temporaryFolder } from '../support/canary.ts';
import { tlsFixture } from '../support/raw-server.ts';
import { capture } from '../support/run.ts';
import { answered } from '../support/scripted-transport.ts';
import { done } from '../support/manifest-run.ts';

/** A canary. All output is searched for this token. */
const token = 'canary-of-the-closed-files-0123456789';

let folder: string;
const at = (name: string): string => join(folder, name);

const valid = 'version: 1\nusers: [{ username: alice, name: Alice }]\n';

beforeAll(() => {
  folder = temporaryFolder();
  for (const path of ['project/manifests', 'project/secrets', 'project/ops', 'elsewhere', 'tokens'])
    mkdirSync(at(path), { recursive: true });
  writeFileSync(at('tok'), token);
  writeFileSync(at('project/tok'), token);
  symlinkSync(at('tok'), at('project/linked-tok'));
  writeFileSync(at('tokens/tok.yaml'), token);
  writeFileSync(at('other-tok'), token);
  writeFileSync(at('copy'), token);
  writeFileSync(at('client.pem'), tlsFixture('client.pem'));
  writeFileSync(at('client.key'), tlsFixture('client.key'));
  writeFileSync(at('project/manifests/a.yaml'), valid);
  writeFileSync(at('project/secrets/password'), 'hunter-canary-22');
  writeFileSync(at('elsewhere/secret.yaml'), 'canary-of-elsewhere');
  symlinkSync(at('tok'), at('link-to-tok'));
  linkSync(at('tok'), at('same-as-tok'));
  symlinkSync('/proc/self/environ', at('link-to-environ'));
  symlinkSync(at('elsewhere'), at('project/out'));
  symlinkSync('/', at('project/root'));
  symlinkSync(at('elsewhere/secret.yaml'), at('project/secrets/out'));
});

interface Ran {
  readonly codes: readonly string[];
  readonly stderr: string;
}

/** Runs `rollcall plan` on the real disk, on an empty service. */
async function planned(
  paths: readonly string[],
  options: Partial<PlanOptions> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const run = capture({
    contractOnly: true,
    env: { ROLLCALL_URL: 'http://127.0.0.1:9', ...env },
    transport: async () => answered(404, { detail: 'Not found.' }),
  });
  await plan(paths, { output: 'text', report: ['html=h'], ...options }, { ...run.context, files: nodeFiles });
  const codes = Array.from(run.stderr().matchAll(/ \[([a-z0-9-]+)\]$/gm), ([, code = '']) => code);
  return { codes, stderr: run.stderr() };
}

/** Runs the plan of a manifest with one user, who has an attribute with a reference. */
async function referring(
  reference: string,
  options: Partial<PlanOptions> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const text = `version: 1\nusers: [{ username: alice, name: Alice, attributes: { key: "${reference}" } }]\n`;
  writeFileSync(at('referring.yaml'), text);
  return planned([at('referring.yaml')], { tokenFile: at('tok'), ...options }, env);
}

function configured(...lines: string[]): string {
  writeFileSync(at('project/rollcall.yaml'), ['version: 1', ...lines].join('\n'));
  return at('project/rollcall.yaml');
}

describe('the token file is not read', () => {
  test.each(['tok', 'link-to-tok'])('as a manifest if the command line names it: %s', async (name) => {
    const { codes, stderr } = await planned([at(name)], { tokenFile: at('tok') });
    expect(codes).toEqual(['forbidden-file']);
    expect(stderr).toContain('this file contains a secret of rollcall itself');
  });

  test('as a manifest if it lies in a folder of manifests', async () => {
    const { codes } = await planned([at('tokens')], { tokenFile: at('tokens/tok.yaml') });
    expect(codes).toEqual(['forbidden-file']);
  });

  test('as a manifest if an environment variable names it', async () => {
    const { codes } = await planned([at('tok')], {}, { ROLLCALL_TOKEN_FILE: at('tok') });
    expect(codes).toEqual(['forbidden-file']);
  });

  test('as a manifest even if rollcall.yaml is invalid or names the token file for another environment', async () => {
    const environments = [
      'environments:',
      '  a: { url: "https://id.example.com" }',
      '  b: { token_file: ../tok }',
    ];
    const config = configured(...environments);
    expect((await planned([at('tok')], { config, tokenFile: at('other-tok') })).codes).toEqual([
      'forbidden-file',
    ]);
    const faulty = configured(...environments, 'wrong: true');
    const run = capture({ contractOnly: true, env: {} });
    await validate([at('tok')], { config: faulty, output: 'json' }, { ...run.context, files: nodeFiles });
    expect(run.stdout()).toContain('"forbidden-file"');
  });

  test('as variables or settings', async () => {
    const tokenFile = at('tok');
    expect((await planned([at('project/manifests')], { tokenFile, vars: [at('tok')] })).codes).toEqual([
      'forbidden-file',
    ]);
    expect(
      (await planned([at('project/manifests')], { tokenFile, config: at('link-to-tok') })).codes,
    ).toEqual(['forbidden-file']);
  });
});

describe('validate', () => {
  const copy = `version: 1\nusers: [{ username: alice, name: Alice, attributes: { key: "${token}" } }]\n`;

  async function validated(
    path: string,
    options: Partial<ValidateOptions>,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly ending: Ending; readonly text: string }> {
    const run = capture({ contractOnly: true, env });
    let asked = 0;
    const files: Files = {
      ...nodeFiles,
      readStandardInput: async () => {
        asked += 1;
        return new Uint8Array();
      },
    };
    const ending = await validate([path], { output: 'text', ...options }, { ...run.context, files });
    expect(asked).toBe(0);
    return { ending, text: run.stdout() };
  }

  test.each<[string, (at: (name: string) => string) => [Partial<ValidateOptions>, Record<string, string>]]>([
    ['a variable names its file', (path) => [{}, { ROLLCALL_TOKEN_FILE: path('tok') }]],
    [
      'rollcall.yaml names its file',
      () => [{ config: configured('environments: { a: { token_file: tok } }'), env: 'a' }, {}],
    ],
    [
      'a variable names its file, and rollcall.yaml is invalid',
      (path) => [{ config: configured('wrong: true') }, { ROLLCALL_TOKEN_FILE: path('tok') }],
    ],
    [
      'rollcall.yaml names its file, and another setting is invalid',
      () => [
        {
          config: configured('environments: { a: { token_file: tok, url: "http://id.example.com" } }'),
          env: 'a',
        },
        {},
      ],
    ],
  ])('finds a copy of the token without showing it if %s', async (_, setup) => {
    writeFileSync(at('copied.yaml'), copy);
    const { ending, text } = await validated(at('copied.yaml'), ...setup(at));
    rmSync(at('copied.yaml'));
    expect(ending).toBe('invalid');
    expect(text).toContain('this is an access token');
  });

  test.each<Record<string, string>>([
    {},
    { ROLLCALL_TOKEN_FILE: '/nowhere/at/all' },
    { ROLLCALL_TOKEN_FILE: '-' },
    { ROLLCALL_URL: 'no URL', ROLLCALL_CONCURRENCY: '0', ROLLCALL_LOG: 'loud' },
    { ROLLCALL_TOKEN: 'a', ROLLCALL_TOKEN_FILE: 'b' },
  ])('does not check settings that only plan needs: %j', async (env) => {
    await done(validated(at('project/manifests'), {}, env));
  });

  test('does not read rollcall.yaml as a manifest if it lies in the folder of manifests', async () => {
    mkdirSync(at('whole'), { recursive: true });
    writeFileSync(at('whole/a.yaml'), valid);
    writeFileSync(at('whole/rollcall.yaml'), 'version: 1\nmanifests: [.]\n');
    const config = at('whole/rollcall.yaml');
    const run = capture({ contractOnly: true });
    expect(await validate([], { output: 'text', config }, { ...run.context, files: nodeFiles })).toBe('done');
    expect(run.stdout()).toBe('Valid: 1 user.\n');
    await done(validated(at('whole'), { config }));
    const named = await validated(config, { config });
    expect(named.ending).toBe('invalid');
    expect(named.text).toContain('this is the configuration file, not a manifest [forbidden-file]');
  });
});

describe('a token_file in rollcall.yaml', () => {
  /** The token that is sent, or the reason why nothing is sent. */
  async function sentWith(
    tokenFile: string,
    options: Partial<PlanOptions> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const config = configured(
      'environments:',
      `  a: { url: "http://127.0.0.1:9", token_file: "${tokenFile}", token_env: TOKEN_A }`,
    );
    const run = capture({ contractOnly: true, env });
    const connect: (typeof run.context)['connect'] = async (settings) => ({
      send: async () => {
        sent.push(settings.token.reveal());
        return answered(404, { detail: 'Not found.' });
      },
      close: async () => {},
    });
    const sent: string[] = [];
    writeFileSync(at('project/app.yaml'), 'version: 1\napplications: [{ slug: a, name: A }]\n');
    await plan(
      [at('project/app.yaml')],
      { output: 'text', config, env: 'a', ...options },
      { ...run.context, files: nodeFiles, connect },
    ).catch((error: unknown) => sent.push(`${String(error)} ${String(Object(error).hint)}`));
    return sent.join();
  }

  test.each(['../tok', 'secrets/../../tok', 'linked-tok', 'root/etc/passwd', 'out/secret.yaml'])(
    'is not read or sent if it is outside of the folder of rollcall.yaml: %s',
    async (path) => {
      const said = await sentWith(path);
      expect(said).toContain('which token_file names, is not below the folder of rollcall.yaml');
      expect(said).toContain('Name the file with --token-file or ROLLCALL_TOKEN_FILE');
      expect(await sentWith(at('tok'))).toContain('is not below the folder');
    },
  );

  test.each(['tok', './tok', 'secrets/../tok'])(
    'is read if it is inside the folder of rollcall.yaml, however the path is written: %s',
    async (path) => {
      expect(await sentWith(path)).toBe(token);
    },
  );

  test('that lies outside of the folder of rollcall.yaml is used if the user also names that file or gives the same token', async () => {
    expect(await sentWith('../tok', { tokenFile: at('tok') })).toBe(token);
    expect(await sentWith('../tok', {}, { ROLLCALL_TOKEN_FILE: at('other-tok') })).toBe(token);
    expect(await sentWith('../tok', {}, { ROLLCALL_TOKEN: token })).toBe(token);
    expect(await sentWith('../tok', {}, { TOKEN_A: 'of-the-variable' })).toBe('of-the-variable');
    expect(await sentWith('../tok', {}, { ROLLCALL_TOKEN: 'other' })).toContain(
      'which contains a different token',
    );
  });
});

describe('the key of the client certificate', () => {
  test.each(['client.key', 'client.pem'])('is not read as a manifest: %s', async (name) => {
    const options = { tokenFile: at('tok'), clientCert: at('client.pem'), clientKey: at('client.key') };
    expect((await planned([at(name)], options)).codes).toEqual(['forbidden-file']);
  });
});

describe('a link', () => {
  const planted = (name: string): string => {
    const text = name === 'm.yaml' ? valid : 'line_of_elsewhere: word';
    writeFileSync(at('elsewhere/planted.yaml'), text);
    rmSync(at(`project/${name}`), { force: true });
    symlinkSync('../elsewhere/planted.yaml', at(`project/${name}`));
    return at(`project/${name}`);
  };

  test.each<[string, (link: string) => Promise<Ran>]>([
    ['m.yaml', (link) => planned([link], { tokenFile: at('tok') })],
    ['linked.yaml', (config) => planned([at('project/manifests')], { tokenFile: at('tok'), config })],
    ['vars.yaml', (link) => planned([at('project/manifests')], { tokenFile: at('tok'), vars: [link] })],
  ])(
    'to a target outside of both its folder and the working directory is not followed, even if the command names the link: %s',
    async (name, run) => {
      const { codes, stderr } = await run(planted(name));
      expect(codes).toEqual(['link-outside']);
      expect(stderr).not.toContain('line_of_elsewhere');
    },
  );

  test('to a target outside of both its folder and the working directory adds no environments to shell completion', async () => {
    writeFileSync(at('elsewhere/environments.yaml'), 'environments: { production: {} }\n');
    symlinkSync('../elsewhere/environments.yaml', at('project/environments.yaml'));
    expect(await environmentNames(at('elsewhere/environments.yaml'), nodeFiles)).toEqual(['production']);
    expect(await environmentNames(at('project/environments.yaml'), nodeFiles)).toEqual([]);
  });

  test('to a target in its folder or in the working directory is followed, as in a mounted ConfigMap', async () => {
    mkdirSync(at('mounted/..2024'), { recursive: true });
    writeFileSync(at('mounted/..2024/m.yaml'), valid);
    symlinkSync('..2024', at('mounted/..data'));
    symlinkSync('..data/m.yaml', at('mounted/m.yaml'));
    symlinkSync('../mounted/m.yaml', at('project/mounted.yaml'));
    const workingDirectory = {
      ...nodeFiles,
      realPath: (path: string) => nodeFiles.realPath(path === '.' ? folder : path),
    };
    expect((await findManifests([at('mounted/m.yaml')], nodeFiles)).diagnostics).toEqual([]);
    expect((await findManifests([at('project/mounted.yaml')], nodeFiles)).diagnostics).toHaveLength(1);
    expect((await findManifests([at('project/mounted.yaml')], workingDirectory)).diagnostics).toEqual([]);
  });
});

describe('a system file', () => {
  test.each(['/proc/self/environ', 'link-to-environ', '/proc/self/cmdline'])(
    'is not read as a manifest: %s',
    async (name) => {
      const path = name.startsWith('/') ? name : at(name);
      expect((await planned([path], { tokenFile: at('tok') })).codes).toEqual(['forbidden-file']);
    },
  );

  test.each([{ vars: ['/proc/self/environ'] }, { config: '/proc/self/environ' }])(
    'is not read as variables or settings: %j',
    async (options) => {
      const { codes } = await planned([at('project/manifests')], { tokenFile: at('tok'), ...options });
      expect(codes).toEqual(['forbidden-file']);
    },
  );
});

describe('manifests that rollcall.yaml names', () => {
  test.each([
    '/proc/self/environ',
    '../elsewhere',
    '../elsewhere/*.yaml',
    '../missing',
    '..',
    'manifests/../../elsewhere',
    'out',
    'out/*.yaml',
    'root/**/*.yaml',
    'secrets/out',
    '/etc/passwd',
    '-',
  ])('are refused if they are not in its folder: %s', async (path) => {
    const config = configured(`manifests: [manifests, ${JSON.stringify(path)}]`);
    const run = capture({ contractOnly: true, env: {} });
    await validate([], { config, output: 'json' }, { ...run.context, files: nodeFiles });
    expect(parseJson(run.stdout())).toMatchObject({
      diagnostics: [{ code: 'outside-project', range: { filename: config, start: { line: 2, column: 24 } } }],
    });
  });

  test('are refused if rollcall.yaml comes from a pipe, since it has no folder', async () => {
    const config = configured('manifests: [in.yaml]');
    const isPipe = (path: string): boolean => path.endsWith('in.yaml');
    const files: Files = {
      ...nodeFiles,
      kindOf: async (path) => (isPipe(path) ? 'other' : nodeFiles.kindOf(path)),
      realPath: async (path) => nodeFiles.realPath(isPipe(path) ? at('missing') : path),
    };
    const run = capture({ contractOnly: true, env: {} });
    await validate([], { config, output: 'json' }, { ...run.context, files });
    expect(parseJson(run.stdout())).toMatchObject({ diagnostics: [{ code: 'outside-project' }] });
  });

  test('are refused if rollcall.yaml is a link to itself, since its folder is unknown', async () => {
    symlinkSync('loop.yaml', at('project/loop.yaml'));
    const config = configured('manifests: [loop.yaml]');
    expect((await planned([], { config, tokenFile: at('tok') })).codes).toEqual(['outside-project']);
    rmSync(at('project/loop.yaml'));
  });

  test.each(['manifests', './manifests/*.yaml', 'ops/../manifests', '**/*.yaml'])(
    'are read inside its folder: %s',
    async (path) => {
      const config = configured(
        `manifests: [${JSON.stringify(path)}]`,
        'environments: { a: { manifests: [manifests] } }',
      );
      const { codes } = await planned([], { config, tokenFile: at('tok') });
      expect(codes.filter((code) => code === 'outside-project')).toEqual([]);
    },
  );

  test('must be inside its folder in every environment', async () => {
    const config = configured('manifests: [manifests]', 'environments: { a: { manifests: [../elsewhere] } }');
    expect((await planned([], { config, tokenFile: at('tok') })).codes).toEqual(['outside-project']);
  });

  test('may be absolute paths', async () => {
    const config = configured(`manifests: [${at('project/manifests')}]`);
    expect((await planned([], { config, tokenFile: at('tok') })).codes).toEqual([]);
  });
});

describe('variable files that rollcall.yaml names', () => {
  test.each([
    ['vars_files: [../elsewhere/secret.yaml]', 'outside-project'],
    ['vars_files: [out/secret.yaml]', 'outside-project'],
    ['vars_files: ["-"]', 'outside-project'],
    ['environments: { a: { vars_files: [../missing] } }', 'outside-project'],
    ['vars_files: [secrets/token.yaml]', 'forbidden-file'],
  ])('must be inside its folder, and contain no token: %s', async (line, code) => {
    writeFileSync(at('project/secrets/token.yaml'), token);
    const config = configured('manifests: [manifests]', line);
    const { codes, stderr } = await planned([], { config, tokenFile: at('project/secrets/token.yaml') });
    expect(codes).toEqual([code]);
    expect(stderr).not.toContain('canary');
  });
});

describe('standard input can be used for only one input', () => {
  test.each([
    [{ tokenFile: '-', vars: ['-'] }, [], {}],
    [{ tokenFile: '-', config: '-' }, [], {}],
    [{ vars: ['-'] }, [], { ROLLCALL_TOKEN_FILE: '-' }],
    [{}, ['-'], { ROLLCALL_TOKEN_FILE: '-' }],
    [{ tokenFile: '-' }, ['-'], {}],
    [{ vars: ['-', '-'] }, [], {}],
  ])('%j %j %j', async (options, paths, env) => {
    const run = capture({ contractOnly: true, env: { ROLLCALL_URL: 'http://127.0.0.1:9', ...env } });
    await expect(plan(paths, { output: 'text', ...options }, run.context)).rejects.toThrow(
      /standard input cannot contain both/,
    );
  });
});

describe("a reference in a manifest to one of rollcall's own secrets is refused", () => {
  test.each(['tok', 'link-to-tok', './project/../tok'])('if it reads the token file: %s', async (name) => {
    const { codes, stderr } = await referring(`\${file:${name}}`);
    expect(codes).toEqual(['invalid-reference']);
    expect(stderr).toContain('a manifest may not refer to');
  });

  test.each(['same-as-tok', 'copy', 'tokens/tok.yaml'])(
    'if a file contains the token, wherever it lies: %s',
    async (name) => {
      const { codes, stderr } = await referring(`\${file:${name}}`);
      expect(codes).toEqual(['invalid-reference']);
      expect(stderr).toContain('It contains the access token.');
    },
  );

  test('if it reads another variable that contains the token', async () => {
    const { codes } = await referring('x${env:CI_COPY}', {}, { CI_COPY: token });
    expect(codes).toEqual(['invalid-reference']);
  });

  test.each(['client.key', 'client.pem'])(
    'if it reads the client certificate or its key: %s',
    async (name) => {
      const options = { clientCert: at('client.pem'), clientKey: at('client.key') };
      expect((await referring(`\${file:${name}}`, options)).codes).toEqual(['invalid-reference']);
    },
  );

  test('if it reads the file of certificate authorities, which may contain a key', async () => {
    const options = { caFile: at('client.pem') };
    expect((await referring('${file:client.pem}', options)).codes).toEqual(['invalid-reference']);
  });

  test('if it reads the token of another environment', async () => {
    const config = configured(
      'environments:',
      '  a: { token_env: TOKEN_A }',
      '  b: { token_env: TOKEN_B, token_file: ../other-tok }',
    );
    const env = { TOKEN_A: 'one', TOKEN_B: 'two' };
    for (const reference of ['${env:TOKEN_A}', '${env:TOKEN_B}', '${file:other-tok}'])
      expect((await referring(reference, { config, env: 'a' }, env)).codes).toEqual(['invalid-reference']);
  });

  test.each(['environ', 'cmdline'])(
    'if it reads the environment or arguments of the process: %s',
    async (name) => {
      expect((await referring(`\${file:/proc/self/${name}}`)).codes).toEqual(['invalid-reference']);
    },
  );

  test.each([
    'ROLLCALL_TOKEN',
    'ROLLCALL_CLIENT_KEY_PASSPHRASE',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'http_proxy',
    'https_proxy',
  ])('if it is the variable %s', async (name) => {
    const env = { [name]: 'http://user:hunter-canary@127.0.0.1:1' };
    expect((await referring(`\${env:${name}}`, { tokenFile: at('tok') }, env)).codes).toEqual([
      'invalid-reference',
    ]);
  });

  test('if it is the variable of a --header, with and without a token_env', async () => {
    const header = ['X-Pass: ${env:PASS}', 'X-Other: a ${env:OTHER}'];
    const config = configured('environments: { a: { token_env: TOKEN_A } }');
    const env = { PASS: 'canary-pass', OTHER: 'canary-other', TOKEN_A: token };
    for (const reference of ['${env:PASS}', '${env:OTHER}']) {
      expect((await referring(reference, { header }, env)).codes).toEqual(['invalid-reference']);
      expect((await referring(reference, { header, config, env: 'a' }, env)).codes).toEqual([
        'invalid-reference',
      ]);
    }
  });
});

describe('the settings allow_env and allow_files', () => {
  const names = 'allow_env: [GRAFANA_*, ONE]';
  const env = {
    GRAFANA_KEY: 'canary-1',
    GRAFANA_: 'canary-2',
    ONE: 'canary-3',
    ONES: 'canary-4',
    XGRAFANA_: 'c',
  };

  test.each(['GRAFANA_KEY', 'GRAFANA_', 'ONE'])('allow variables by name or prefix: %s', async (name) => {
    expect((await referring(`\${env:${name}}`, { config: configured(names) }, env)).codes).toEqual([]);
  });

  test.each(['ONES', 'XGRAFANA_'])(
    'refuse other variables, and the error names the setting to add: %s',
    async (name) => {
      const { codes, stderr } = await referring(`\${env:${name}}`, { config: configured(names) }, env);
      expect(codes).toEqual(['invalid-reference']);
      expect(stderr).toContain(`add ${name} to allow_env in rollcall.yaml`);
    },
  );

  test('do not allow files that are always forbidden', async () => {
    const config = configured('allow_env: ["*"]', 'allow_files: [..]');
    const options = { config };
    expect((await referring('${env:ROLLCALL_TOKEN}', options)).codes).toEqual(['invalid-reference']);
    expect((await referring('${file:tok}', options)).codes).toEqual(['invalid-reference']);
    expect((await referring('${file:project/secrets/password}', options)).codes).toEqual([]);
  });

  test.each([
    ['allow_env: []', '${env:ONE}'],
    ['allow_files: []', '${file:project/secrets/password}'],
    ['allow_files: [secrets/]', '${file:elsewhere/secret.yaml}'],
    ['allow_files: [secrets/]', '${file:project/secrets/../../elsewhere/secret.yaml}'],
    ['allow_files: [secrets/]', '${file:project/secrets/out}'],
    ['allow_files: [secrets/pass]', '${file:project/secrets/password}'],
    ['allow_files: [missing/]', '${file:project/secrets/password}'],
  ])('refuse a file if its path, with links followed, is not allowed: %s %s', async (line, reference) => {
    expect((await referring(reference, { config: configured(line) }, env)).codes).toEqual([
      'invalid-reference',
    ]);
  });

  test.each(['secrets', 'secrets/', 'secrets/password', '.'])(
    'allow a file or the files of a folder: %s',
    async (path) => {
      const config = configured(`allow_files: [${path}]`);
      expect((await referring('${file:project/secrets/password}', { config })).codes).toEqual([]);
    },
  );
});
