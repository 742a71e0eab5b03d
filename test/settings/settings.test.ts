import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { shortestOwnSecret, type OwnSecrets } from '../../src/base/own-secrets.ts';
import { settingsFromFlags, type ProjectFlags, type ServiceFlags } from '../../src/commands/flags.ts';
import { root } from '../support/cli.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { projectSettings, serviceSettings } from '../support/settings.ts';
import { baselineFiles } from '../../src/settings/baseline.ts';
import { isInFolderOf } from '../../src/settings/config.ts';
import { runTargetOf } from '../../src/settings/run-target.ts';
import { manifestPaths, readSettings } from '../../src/settings/settings.ts';
import { refuseOtherForm, refuseOtherOptions } from '../../src/settings/given-options.ts';
import { noConfig, type ChosenConfig } from '../../src/settings/values.ts';
import { parseVariableFlags } from '../../src/settings/variables.ts';

const config = readFileSync(join(root, 'examples/environments/rollcall.yaml'), 'utf8');
const files = memoryFiles({
  'rollcall.yaml': config,
  'ops/rollcall.yaml': `${config}\n`,
  'bad.yaml': 'version: 1\nenvironments:\n  staging:\n    urll: https://x\n',
  'more.yaml': 'domain: more.example.com\nextra: 1\n',
});

