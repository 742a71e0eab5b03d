import { describe, expect, test } from 'vitest';
import type { ProjectFlags, ServiceFlags } from '../../src/commands/flags.ts';
import { readToken } from '../../src/settings/token.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { projectSettings, serviceSettings } from '../support/settings.ts';
import type { ChosenConfig } from '../../src/settings/values.ts';

const files = memoryFiles({
  'ops/rollcall.yaml': `
version: 1
manifests: [all]
concurrency: 2
vars_files: [vars/all.yaml]
vars: { domain: for-all, team: core }
environments:
  staging:
    manifests: [staging, /memory/ops/whole]
    concurrency: 3
    vars_files: [vars/staging.yaml]
    vars: { domain: for-staging }
    token_file: secrets/staging
  production:
    token_env: PRODUCTION_TOKEN
    token_file: /memory/ops/secrets/production
`,
  'ops/vars/all.yaml': 'region: somewhere\n',
  'ops/vars/staging.yaml': 'region: here\n',
  'ops/secrets/staging': 'token-of-staging\n',
  '/memory/ops/secrets/production': 'token-of-production\n',
  flagged: 'token-of-the-flag\n',
});

async function chosen(env?: string, flags: ProjectFlags = {}): Promise<ChosenConfig> {
  const named = { config: 'ops/rollcall.yaml', ...(env !== undefined && { env }), ...flags };
  const { config, diagnostics } = await projectSettings(named, {}, files);
  expect(diagnostics).toEqual([]);
  return config ?? expect.fail('there is no configuration');
}

describe('an environment of rollcall.yaml overrides the top level', () => {
  test('for each variable', async () => {
    expect((await chosen('staging')).vars).toEqual({ domain: 'for-staging', team: 'core' });
    expect((await chosen('production')).vars).toEqual({ domain: 'for-all', team: 'core' });
    expect((await chosen()).vars).toEqual({ domain: 'for-all', team: 'core' });
  });

  test('for vars_files, but the vars_files of the top level are read too', async () => {
    expect((await chosen()).vars_files).toEqual(['ops/vars/all.yaml']);
    expect((await chosen('production')).vars_files).toEqual(['ops/vars/all.yaml']);
    expect((await chosen('staging')).vars_files).toEqual(['ops/vars/all.yaml', 'ops/vars/staging.yaml']);
  });

  test('for the number of requests', async () => {
    expect((await chosen('staging')).concurrency).toBe(3);
    expect((await chosen('production')).concurrency).toBe(2);
  });

  test('for manifests, with paths relative to the folder of rollcall.yaml', async () => {
    expect((await chosen('staging')).manifests).toEqual(['ops/staging', '/memory/ops/whole']);
    expect((await chosen('production')).manifests).toEqual(['ops/all']);
    expect((await chosen('staging')).token_file).toBe('ops/secrets/staging');
    expect((await chosen('production')).token_file).toBe('/memory/ops/secrets/production');
  });
});

test('the environments are listed if none is chosen', async () => {
  expect(Object.keys((await chosen()).choices ?? {})).toEqual(['staging', 'production']);
  expect((await chosen('staging')).choices).toBeUndefined();
});

test('variables come from seven places, and a later place overrides an earlier one', async () => {
  // Each place sets its own variable and those of all later places. So each variable has the value from the last place that may
  // set it.
  const said = (place: number): string =>
    Array.from({ length: 7 - place }, (_, index) => `v${place + index}: ${place}`).join('\n');
  const inline = (place: number): string => `{ ${said(place).replaceAll('\n', ', ')} }`;
  const places = memoryFiles({
    'rollcall.yaml': `version: 1
vars_files: [a.yaml, b.yaml]
vars: ${inline(3)}
environments: { e: { vars_files: [c.yaml], vars: ${inline(4)} } }
`,
    'a.yaml': said(0),
    'b.yaml': said(1),
    'c.yaml': said(2),
    'd.yaml': said(5),
  });
  const flags = { env: 'e', vars: ['d.yaml'], var: ['v6=6'] };
  const { variables, diagnostics } = await projectSettings(flags, {}, places);
  expect(diagnostics).toEqual([]);
  expect(variables).toEqual({ v0: 0, v1: 1, v2: 2, v3: 3, v4: 4, v5: 5, v6: 6 });
});

describe('the token comes', () => {
  const inEnvironment = { ROLLCALL_TOKEN: 'token-of-the-environment' };
  const inFile = { ROLLCALL_TOKEN_FILE: 'flagged' };

  test.each<[string, string, string | undefined, Record<string, string>, string]>([
    [
      'from the file of the flag, whatever else is set',
      'staging',
      'flagged',
      inEnvironment,
      'token-of-the-flag',
    ],
    [
      'from the file of the flag, even if two variables are set',
      'staging',
      'flagged',
      { ...inEnvironment, ...inFile },
      'token-of-the-flag',
    ],
    ['from the variable ROLLCALL_TOKEN', 'staging', undefined, inEnvironment, 'token-of-the-environment'],
    ['from the file that ROLLCALL_TOKEN_FILE names', 'staging', undefined, inFile, 'token-of-the-flag'],
    ['from the file that rollcall.yaml names', 'staging', undefined, {}, 'token-of-staging'],
    ['from the variable that rollcall.yaml names', 'production', undefined, { PRODUCTION_TOKEN: 'p' }, 'p'],
    [
      'from the file that rollcall.yaml names if its variable is not set',
      'production',
      undefined,
      {},
      'token-of-production',
    ],
    [
      'from the file that rollcall.yaml names if its variable is empty',
      'production',
      undefined,
      { PRODUCTION_TOKEN: '' },
      'token-of-production',
    ],
  ])('%s', async (_, environment, flag, env, expected) => {
    const values = { tokenFile: flag, nameOf: String };
    expect((await readToken({ values, env, config: await chosen(environment), files })).reveal()).toBe(
      expected,
    );
  });
});

describe('a numeric setting', () => {
  const config: ChosenConfig = { manifests: [], vars: {} };
  const env = { ROLLCALL_URL: 'https://id.example.com', ROLLCALL_TOKEN: 't' };

  test.each<[ServiceFlags, object]>([
    [{ timeout: '1' }, { timeoutMs: 1000 }],
    [{ timeout: '3600' }, { timeoutMs: 3_600_000 }],
    [{ concurrency: '1' }, { concurrency: 1 }],
    [{ concurrency: '1000' }, { concurrency: 1000 }],
    [{}, { timeoutMs: 60_000, concurrency: 8 }],
  ])('is accepted up to its bounds: %j', async (flags, expected) => {
    expect(await serviceSettings(flags, env, config, files)).toMatchObject(expected);
  });

  test.each<[ServiceFlags, string]>([
    [{ timeout: '0' }, '--timeout cannot be "0"'],
    [{ timeout: '3601' }, '--timeout cannot be "3601"'],
    [{ timeout: '1.5' }, '--timeout cannot be "1.5"'],
    [{ timeout: '' }, '--timeout cannot be ""'],
    [{ timeout: '-1' }, '--timeout cannot be "-1"'],
    [{ timeout: '1e3' }, '--timeout cannot be "1e3"'],
    [{ concurrency: '0' }, '--concurrency cannot be "0"'],
    [{ concurrency: '1001' }, '--concurrency cannot be "1001"'],
  ])('is refused beyond its bounds: %j', async (flags, message) => {
    await expect(serviceSettings(flags, env, config, files)).rejects.toThrow(message);
  });
});
