import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { settingsFromFlags, type ProjectFlags, type ServiceFlags } from '../../src/commands/flags.ts';
import { readSettings } from '../../src/settings/settings.ts';
import type { ServiceSettings } from '../../src/settings/service-settings.ts';
import { memoryFiles } from '../support/memory-files.ts';

const files = memoryFiles({
  'rollcall.yaml': `
version: 1
environments:
  production: { url: 'https://id.example.com/', token_env: PRODUCTION_TOKEN }
  from-file: { url: 'https://id.example.com', token_file: production.token }
  from-either: { url: 'https://id.example.com', token_env: PRODUCTION_TOKEN, token_file: production.token }
  from-nowhere: { url: 'https://id.example.com', token_file: missing.token }
  outside: { url: 'https://id.example.com', token_file: /run/outside.token }
  usual: { url: 'https://id.example.com', token_env: ROLLCALL_TOKEN }
  open: { vars: { a: 1 } }
`,
  'production.token': 'canary-production\n',
  'other.token': 'canary-other\n',
  '/run/outside.token': 'canary-production\n',
});

type Flags = ProjectFlags & ServiceFlags;
type Variables = Readonly<Record<string, string>>;

async function serviceOf(flags: Flags, env: Variables): Promise<ServiceSettings> {
  const settings = await readSettings(await settingsFromFlags(flags, env), { env, files }, 'service');
  return settings.service ?? expect.fail('there is no service');
}

async function refusalOf(flags: Flags, env: Variables): Promise<UsageError> {
  const error: unknown = await serviceOf(flags, env).catch((reason: unknown) => reason);
  if (!(error instanceof UsageError)) return expect.fail(`it is not refused: ${String(error)}`);
  expect(error.message + error.hint).not.toContain('canary');
  return error;
}

const own = { PRODUCTION_TOKEN: 'canary-production' };

describe('ROLLCALL_URL', () => {
  test('is refused if it is not the URL of the chosen environment, and the message has both URLs', async () => {
    const elsewhere = { ...own, ROLLCALL_URL: 'https://id.staging.example.com' };
    const said = {
      message:
        'ROLLCALL_URL is https://id.staging.example.com, and the environment "production" is at https://id.example.com',
      hint: 'Unset ROLLCALL_URL, or choose one of the two URLs with --url.',
    };
    expect(await refusalOf({ env: 'production' }, elsewhere)).toMatchObject(said);
    expect(await refusalOf({}, { ...elsewhere, ROLLCALL_ENV: 'production' })).toMatchObject(said);
  });

  test.each<[string, Flags, Variables, string]>([
    [
      "it is the environment's URL in another spelling",
      {},
      { ROLLCALL_URL: 'HTTPS://ID.example.com:443' },
      '',
    ],
    ['--url decides', { url: 'https://a.example.com' }, { ROLLCALL_URL: 'https://b' }, 'a'],
    [
      'the environment has no URL',
      { env: 'open' },
      { ROLLCALL_URL: 'https://b.example.com', ROLLCALL_TOKEN: 'c' },
      'b',
    ],
    ['it is empty', {}, { ROLLCALL_URL: '' }, ''],
  ])('is accepted with a chosen environment if %s', async (_, flags, env, host) => {
    const { baseUrl, environment } = await serviceOf({ env: 'production', ...flags }, { ...own, ...env });
    expect(baseUrl).toBe(host === '' ? 'https://id.example.com' : `https://${host}.example.com`);
    expect(environment).toBe(flags.env ?? 'production');
  });

  test("is the service's URL if no environment is chosen", async () => {
    const env = { ROLLCALL_URL: 'https://b.example.com', ROLLCALL_TOKEN: 'canary-b' };
    expect(await serviceOf({}, env)).toMatchObject({ baseUrl: 'https://b.example.com' });
    expect((await serviceOf({}, env)).environment).toBe(undefined);
  });
});

