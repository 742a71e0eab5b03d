import { describe, expect, test } from 'vitest';
import { parseHeaderFlag, readHeaders, type ExtraHeader } from '../../src/settings/headers.ts';

const headersOf = (flags: readonly string[], env: Record<string, string>): readonly ExtraHeader[] =>
  readHeaders(
    flags.map((flag) => parseHeaderFlag(flag, env)),
    () => '--header',
  );

const read = (flags: readonly string[], env: Record<string, string> = {}): [string, string][] =>
  headersOf(flags, env).map(({ name, value }) => [name, value.reveal()]);

describe('a header set by a program', () => {
  test('is refused with a message that names no flag', () => {
    const reading = (): unknown => readHeaders([{ name: 'Authorization', value: 'x' }], () => 'headers');
    expect(reading).toThrow(expect.objectContaining({ hint: expect.not.stringContaining('--') }));
  });
});

describe('the option --header', () => {
  test.each([
    ['X-Team: identity', 'x-team', 'identity'],
    ['X-Team:identity', 'x-team', 'identity'],
    ['X-Url:  https://example.com/a:b ', 'x-url', 'https://example.com/a:b'],
    ['X-Pass: Basic ${env:PASS}', 'x-pass', 'Basic p4ss'],
    ['X-Money: $5 {env:PASS}', 'x-money', '$5 {env:PASS}'],
  ])('accepts %j', (flag, name, value) => {
    expect(read([flag], { PASS: 'p4ss\n' })).toEqual([[name, value]]);
  });

  test.each([
    ['X-Team', /form NAME: VALUE/],
    [': identity', /form NAME: VALUE/],
    ['X Team: identity', /form NAME: VALUE/],
    ['Authorization: Bearer hidden', /cannot set Authorization/],
    ['HOST: other', /cannot set HOST/],
    ['X-Pass: ${env:NONE}', /X-Pass needs the variable NONE/],
    ['X-Pass: ${env:toString}', /X-Pass needs the variable toString/],
    ['Accept-Encoding: gzip', /cannot set Accept-Encoding/],
    ['Proxy-Authorization: hidden', /cannot set Proxy-Authorization/],
    ['X-Team:', /X-Team cannot have this value/],
    ['X-Team: a\r\nX-Other: hidden', /X-Team cannot have this value/],
    ['X-Team: hidden\u00e9', /X-Team cannot have this value/],
  ])('refuses %j, and repeats no value', (flag, message) => {
    const reading = (): unknown => read([flag]);
    expect(reading).toThrow(message);
    expect(reading).toThrow(expect.objectContaining({ name: 'UsageError' }));
    expect(reading).not.toThrow(/hidden/);
    expect(reading).toThrow(
      expect.not.objectContaining({ hint: expect.stringContaining('hidden') as string }),
    );
  });

  test('masks the secrets within a value', () => {
    const [header] = headersOf(['X-Pass: Basic me:${env:PASS}'], { PASS: 'canary-pass' });
    expect(header?.secrets.map((secret) => secret.reveal())).toEqual([
      'Basic me:canary-pass',
      'me:canary-pass',
      'canary-pass',
    ]);
  });

  test('refuses a header that is given twice', () => {
    expect(() => read(['X-Team: a', 'x-team: b'])).toThrow('--header x-team is given twice');
  });
});