async function settings(
  flags: ProjectFlags,
  env = {},
): Promise<{ config: ChosenConfig; variables: JsonObject }> {
  const { config: chosen, variables = {}, diagnostics } = await projectSettings(flags, env, files);
  if (chosen === undefined || diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
  return { config: chosen, variables };
}

async function problems(
  flags: ProjectFlags,
  contents: Record<string, string>,
): Promise<readonly Diagnostic[]> {
  return (await projectSettings(flags, {}, memoryFiles(contents))).diagnostics;
}

describe('the settings', () => {
  test('come from the part of rollcall.yaml for the environment that --env or ROLLCALL_ENV names', async () => {
    expect((await settings({ env: 'staging' })).variables).toMatchObject({
      grafana_provider: 3,
      support_email: 'support@example.com',
    });
    expect((await settings({}, { ROLLCALL_ENV: 'production' })).variables).toMatchObject({
      grafana_provider: 12,
    });
    expect((await settings({ env: 'staging' }, { ROLLCALL_ENV: 'production' })).config.url).toBe(
      'https://id.staging.example.com',
    );
  });

  test('have the manifests with paths relative to the settings file', async () => {
    expect((await settings({ config: 'ops/rollcall.yaml' })).config.manifests).toEqual(['ops/manifests']);
  });

  test('have the files of secrets with paths relative to the settings file', async () => {
    const text = 'version: 1\nallow_files: [keys/*]\nallow_texts: [texts/*]\n';
    const { policy } = await projectSettings(
      { config: 'ops/rollcall.yaml' },
      {},
      memoryFiles({ 'ops/rollcall.yaml': text }),
    );
    expect(policy).toMatchObject({ allowFiles: ['ops/keys/*'], allowTexts: ['ops/texts/*'] });
  });

  test('take variables from --var first, then from --vars, and then from rollcall.yaml', async () => {
    const { variables } = await settings({
      env: 'staging',
      vars: ['more.yaml'],
      var: ['extra="2"', 'empty=', 'n=1=2'],
    });
    expect(variables).toMatchObject({
      domain: 'more.example.com',
      extra: '2',
      empty: '',
      n: '1=2',
      grafana_provider: 3,
    });
  });

  test('accept exact numbers from --var', async () => {
    const { variables } = await settings({
      var: ['most=9007199254740991', 'least=-9007199254740991', 'power=1e15', 'part=1.5', 'text="1e22"'],
    });
    expect(variables).toMatchObject({
      most: 9_007_199_254_740_991,
      least: -9_007_199_254_740_991,
      power: 1e15,
      part: 1.5,
      text: '1e22',
    });
  });

  test('explain the limit of numbers in --var, and how to write a string', async () => {
    await expect(projectSettings({ var: ['n=1e22'] }, {}, files)).rejects.toMatchObject({
      hint: `If it is a string, quote it: --var 'n="…"'. Whole numbers go up to 9007199254740991.`,
    });
  });

  test('are invalid if rollcall.yaml is invalid, and the place is reported', async () => {
    expect((await projectSettings({ config: 'bad.yaml' }, {}, files)).diagnostics).toMatchObject([
      {
        code: 'unknown-field',
        detail: 'Did you mean `url`?',
        range: { filename: 'bad.yaml', start: { line: 4, column: 5 } },
      },
    ]);
    expect((await projectSettings({ config: 'none.yaml' }, {}, files)).diagnostics).toMatchObject([
      { code: 'file-not-found' },
    ]);
  });

  test.each([
    ['a list for variables', '- a\n', 'wrong-type', 1],
    ['a reference in a variable', 'a:\n  - x\n  - ${env:SECRET}\n', 'invalid-reference', 3],
  ])('report %s in a --vars file', async (_name, text, code, line) => {
    const broken = { 'v.yaml': text };
    expect(await problems({ vars: ['v.yaml'] }, broken)).toMatchObject([
      { code, range: { filename: 'v.yaml', start: { line } } },
    ]);
  });

  test.each([
    ['a missing file', undefined, 'file-not-found', 1],
    ['a list', '- a\n', 'wrong-type', 1],
    ['a reference', 'a: 1\nb: ${env:SECRET}\n', 'invalid-reference', 2],
  ])('report %s among the vars_files of the chosen environment', async (_name, text, code, line) => {
    const broken = {
      'ops/rollcall.yaml': 'version: 1\nenvironments: { a: { vars_files: [v.yaml] }, b: {} }\n',
      ...(text !== undefined && { 'ops/v.yaml': text }),
    };
    const found = await problems({ config: 'ops/rollcall.yaml', env: 'a' }, broken);
    expect(found).toMatchObject([{ code, range: { filename: 'ops/v.yaml', start: { line } } }]);
    if (text === undefined)
      expect(found[0]?.detail).toBe('Check the path. It is one of `vars_files` in ops/rollcall.yaml.');
    expect(await problems({ config: 'ops/rollcall.yaml', env: 'b' }, broken)).toEqual([]);
  });

  test.each([
    ['an invalid URL', 'url: "htp:/x"', 'invalid-format'],
    ['a reference in a variable', 'vars: { a: "${var:b}" }', 'invalid-reference'],
    ['a number that is too small', 'concurrency: 0', 'invalid-value'],
  ])('report %s in rollcall.yaml', async (_name, text, code) => {
    const broken = { 'rollcall.yaml': `version: 1\nenvironments:\n  a:\n    ${text}\n` };
    expect(await problems({}, broken)).toMatchObject([{ code, range: { start: { line: 4 } } }]);
  });

  test('do not show the token, even if the token is written in the wrong place', async () => {
    const token = 'canary-of-the-environment';
    const mistaken = memoryFiles({ 'rollcall.yaml': `version: 1\nnote: ${token}\n` });
    const { diagnostics } = await projectSettings({}, { ROLLCALL_TOKEN: token }, mistaken);
    expect(diagnostics).toMatchObject([{ code: 'unknown-field', range: { start: { line: 2 } } }]);
    expect(JSON.stringify(diagnostics)).not.toContain(token);
  });

  test('mask the tokens of all environments and the passphrase of the key', async () => {
    const env = { PRODUCTION_TOKEN: 'canary-of-production', ROLLCALL_CLIENT_KEY_PASSPHRASE: 'canary-phrase' };
    const { policy } = await projectSettings({ env: 'staging' }, env, files);
    expect(policy.ownSecrets.texts).toEqual(expect.arrayContaining(Object.values(env)));
    expect(policy.ownSecrets.tokens).toEqual(['canary-of-production']);
  });

  test('do not show a password in a URL of rollcall.yaml', async () => {
    const url = 'https://name:canary@id.example.com';
    const found = await problems(
      {},
      { 'rollcall.yaml': `version: 1\nenvironments: { a: { url: '${url}' } }\n` },
    );
    expect(found).toMatchObject([{ code: 'invalid-format', range: { start: { line: 2 } } }]);
    expect(JSON.stringify(found)).not.toContain('canary');
  });

  test('report that rollcall.yaml cannot be read if its folder is inaccessible', async () => {
    const refusing = async (): Promise<never> => Promise.reject(new Error('its links form a loop'));
    const { diagnostics } = await projectSettings({}, {}, { ...memoryFiles({}), kindOf: refusing });
    expect(diagnostics).toMatchObject([{ code: 'file-unreadable', detail: 'its links form a loop' }]);
  });

  test('do not show a token written into rollcall.yaml', async () => {
    const broken = {
      'rollcall.yaml': 'version: 1\nenvironments:\n  a:\n    token: SUPERSECRET\n',
    };
    const diagnostics = await problems({}, broken);
    expect(diagnostics).toMatchObject([
      { code: 'unknown-field', detail: expect.stringContaining('token_env') as string },
    ]);
    expect(JSON.stringify(diagnostics)).not.toContain('SUPERSECRET');
  });

  test.each(['token_env: [SUPERSECRET]', 'token_file: "SUPERSECRET', 'token: SUPERSECRET: x'])(
    'do not show a token that makes rollcall.yaml invalid: %s',
    async (line) => {
      const broken = { 'rollcall.yaml': `version: 1\nenvironments:\n  a:\n    ${line}\n` };
      const diagnostics = await problems({}, broken);
      expect(diagnostics).not.toEqual([]);
      expect(JSON.stringify(diagnostics)).not.toMatch(/SUPERSECRET|The token itself/);
    },
  );

  test.each([
    [{ env: 'prodution' }, /not in rollcall.yaml/],
    [{ var: ['novalue'] }, /--var cannot be "novalue"/],
    [{ var: ['x=[1'] }, /--var x cannot be "\[1": the closing ] is missing/],
    [{ var: ['n=1e22'] }, /--var n cannot be "1e22": this number is too large to be kept exactly/],
    [{ var: ['n=9007199254740992'] }, /too large to be kept exactly/],
    [{ var: ['n=-9007199254740992'] }, /too large to be kept exactly/],
    [{ var: ['n=.inf'] }, /--var n cannot be ".inf"/],
    [{ env: 'toString' }, /not in rollcall.yaml/],
    [{ env: 'constructor' }, /not in rollcall.yaml/],
  ])('refuse %j', async (flags, message) => {
    await expect(projectSettings(flags, {}, files)).rejects.toThrow(message);
  });

  test.each([
    [{}, { milliseconds: 60_000, isExplicit: false }],
    [{ wait: '0' }, { milliseconds: 0, isExplicit: true }],
    [{ wait: '90' }, { milliseconds: 90_000, isExplicit: true }],
    [{ wait: '86400' }, { milliseconds: 86_400_000, isExplicit: true }],
  ])('contain the time to wait for the service: %j', async (flags, wait) => {
    const env = { ROLLCALL_URL: 'https://id.example.com', ROLLCALL_TOKEN: 't-canary' };
    expect(await serviceSettings(flags, env, { manifests: [], vars: {} }, files)).toMatchObject({ wait });
  });

  test.each(['', '-1', '1.5', '86401', 'long'])('refuse --wait %j', async (wait) => {
    const env = { ROLLCALL_URL: 'https://id.example.com', ROLLCALL_TOKEN: 't-canary' };
    await expect(serviceSettings({ wait }, env, { manifests: [], vars: {} }, files)).rejects.toThrow(
      `--wait cannot be ${JSON.stringify(wait)}`,
    );
  });

  test.each([
    [{ url: 'id.example.com' }, 'the service URL in --url is not a URL'],
    [{}, 'the service URL in ROLLCALL_URL has an unknown scheme'],
  ])('name the source of a wrong URL: %j', async (flags, problem) => {
    const env = { ROLLCALL_URL: 'ftp://id.example.com', ROLLCALL_TOKEN: 't-canary' };
    const read = serviceSettings(flags, env, { manifests: [], vars: {} }, files);
    await expect(read).rejects.toThrow(problem);
  });

  test('come from flags first, then from environment variables, and then from rollcall.yaml', async () => {
    const { config: chosen } = await settings({ env: 'production' });
    const env = { PRODUCTION_TOKEN: 'from-config' };
    const fromFile = await serviceSettings({}, env, chosen, files);
    expect(fromFile).toMatchObject({ baseUrl: 'https://id.example.com', concurrency: 2 });
    expect(fromFile.token.reveal()).toBe('from-config');
    const both = {
      ...env,
      ROLLCALL_URL: 'https://env.example.com',
      ROLLCALL_TOKEN: 'from-env',
      ROLLCALL_CONCURRENCY: '5',
    };
    const { url: _, token_env: __, ...unbound } = chosen;
    const fromEnv = await serviceSettings({ concurrency: '7' }, both, unbound, files);
    expect(fromEnv).toMatchObject({ baseUrl: 'https://env.example.com', concurrency: 7 });
    expect(fromEnv.token.reveal()).toBe('from-env');
    const flags = { url: 'https://flag.example.com', tokenFile: 'token' };
    const withToken = { ...files, ...memoryFiles({ token: 'from-flag' }) };
    const fromFlags = await serviceSettings(flags, both, chosen, withToken);
    expect(fromFlags).toMatchObject({ baseUrl: 'https://flag.example.com', concurrency: 5 });
    expect(fromFlags.token.reveal()).toBe('from-flag');
    await expect(serviceSettings({}, {}, chosen, files)).rejects.toThrow(/no access token/);
  });
});

