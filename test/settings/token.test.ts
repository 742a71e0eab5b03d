import { describe, expect, test } from 'vitest';
import { inspect } from 'node:util';
import type { EnvironmentVariables } from '../../src/settings/environment.ts';
import type { Secret } from '../../src/settings/secret.ts';
import { readToken } from '../../src/settings/token.ts';
import { noConfig } from '../../src/settings/values.ts';
import { memoryFiles } from '../support/memory-files.ts';

const files = memoryFiles({ token: 'from-file\n', empty: '\n', two: 'one\ntwo\n' });

function tokenBy(tokenFile: string | undefined, env: EnvironmentVariables): Promise<Secret> {
  return readToken({ values: { tokenFile, nameOf: String }, env, config: noConfig, files });
}

describe('the token', () => {
  test('comes from the flag, or else from the environment', async () => {
    expect((await tokenBy('token', { ROLLCALL_TOKEN: 'from-env' })).reveal()).toBe('from-file');
    expect((await tokenBy(undefined, { ROLLCALL_TOKEN: 'from-env' })).reveal()).toBe('from-env');
    expect((await tokenBy(undefined, { ROLLCALL_TOKEN_FILE: 'token' })).reveal()).toBe('from-file');
  });

  test.each([
    [undefined, {}, /no access token is given/],
    [undefined, { ROLLCALL_TOKEN: 'a', ROLLCALL_TOKEN_FILE: 'token' }, /both set/],
    ['empty', {}, /is empty/],
    ['two', {}, /contains characters that no token has/],
    [undefined, { ROLLCALL_TOKEN: 'Bearer abc' }, /contains characters that no token has/],
    ['missing', {}, /cannot be read/],
  ])('is refused with the flag %j and the environment %j', async (flag, env, message) => {
    await expect(tokenBy(flag, env)).rejects.toThrow(message);
  });

  test('is shown only where the code reveals it on purpose', async () => {
    const token = await tokenBy('token', {});
    const shown = [
      String(token),
      JSON.stringify({ token }),
      inspect({ token }, { depth: 9, showHidden: true }),
    ];
    expect(shown.join()).not.toContain('from-file');
  });
});
