import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { doctor } from '../../src/commands/doctor.ts';
import { plan } from '../../src/commands/plan.ts';
import { sandbox } from '../../src/commands/sandbox.ts';
import { validate } from '../../src/commands/validate.ts';
import { tlsFixture } from '../support/raw-server.ts';
import { capture } from '../support/run.ts';
import { answered } from '../support/scripted-transport.ts';

/* What these secrets hold is what every output of every test is searched for. */
const secrets = {
  token: 'canary-token/Zz9Yy8Xx7Ww6',
  ofAnother: 'canary-of-another-environment',
  header: 'canary-header-Aa1Bb2Cc3',
  password: 'canary-proxy-password',
  passphrase: 'canary-passphrase',
  variable: 'canary-variable-Qq1Ww2',
  file: 'canary-file-Ee3Rr4',
};
const key = tlsFixture('client.key');
const keyLine = key.split('\n')[2] ?? '';

const env = {
  ROLLCALL_URL: 'http://127.0.0.1:9',
  ROLLCALL_TOKEN: secrets.token,
  TOKEN_B: secrets.ofAnother,
  HEADER: secrets.header,
  HTTP_PROXY: `http://me:${secrets.password}@127.0.0.1:1`,
  ROLLCALL_CLIENT_KEY_PASSPHRASE: secrets.passphrase,
  VARIABLE: secrets.variable,
};

const options = {
  header: ['X-Pass: Basic ${env:HEADER}'],
  clientCert: 'client.pem',
  clientKey: 'client.key',
} as const;

function project(manifest: string): Record<string, string> {
  return {
    'rollcall.yaml': 'version: 1\nenvironments: { a: {}, b: { token_env: TOKEN_B } }\n',
    'client.pem': tlsFixture('client.pem'),
    'client.key': key,
    'secret.txt': secrets.file,
    'a.yaml': manifest,
  };
}

const references = 'attributes: { a: "${env:VARIABLE}", b: "${file:secret.txt}" }';