test('`manifests: [-]` is refused even if a file named - exists, since standard input has no folder', async () => {
  const project = memoryFiles({ 'rollcall.yaml': 'version: 1\nmanifests: ["-"]\n', '-': 'version: 1\n' });
  const { diagnostics } = await projectSettings({}, {}, project);
  expect(diagnostics.map(({ code }) => code)).toEqual(['outside-project']);
});

describe("rollcall's own secrets", () => {
  const own = memoryFiles({
    'rollcall.yaml': 'version: 1\nenvironments: { a: { token_env: A_TOKEN } }\n',
    ca: 'x',
    token: 'token-in-a-file',
  });
  const ownSecrets = async (flags: ProjectFlags & ServiceFlags, env = {}, from = own): Promise<OwnSecrets> =>
    (await projectSettings(flags, env, from)).policy.ownSecrets;

  test('include the file of authorities, and the variables with tokens of other environments', async () => {
    const { files: paths, variables } = await ownSecrets({ caFile: 'ca' });
    expect([...paths]).toEqual([await own.realPath('ca')]);
    expect(variables).toEqual(['A_TOKEN']);
  });

  test('include the passwords of the proxies for http:// and https://', async () => {
    const proxies = { HTTP_PROXY: 'http://me:password-1@proxy', HTTPS_PROXY: 'http://me:password-2@proxy' };
    const { texts } = await ownSecrets({}, proxies);
    expect(texts).toEqual(expect.arrayContaining(['password-1', 'password-2']));
  });

  test('are not read from a pipe, because that would empty the pipe', async () => {
    const pipe = { ...own, kindOf: async () => 'other' as const };
    expect((await ownSecrets({ tokenFile: 'token' })).texts).toEqual(['token-in-a-file']);
    expect((await ownSecrets({ tokenFile: 'token' }, {}, pipe)).texts).toEqual([]);
  });
});

