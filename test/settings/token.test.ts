import { describe, expect, test } from 'vitest';
import { inspect } from 'node:util';
import { readToken } from '../../src/settings/token.ts';
import { memoryFiles } from '../support/memory-files.ts';

const files = memoryFiles({ token: 'from-file\n', empty: '\n', two: 'one\ntwo\n' });

describe('the token', () => {
  test('comes from the flag before it comes from the environment', async () => {
    expect(
      (
        await readToken({ tokenFile: 'token', nameOf: String }, { ROLLCALL_TOKEN: 'from-env' }, {}, files)
      ).reveal(),
    ).toBe('from-file');
    expect(
      (
        await readToken({ tokenFile: undefined, nameOf: String }, { ROLLCALL_TOKEN: 'from-env' }, {}, files)
      ).reveal(),
    ).toBe('from-env');
    expect(
      (
        await readToken({ tokenFile: undefined, nameOf: String }, { ROLLCALL_TOKEN_FILE: 'token' }, {}, files)
      ).reveal(),
    ).toBe('from-file');
  });

  test.each([
    [undefined, {}, /no access token is given/],
    [undefined, { ROLLCALL_TOKEN: 'a', ROLLCALL_TOKEN_FILE: 'token' }, /both set/],
    ['empty', {}, /is empty/],
    ['two', {}, /holds characters that no token has/],
    [undefined, { ROLLCALL_TOKEN: 'Bearer abc' }, /holds characters that no token has/],
    ['missing', {}, /cannot be read/],
  ])('from %j and %j is refused', async (flag, env, message) => {
    await expect(readToken({ tokenFile: flag, nameOf: String }, env, {}, files)).rejects.toThrow(message);
  });

  test('shows itself nowhere but where it is revealed', async () => {
    const token = await readToken({ tokenFile: 'token', nameOf: String }, {}, {}, files);
    const shown = [
      String(token),
      JSON.stringify({ token }),
      inspect({ token }, { depth: 9, showHidden: true }),
    ];
    expect(shown.join()).not.toContain('from-file');
  });
});