describe('the general token with a chosen environment', () => {
  const other = { ROLLCALL_TOKEN: 'canary-other' };
  const otherFile = { ROLLCALL_TOKEN_FILE: 'other.token' };

  test.each<[string, Variables, string]>([
    [
      'production',
      { ...own, ...other },
      'ROLLCALL_TOKEN is set, … from PRODUCTION_TOKEN, which contains a different token',
    ],
    ['production', other, 'ROLLCALL_TOKEN is set, … from PRODUCTION_TOKEN, which contains no token'],
    [
      'production',
      { ...own, ...otherFile },
      'ROLLCALL_TOKEN_FILE is set, … PRODUCTION_TOKEN, which contains a different token',
    ],
    [
      'from-file',
      other,
      'ROLLCALL_TOKEN is set, … from the file production.token, which contains a different token',
    ],
    [
      'from-file',
      otherFile,
      'ROLLCALL_TOKEN_FILE is set, … from the file production.token, which contains a different token',
    ],
    ['from-nowhere', other, 'from the file missing.token, which contains no token'],
    [
      'from-either',
      other,
      'from PRODUCTION_TOKEN or the file production.token, which contains a different token',
    ],
    [
      'from-either',
      { PRODUCTION_TOKEN: 'canary-x', ROLLCALL_TOKEN: 'canary-production' },
      'which contains a different token',
    ],
  ])("is refused if it differs from the environment's: %s with %o", async (env, variables, said) => {
    const { message, hint } = await refusalOf({ env }, variables);
    for (const part of said.split('…')) expect(message).toContain(part.trim());
    expect(message).toContain(`the environment "${env}"`);
    expect(hint).toMatch(/^(Unset ROLLCALL_TOKEN(_FILE)?|Set the token in .*), or set --token-file to .*\.$/);
  });

  test('is required if the token file of the environment is outside the folder of rollcall.yaml', async () => {
    expect((await refusalOf({ env: 'outside' }, {})).message).toContain(
      'is not below the folder of rollcall.yaml',
    );
  });

  test('is refused with --url too, as it is unclear which token the service of --url should get', async () => {
    const flags = { env: 'production', url: 'https://a.example.com' };
    expect((await refusalOf(flags, { ...own, ...other })).message).toContain(
      'which contains a different token',
    );
  });

  test.each<[string, Flags, Variables, string]>([
    ['production', {}, { ...own, ROLLCALL_TOKEN: ' canary-production\n' }, 'canary-production'],
    ['production', {}, { ...own, ROLLCALL_TOKEN_FILE: 'production.token' }, 'canary-production'],
    ['from-file', {}, { ROLLCALL_TOKEN: 'canary-production' }, 'canary-production'],
    ['outside', {}, { ROLLCALL_TOKEN: 'canary-production' }, 'canary-production'],
    ['from-file', {}, { ROLLCALL_TOKEN_FILE: 'production.token' }, 'canary-production'],
    ['production', { tokenFile: 'other.token' }, { ...own, ROLLCALL_TOKEN: 'canary-third' }, 'canary-other'],
    ['production', {}, own, 'canary-production'],
    ['usual', {}, other, 'canary-other'],
    ['usual', {}, otherFile, 'canary-other'],
    ['open', { url: 'https://a.example.com' }, other, 'canary-other'],
  ])('is used if unambiguous: %s, %o, %o', async (env, flags, variables, token) => {
    expect((await serviceOf({ env, ...flags }, variables)).token.reveal()).toBe(token);
  });
});

test('in the sandbox, every environment leads to the sandbox, and other services are refused', async () => {
  const sandbox = 'http://127.0.0.1:8650';
  const env = { ...own, ROLLCALL_URL: sandbox, ROLLCALL_SANDBOX: sandbox, ROLLCALL_TOKEN: 'canary-sandbox' };
  const { baseUrl, environment, token } = await serviceOf({ env: 'production' }, env);
  expect([baseUrl, environment, token.reveal()]).toEqual([sandbox, 'production', 'canary-sandbox']);
  await refusalOf({ env: 'production' }, { ...env, ROLLCALL_URL: 'http://127.0.0.1:8651' });
  await refusalOf({ env: 'production', url: 'https://id.example.com' }, env);
});

test('validate accepts a second service and a second token, and both tokens are masked', async () => {
  const env = { ...own, ROLLCALL_URL: 'https://elsewhere.example.com', ROLLCALL_TOKEN_FILE: 'other.token' };
  const values = await settingsFromFlags({ env: 'production' }, env);
  const { policy, diagnostics } = await readSettings(values, { env, files }, 'manifests');
  expect(diagnostics).toEqual([]);
  expect(policy.ownSecrets.texts).toEqual(expect.arrayContaining(['canary-production', 'canary-other']));
});