test('the files with settings are rollcall.yaml, its files of variables, and the files of --vars', async () => {
  const contents = {
    'rollcall.yaml': 'version: 1\nvars_files: [a.yaml]\n',
    'a.yaml': 'a: 1\n',
    'b.yaml': 'b: 1\n',
  };
  const read = await projectSettings({ vars: ['b.yaml'] }, { ROLLCALL_ENV: '' }, memoryFiles(contents));
  expect(read.files).toEqual(['rollcall.yaml', 'a.yaml', 'b.yaml']);
});

test.each([
  [{ config: '-', vars: ['-'] }, {}, 'the settings and variables'],
  [{ vars: ['-'] }, { ROLLCALL_TOKEN_FILE: '-' }, 'the token and variables'],
])('standard input cannot contain two inputs: %j, %j', async (given, env, both) => {
  await expect(projectSettings(given, env, files)).rejects.toThrow(
    `standard input cannot contain both ${both}`,
  );
});

test.each([
  ['https://id.example.com/', 'https://id.example.com'],
  ['https://me:canary@id.example.com', undefined],
])('the target of a run with --url %s is %s', async (url, service) => {
  expect((await runTargetOf({ url }, {})).service).toBe(service);
});

test('the environment of the target of a run comes from --env, or else from ROLLCALL_ENV', async () => {
  const env = { ROLLCALL_ENV: 'staging' };
  expect(await runTargetOf({}, env)).toMatchObject({ environment: 'staging', config: 'rollcall.yaml' });
  expect(await runTargetOf({ env: 'a', config: 'b' }, env)).toMatchObject({ environment: 'a', config: 'b' });
});

