import { describe, expect, test } from 'vitest';
import { Redactor, redactorOf, redactorOfLong } from '../../src/base/redactor.ts';

const secret = 'tok/SECRET+"123" ü~';

describe('a secret in a string', () => {
  test.each([
    ['in plain form', secret],
    ['in JSON', JSON.stringify(secret)],
    ['in JSON with escaped slashes', JSON.stringify(secret).replaceAll('/', String.raw`\/`)],
    ['in ASCII-only JSON', String.raw`tok/SECRET+\"123\" \u00fc~`],
    ['in a URL', `?t=${encodeURIComponent(secret)}&x=1`],
    ['in a URL within JSON', JSON.stringify({ next: encodeURIComponent(secret) })],
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in a URL whose slashes are kept, as Python does', encodeURIComponent(secret).replaceAll('%2F', '/')],
    [
      'in a URL with lower-case escapes',
      encodeURIComponent(secret).replaceAll(/%../g, (byte) => byte.toLowerCase()),
    ],
    ['in a URL that is encoded as a whole', encodeURI(secret)],
    ['in a URL with every byte escaped', Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&')],
    ['in a form', new URLSearchParams({ secret }).toString().slice('secret='.length)],
    ['in a form with characters outside ASCII kept', secret.replaceAll(' ', '+')],
  ])('is masked %s', (_form, text) => {
    const cleaned = new Redactor([secret]).redact(`before: ${text} :after`);
    expect(cleaned).toMatch(/^before: .*\(sensitive\).* :after$/);
    expect(cleaned).not.toMatch(/SECRET|NFQ1JFV/);
  });

  test('is masked if there are too many secrets to search for each', () => {
    const redactor = new Redactor([
      secret,
      ...Array.from({ length: 2000 }, (_, index) => `tok/OTHER-${index}`),
    ]);
    const text = `${encodeURI(secret)} tok/OTHER tok/OTHER-1999 ${secret} ${btoa('tok/OTHER-77')}`;
    expect(redactor.redact(text)).toBe('(sensitive) tok/OTHER (sensitive) (sensitive) (sensitive)');
    const ofShort = new Redactor(Array.from({ length: 100 }, (_, index) => `s${100 + index}`));
    expect(ofShort.redact('s1 s199')).toBe('s1 (sensitive)');
    const ofShorter = new Redactor(Array.from({ length: 90 }, (_, index) => `s${10 + index}`));
    expect(ofShorter.redact('it ends with s99')).toBe('(sensitive)');
  });

  test('leaves the surrounding text unchanged', () => {
    const inUrl = encodeURIComponent(secret);
    expect(new Redactor([secret]).redact(`%41 %2541 ${inUrl} %41 😀`)).toBe('%41 %2541 (sensitive) %41 😀');
    expect(new Redactor([secret]).redact(`at the end: ${inUrl}`)).toBe('at the end: (sensitive)');
    expect(new Redactor(['0123456789😀']).redact('0123456789%F0%9F%98%80%41')).toBe('(sensitive)%41');
    expect(new Redactor(["it's-8!"]).redact('%zz%ff it%27s-8%21%2')).toBe('%zz%ff (sensitive)%2');
  });

  test('is masked only if the whole secret occurs', () => {
    expect(new Redactor(['hunter2']).redact('hunter22 and hunter')).toBe('(sensitive)2 and hunter');
    expect(new Redactor(['abab']).redact('ababab')).toBe('(sensitive)');
    expect(new Redactor(['hunter2!']).redact(`Basic ${btoa('hunter2!')}`)).toBe('Basic (sensitive)=');
    expect(new Redactor(['one two six']).redact('s=one+two+six')).toBe('s=(sensitive)');
    expect(new Redactor(['>>>>~~??']).redact('jwt.Pj4-Pn5-Pz8.')).toBe('jwt.(sensitive).');
  });

  test('with several lines has each line masked', () => {
    const redactor = new Redactor(['-----BEGIN-----\r\ncanary-line-1\r\ncanary-line-2\n}\n']);
    expect(redactor.maskLine('x: canary-line-1 }')).toBe('x: (sensitive)   }');
    expect(redactor.maskLine('x: canary-line-2 }')).toBe('x: (sensitive)   }');
  });

  test('that overlaps or follows another is masked together with it', () => {
    expect(new Redactor(['first-secret', 'second-secret']).redact('first-secretsecond-secret')).toBe(
      '(sensitive)',
    );
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

test.each([redactorOf, redactorOfLong])(
  'one redactor serves all resources that share a list of secrets',
  (of) => {
    const secrets = [secret];
    expect(of(secrets)).toBe(of(secrets));
  },
);

test('a secret that may occur anywhere is masked if it has at least 8 characters', () => {
  expect(redactorOfLong(['hunter2', 'hunter2!']).redact('hunter2 hunter2!')).toBe('hunter2 (sensitive)');
});
