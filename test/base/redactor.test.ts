import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/base/redactor.ts';

const secret = 'tok/SECRET+"123" ü~';

describe('a secret in a string', () => {
  test.each([
    ['in plain form', secret],
    ['in JSON', JSON.stringify(secret)],
    ['in ASCII-only JSON', String.raw`tok/SECRET+\"123\" \u00fc~`],
    ['in a URL', `?t=${encodeURIComponent(secret)}&x=1`],
    ['in a URL within JSON', JSON.stringify({ next: encodeURIComponent(secret) })],
    ['in base64', Buffer.from(secret).toString('base64')],
  ])('is masked %s', (_form, text) => {
    const cleaned = new Redactor([secret]).redact(`before: ${text} :after`);
    expect(cleaned).toMatch(/^before: .*\(sensitive\).* :after$/);
    expect(cleaned).not.toMatch(/SECRET|NFQ1JFV/);
  });

  test('leaves the surrounding text unchanged', () => {
    const inUrl = encodeURIComponent(secret);
    expect(new Redactor([secret]).redact(`%41 %2541 ${inUrl} %41 😀`)).toBe('%41 %2541 (sensitive) %41 😀');
    expect(new Redactor(['0123456789😀']).redact('0123456789%F0%9F%98%80%41')).toBe('(sensitive)%41');
  });

  test('is masked only if the whole secret occurs', () => {
    expect(new Redactor(['hunter2']).redact('hunter22 and hunter')).toBe('(sensitive)2 and hunter');
    expect(new Redactor(['hunter2!']).redact(`Basic ${btoa('hunter2!')}`)).toBe('Basic (sensitive)=');
  });

  test('with several lines has each line masked', () => {
    const key = '-----BEGIN-----\r\ncanary-line-1\ncanary-line-2\n}\n';
    expect(new Redactor([key]).maskLine('x: canary-line-2 }')).toBe('x: (sensitive)   }');
  });

  test('that overlaps another is masked together with it', () => {
    expect(new Redactor(['one-two', 'two-three', 'sens']).redact('(one-two-three)')).toBe('((sensitive))');
  });

  test('causes the whole string to be masked if the secret is too short to search for', () => {
    expect(new Redactor(['1']).redact('no more than 150')).toBe('(sensitive)');
  });

  test('is masked in a long string, without masking anything else', () => {
    const filler = '%41'.repeat(30_000);
    expect(new Redactor([secret]).redact(`${filler} ${secret}`)).toBe(`${filler} (sensitive)`);
  });

  test('is masked in linear time if one word repeats', () => {
    const redactor = new Redactor(['a'.repeat(60_000)]);
    expect(redactor.redact(`${'a'.repeat(60_000)}b`)).toBe('(sensitive)b');
  });

  test('can be masked without moving the text that follows', () => {
    const covered = new Redactor(['0123456789abcdef']).maskLine('a 0123456789abcdef b');
    expect(covered).toBe('a (sensitive)      b');
    expect(new Redactor(['hunter2!']).maskLine('a hunter2! b')).toBe('a (sensiti b');
  });

  test('is masked in the numbers and keys of a value too', () => {
    const value = { kept12345678: [{ '12345678': 12_345_678 }], x12345678: true };
    expect(new Redactor(['12345678']).redactJson(value, new Set(['kept12345678']))).toEqual({
      kept12345678: [{ '(sensitive)': '(sensitive)' }],
      'x(sensitive)': true,
    });
  });
});