test('a manifest may read no file that contains a secret of the run', async () => {
  const paths = { tokenFile: 'token', clientCert: 'cert', clientKey: 'key', caFile: 'authorities' };
  const world = { env: { ROLLCALL_TOKEN_FILE: 'other' }, files: memoryFiles({}) };
  const { policy } = await readSettings(await settingsFromFlags(paths, world.env), world, 'manifests');
  const expected = ['token', 'other', 'cert', 'key', 'authorities'].map((name) => `/memory/${name}`);
  expect([...policy.ownSecrets.files].toSorted()).toEqual(expected.toSorted());
});

test('a file of variables may not be a link to a file outside the working directory', async () => {
  const linked = memoryFiles({ 'v.yaml': 'a: 1\n' });
  const realPath = (path: string): Promise<string> =>
    path.endsWith('v.yaml') ? Promise.resolve('/elsewhere/v.yaml') : linked.realPath(path);
  const { diagnostics } = await projectSettings({ vars: ['v.yaml'] }, {}, { ...linked, realPath });
  expect(diagnostics).toMatchObject([{ code: 'link-outside' }]);
});

test('a run that only lists names reads no token', async () => {
  const reads: string[] = [];
  const read = async (path: string): Promise<Uint8Array> => Buffer.from((reads.push(path), 'a-token'));
  const values = await settingsFromFlags({ tokenFile: 'token' }, {});
  await readSettings(values, { env: {}, files: { ...memoryFiles({ token: '' }), read } }, 'names');
  expect(reads).toEqual([]);
});

test('problems of rollcall.yaml are reported even if no manifest is named', async () => {
  const invalid = await projectSettings({}, {}, memoryFiles({ 'rollcall.yaml': 'versoin: 1\n' }));
  expect(manifestPaths(invalid)).toEqual([]);
  const valid = await projectSettings({}, {}, memoryFiles({}));
  expect(() => manifestPaths(valid)).toThrow('no manifest is named');
});

test('a text counts as a secret of the run if it is long enough', async () => {
  const long = 'x'.repeat(shortestOwnSecret);
  for (const [token, expected] of [
    [long, [long]],
    [long.slice(1), []],
  ] as const) {
    const { policy } = await projectSettings({}, { ROLLCALL_TOKEN: token }, memoryFiles({}));
    expect(policy.ownSecrets.tokens).toEqual(expected);
  }
});

test('a baseline in a folder that cannot be read is refused like one that does not exist', async () => {
  const kindOf = (): Promise<never> => Promise.reject(new Error('EACCES'));
  await expect(baselineFiles('../.before', { ...files, kindOf })).rejects.toThrow('there is no such folder');
});

test.each([
  ['.', '../.before/roll'],
  ['m.yaml', '../.before/roll/m.yaml'],
  ['/repo/roll/m.yaml', '/repo/.before/roll/m.yaml'],
  ['/repo/secrets/key', '/repo/.before/secrets/key'],
  ['/other/key', '/other/key'],
])('a baseline reads %s as %s', async (path, expected) => {
  const asked: string[] = [];
  const real = new Map([
    ['.', '/repo/roll'],
    ['../.before/roll', '/repo/.before/roll'],
  ]);
  const world = {
    ...files,
    kindOf: async (name: string) => (asked.push(name), 'folder' as const),
    realPath: async (name: string) => real.get(name) ?? name,
  };
  const baseline = await baselineFiles('../.before/roll', world);
  await baseline.kindOf(path);
  expect(asked.at(-1)).toBe(expected);
});

test.each([
  ['m/a.yaml', true],
  ['m/*.yaml', true],
  ['new/*.yaml', true],
  ['linked/a.yaml', false],
  ['linked/*.yaml', false],
  ['../m/a.yaml', false],
  ['loop', false],
])('%s is inside the folder of rollcall.yaml after links are followed: %s', async (entry, expected) => {
  const linked = memoryFiles({ 'm/a.yaml': '', 'linked/a.yaml': '', loop: '' });
  const realPath = async (path: string): Promise<string> => {
    if (path === 'loop') throw new Error('its links form a loop');
    return (await linked.realPath(path)).replace('/memory/linked', '/elsewhere');
  };
  expect(await isInFolderOf(entry, 'rollcall.yaml', { ...linked, realPath })).toBe(expected);
});