describe('a diagnostic quotes the line of a manifest, but masks', () => {
  test.each([
    ['the token', secrets.token],
    ['the token of another environment', secrets.ofAnother],
    ['the token in URL encoding', encodeURIComponent(secrets.token)],
    ['the token in base64', btoa(secrets.token)],
    ['the secret of a header', secrets.header],
    ['the password of the proxy', secrets.password],
    ['the encoded credentials of the proxy', btoa(`me:${secrets.password}`)],
    ['the passphrase of the key', secrets.passphrase],
    ['the value of a variable that manifests refer to', secrets.variable],
    ['the value of a file that manifests refer to', secrets.file],
    ['a line of the key', keyLine],
  ])('%s', async (_what, secret) => {
    const manifest = `version: 1\nusers:\n  - { username: alice, name: Alice, ${references} }\n  - { username: bob, nome: "x: ${secret} y" }\n`;
    const run = capture({ contractOnly: true, files: project(manifest), env });
    const report = ['html=h', 'json=j', 'junit=u', 'markdown=m'];
    expect(await plan(['a.yaml'], { output: 'text', report, ...options }, run.context)).toBe('invalid');
    expect(run.stderr()).toContain('username: bob, nome: "x:');
    const shown = run.stderr() + run.stdout() + [...run.written.values()].join('');
    expect(shown).not.toContain(secret);
    // The caret stays below the field, even if text before or after it is masked.
    expect(run.stderr()).toMatch(/ {2}\| {22}\^{4}$/m);
  });

  test('the token from an environment variable, even if the command sends nothing', async () => {
    const manifest = `version: 1\nusers: [{ username: bob, nome: ${secrets.token} }] # ${secrets.ofAnother}\n`;
    const run = capture({ contractOnly: true, files: project(manifest), env });
    expect(await validate(['a.yaml'], { output: 'text' }, run.context)).toBe('invalid');
    expect(run.stdout()).toContain('nome: (sensitive)');
  });

  test('the token in a manifest that is refused because it contains the token', async () => {
    const manifest = `version: 1\nusers: [{ username: bob, name: "by ${secrets.ofAnother}" }]\n`;
    const run = capture({ contractOnly: true, files: project(manifest), env });
    expect(await plan(['a.yaml'], { output: 'text', ...options }, run.context)).toBe('invalid');
    expect(run.stderr()).toContain('a.yaml:2:36: error: this is an access token [invalid-value]');
  });

  test.each([
    ['escapes', `by ${secrets.token.replace('c', String.raw`\u0063`)}`, []],
    ['two lines', secrets.token.replace('-', '\\\n      -'), []],
    ['two variables', '${var:x}${var:y}', [`x=${secrets.token.slice(0, 9)}`, `y=${secrets.token.slice(9)}`]],
  ])('the token in a refused value that consists of %s', async (_how, name, assignments) => {
    const manifest = `version: 1\nusers:\n  - username: bob\n    name: "${name}"\n`;
    const run = capture({ contractOnly: true, files: project(manifest), env });
    expect(await plan(['a.yaml'], { output: 'text', var: assignments, ...options }, run.context)).toBe(
      'invalid',
    );
    expect(run.stderr()).toContain('a.yaml:4:11: error: this is an access token [invalid-value]');
  });

  test('the token as the key of an attribute', async () => {
    const escaped = secrets.token.replace('c', String.raw`\u0063`);
    const manifest = `version: 1\nusers:\n  - { username: bob, name: Bob, attributes: { "${escaped}": 1 } }\n`;
    const run = capture({ contractOnly: true, files: project(manifest), env });
    expect(await plan(['a.yaml'], { output: 'text', ...options }, run.context)).toBe('invalid');
    expect(run.stderr()).toContain('error: this is an access token [invalid-value]');
  });

  test.each([
    ['a string', `x=by ${secrets.token}`],
    ['a list', `x=[a, {b: ${secrets.token}}]`],
  ])('the token in %s that is the value of a variable', async (_, assignment) => {
    const manifest = 'version: 1\nusers: [{ username: bob, name: Bob, attributes: { x: "${var:x}" } }]\n';
    const run = capture({ contractOnly: true, files: project(manifest), env });
    expect(await plan(['a.yaml'], { output: 'text', var: [assignment], ...options }, run.context)).toBe(
      'invalid',
    );
    expect(run.stderr()).toContain('a manifest may not refer to `x` [invalid-reference]');
  });

  test('the secrets of a header and of the proxy, in the line of a value that the service rejects', async () => {
    const manifest = `version: 1\nusers:\n  - username: bob\n    name: Bob # ${secrets.header}, ${secrets.password}\n`;
    const run = capture({
      contractOnly: true,
      files: project(manifest),
      env,
      transport: async () => answered(400, { name: ['too long'] }),
    });
    expect(await apply(['a.yaml'], { output: 'text', yes: true, ...options }, run.context)).toBe(
      'incomplete',
    );
    expect(run.stdout() + run.stderr()).toMatch(/4 \| {5}name: Bob # \(sensitive\) +, \(sensitive\)/);
  });
});

test('a log of requests leaves out an id that repeats a secret, and masks secrets in errors', async () => {
  const manifest =
    'version: 1\napplications:\n  - { slug: wiki, name: Wiki }\n  - { slug: news, name: News }\n';
  const run = capture({
    contractOnly: true,
    files: project(manifest),
    env,
    transport: async ({ path }) =>
      path.includes('wiki')
        ? answered(404, { detail: 'Not found.' }, { 'x-authentik-id': encodeURIComponent(secrets.token) })
        : { kind: 'never_sent', error: new Error(`bad header ${secrets.header}`), transient: false },
  });
  expect(await plan(['a.yaml'], { output: 'text', verbose: true, ...options }, run.context)).toBe('failed');
  expect(run.stderr()).toMatch(/applications\/wiki\/ 404 \d+ ms\n/);
  expect(run.stderr()).toMatch(/never sent: bad header ?\(sensitive\)/);
});

describe('a diagnostic about settings masks', () => {
  test.each([
    [
      'a variable file',
      { vars: ['vars.yaml'] },
      { 'vars.yaml': `a: ${secrets.token}\na: "\${x}" # ${secrets.token}\n` },
    ],
    ['rollcall.yaml', {}, { 'rollcall.yaml': `version: 1\nurl: https://x/?${secrets.token}\n` }],
  ])('the token in %s', async (_, flags, files) => {
    const run = capture({ contractOnly: true, files: { ...project('version: 1\n'), ...files }, env });
    expect(await validate(['a.yaml'], { output: 'text', ...flags }, run.context)).toBe('invalid');
    expect(run.stdout()).toContain('(sensitive)');
  });

  test('the token in the settings, even if the command reads no manifests', async () => {
    const files = { 'rollcall.yaml': `version: 1\nurl: https://x/?${secrets.token}\n` };
    const run = capture({ contractOnly: true, files, env });
    expect(await doctor([], { output: 'text' }, run.context)).toBe('invalid');
    expect(run.stderr()).toContain('(sensitive)');
  });

  test.each(['token', 'my_token', 'secret', 'client_secret', 'password', 'passphrase', 'api_key'])(
    'any text under the key %s',
    async (name) => {
      const files = { 'rollcall.yaml': `version: 1\nenvironments:\n  a:\n    ${name}: 'unknown canary'\n` };
      const run = capture({ contractOnly: true, files, env: {} });
      expect(await validate(['a.yaml'], { output: 'text' }, run.context)).toBe('invalid');
      expect(run.stdout()).toContain(`rollcall.yaml:4:5`);
    },
  );
});

test.each([
  [{}, '127.0.0.1'],
  [{ NO_PROXY: 'a.example' }, 'a.example,127.0.0.1'],
  [{ NO_PROXY: 'a.example', no_proxy: 'b.example' }, 'b.example,127.0.0.1'],
])('a command reaches the sandbox without a proxy, with the variables %j', async (given, hosts) => {
  const { context } = capture({ env: { ...env, ...given } });
  await sandbox(['true'], {}, context, async (_command, passed) => {
    expect(passed).toMatchObject({ NO_PROXY: hosts, no_proxy: hosts });
    return 0;
  });
});

describe('a seed of the sandbox', () => {
  const run = async () => 0;

  test('that contains the token is refused, and not quoted', async () => {
    const { context, stderr } = capture({ contractOnly: true, files: { 'seed.yaml': secrets.token }, env });
    expect(await sandbox([], { seed: 'seed.yaml' }, context, run)).toBe('invalid');
    expect(stderr()).toContain('(sensitive)');
  });

  test('is refused if it is the token file', async () => {
    const tokenFile = { ...env, ROLLCALL_TOKEN: '', ROLLCALL_TOKEN_FILE: 'tok' };
    const { context, stderr } = capture({
      contractOnly: true,
      files: { tok: secrets.token },
      env: tokenFile,
    });
    expect(await sandbox([], { seed: 'tok' }, context, run)).toBe('invalid');
    expect(stderr()).toContain('[forbidden-file]');
  });
});

describe('a diagnostic quotes the line of rollcall.yaml, but masks', () => {
  test.each([
    ['the secret of a header', secrets.header],
    ['the password of the proxy', secrets.password],
    ['a line of the key', keyLine],
  ])('%s, even without the URL of a service', async (_what, secret) => {
    const files = { ...project(''), 'rollcall.yaml': `version: 1\nfoo: ${secret}\n` };
    const run = capture({ contractOnly: true, files, env: { ...env, ROLLCALL_URL: '' } });
    expect(await plan(['a.yaml'], { output: 'text', ...options }, run.context)).toBe('invalid');
    expect(run.stderr()).toMatch(/2 \| foo: ?\(sensitive\)/);
    expect(run.stderr()).not.toContain(secret);
  });

  test.each([
    [
      'a URL with a user name',
      'environments: { a: { url: "https://me:canary-in-a-url@id.example.com" } }',
      'the service URL contains a user name',
    ],
    [
      'a URL in an unknown field',
      'environments: { a: { uri: "https://me:canary-in-a-url@id.example.com" } }',
      'unknown field `uri`',
    ],
  ])('the password of %s', async (_, line, words) => {
    const run = capture({
      contractOnly: true,
      files: { ...project(''), 'rollcall.yaml': `version: 1\n${line}\n` },
      env,
    });
    expect(await validate(['a.yaml'], { output: 'text' }, run.context)).toBe('invalid');
    expect(run.stdout()).toContain(words);
    expect(run.stdout()).not.toContain('canary-in-a-url');
  });
});