const service = (
  flags: ProjectFlags & ServiceFlags,
  env: Readonly<Record<string, string>> = {},
): Promise<unknown> =>
  serviceSettings(
    flags,
    { ROLLCALL_URL: 'https://id.example.com', ROLLCALL_TOKEN: 'canary-token', ...env },
    noConfig,
    files,
  );

test.each<[what: string, read: () => unknown, hint: string | RegExp]>([
  [
    'an environment with a typing error',
    () => projectSettings({ env: 'stagin' }, {}, files),
    /Did you mean `staging`/,
  ],
  [
    'an unknown environment',
    () => projectSettings({ env: 'zzz' }, {}, files),
    'The environments are: staging, production.',
  ],
  [
    'an environment of a file without environments',
    () => projectSettings({ env: 'zzz' }, {}, memoryFiles({ 'rollcall.yaml': 'version: 1\n' })),
    'It has none.',
  ],
  ['no URL', () => service({}, { ROLLCALL_URL: '' }), /^Set ROLLCALL_URL, use .*or choose an environment/],
  [
    'the header of the token',
    () => service({ header: ['Authorization: x'] }),
    /^This header carries the token/,
  ],
  ['the header of the host', () => service({ header: ['Host: x'] }), 'rollcall sets this header itself.'],
  ['a capability with a typing error', () => service({ capability: ['updat'] }), /Did you mean `update`/],
  ['an unknown capability', () => service({ capability: ['zzz'] }), /^There is: /],
  ['a permission with a typing error', () => service({ allow: ['delet'] }), /Did you mean `delete`/],
  ['an unknown permission', () => service({ allow: ['zzz'] }), /^Choose one of: /],
  [
    'a permission without its capability',
    () => service({ allow: ['update'] }),
    /^Existing records are changed only if/,
  ],
  [
    'a permission with contract_only',
    () => service({ allow: ['update'], contractOnly: true }),
    /^contract_only limits rollcall to three operations/,
  ],
  [
    'a variable that is too large',
    () => parseVariableFlags(['a=9007199254740993']),
    /Whole numbers go up to/,
  ],
  ['a variable that is no YAML', () => parseVariableFlags(['a=[']), /quote it: --var 'a="…"'\.$/],
  [
    'a mixed list',
    () => refuseOtherForm('x', ['a', 1], 'an array of strings'),
    'The given value is an array.',
  ],
  [
    'a mixed mapping',
    () => refuseOtherForm('x', { a: 'a', b: 1 }, 'an object of strings'),
    'The given value is of type object.',
  ],
  [
    'a list in place of a mapping',
    () => refuseOtherForm('x', ['a'], 'an object of strings'),
    'The given value is an array.',
  ],
  [
    'an inherited option',
    () => refuseOtherOptions({ toString: 1 }, { url: 'a string' }),
    'The options are: url.',
  ],
])('%s is refused with advice', async (_, read, hint) => {
  const advice = typeof hint === 'string' ? hint : (expect.stringMatching(hint) as string);
  await expect((async () => read())()).rejects.toThrow(
    expect.objectContaining({ name: 'UsageError', hint: advice }) as Error,
  );
});

test.each([
  ['a=', { a: '' }],
  ['a=12', { a: 12 }],
  ['a="12"', { a: '12' }],
  ['a=b=c', { a: 'b=c' }],
])('the variable %j is read as %j', (flag, variables) => {
  expect(parseVariableFlags([flag])).toEqual(variables);
});

test.each([
  [{ 'rollcall.yaml': 'version: 1\nvars_files: [none.yaml]\n' }, {}, true],
  [{ 'rollcall.yaml': 'version: 1\n' }, { vars: ['none.yaml'] }, false],
])(
  'a missing file of variables is reported with rollcall.yaml if that names it: %j %j',
  async (contents, flags, isNamed) => {
    const [found] = await problems(flags, contents);
    expect(found?.code).toBe('file-not-found');
    expect(found?.detail.includes('It is one of `vars_files` in rollcall.yaml.')).toBe(isNamed);
  },
);
