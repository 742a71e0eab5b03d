import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/base/redactor.ts';

/** Pieces of a secret are blanked out from this length on. */
const pieceLength = 12;

const secret = 'tok/SECRET+"123" ü~';

describe('a secret', () => {
  test.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify(secret)],
    ['in JSON that is ASCII alone', String.raw`tok/SECRET+\"123\" \u00fc~`],
    ['in a URL', `?t=${encodeURIComponent(secret)}&x=1`],
    ['in a URL, in lower case', encodeURIComponent(secret).toLowerCase().replace('secret', 'SECRET')],
    ['in a URL, escaped no more than it must be', encodeURI(secret)],
    ['in a form', new URLSearchParams({ secret }).toString()],
    ['in a URL within JSON', JSON.stringify({ next: encodeURIComponent(secret) })],
    ['in base64', btoa(Buffer.from(secret).toString('latin1'))],
    ['in base64 for URLs, without padding', Buffer.from(`?${secret}`).toString('base64url')],
    ['after Bearer, in base64', Buffer.from(`Bearer ${secret}`).toString('base64')],
    ['as a password, in base64', `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`],
    ['in base64, in a URL', encodeURIComponent(Buffer.from(`x:${secret}`).toString('base64'))],
  ])('is found %s', (_form, text) => {
    const cleaned = new Redactor([secret]).clean(`before: ${text} :after`);
    expect(cleaned).toMatch(/^before: .*\(sensitive\).* :after$/);
    expect(cleaned).not.toMatch(/SECRET|U0VDUkVU|NFQ1JFV|TRUNSRV/);
  });

  test('leaves what stands around it as it was written', () => {
    const inUrl = encodeURIComponent(secret);
    expect(new Redactor([secret]).clean(`%41 %2541 ${inUrl} %41 😀`)).toBe('%41 %2541 (sensitive) %41 😀');
    expect(new Redactor(['0123456789😀']).clean('0123456789%F0%9F%98%80%41')).toBe('(sensitive)%41');
  });

  test('is found in what is left of it, from twelve characters on', () => {
    const redactor = new Redactor(['0123456789abcdefghij']);
    expect(redactor.clean('bad token 456789abcdef…')).toBe('bad token (sensitive)…');
    expect(redactor.clean('bad token 456789abcde…')).toBe('bad token 456789abcde…');
  });

  test('that is shorter than such a piece is found as a whole', () => {
    expect(new Redactor(['hunter2']).clean('hunter22 and hunter')).toBe('(sensitive)2 and hunter');
    expect(new Redactor(['hunter2!']).clean(`Basic ${btoa('me:hunter2!')}`)).toBe('Basic (sensitive)');
  });

  test('too short to be kept apart from other words takes the whole text with it', () => {
    expect(new Redactor(['1']).clean('no more than 150')).toBe('(sensitive)');
  });

  test('is found in a long text, and nothing else is blanked out there', () => {
    const filler = '%41'.repeat(30_000);
    expect(new Redactor([secret]).clean(`${filler} ${secret}`)).toBe(`${filler} (sensitive)`);
  });

  test('of one word over and over is found, where a search by every piece of it would not end', () => {
    const redactor = new Redactor(['a'.repeat(60_000)]);
    expect(redactor.clean(`${'a'.repeat(60_000)}b`)).toBe('(sensitive)b');
  });

  test('can be covered, so that what follows keeps its column', () => {
    const covered = new Redactor(['0123456789abcdef']).cover('a 0123456789abcdef b');
    expect(covered).toBe('a (sensitive)      b');
    expect(new Redactor(['hunter2!']).cover('a hunter2! b')).toBe('a (sensiti b');
  });

  test('is found in the numbers and names of a value, too', () => {
    const value = { kept12345678: [{ '12345678': 12_345_678 }], x12345678: true };
    expect(new Redactor(['12345678']).cleanJson(value, new Set(['kept12345678']))).toEqual({
      kept12345678: [{ '(sensitive)': '(sensitive)' }],
      'x(sensitive)': true,
    });
  });
});

/** All pieces of a text that are long enough to say something. */
function piecesOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - pieceLength + 1) }, (_, at) =>
    text.slice(at, at + pieceLength),
  );
}

/** Half a character cannot be written in UTF-8. */
function isWhole(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

/** What a text says in base64, wherever in it that begins. */
function fromBase64(text: string): string {
  return [0, 1, 2, 3]
    .flatMap((from) => (text.match(/[\w+/-]+/g) ?? []).map((run) => Buffer.from(run.slice(from), 'base64')))
    .map((bytes) => bytes.toString('latin1'))
    .join('\n');
}

const upper = (text: string): string => encodeURIComponent(text);
const lower = (text: string): string => upper(text).replace(/%../g, (escape) => escape.toLowerCase());
const inAscii = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Each way to write a text, and how to tell that a text so written holds a piece of another. */
const writings: readonly [name: string, write: (text: string) => string][] = [
  ['as it is', (text) => text],
  ['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['in JSON that is ASCII alone', inAscii],
  ['in a URL', upper],
  ['in a URL, in lower case', lower],
  ['in a URL, escaped no more than it must be', encodeURI],
  ['in a form', (text) => new URLSearchParams({ '': text }).toString().slice(1)],
];

const wellFormed = fc.string({ unit: 'grapheme', minLength: pieceLength, maxLength: 60 });
const ascii = fc.string({ unit: 'grapheme-ascii', minLength: pieceLength, maxLength: 60 });
/**
 * A backslash at the end would make another text of the escape that follows, and so would `%0` of the first letter: a URL with
 * `%0c` holds no c.
 */
const surrounding = fc
  .string({ unit: 'grapheme-ascii', maxLength: 20 })
  .filter((text) => !/(?:\\|%[\da-f]?)$/i.test(text));

/** A secret and a piece of it. */
const secretAndPiece = fc
  .oneof(ascii, wellFormed)
  .chain((text) =>
    fc.tuple(
      fc.constant(text),
      fc.nat(text.length - pieceLength),
      fc.integer({ min: pieceLength, max: text.length }),
    ),
  )
  .map(([text, from, length]) => [text, text.slice(from, from + length)] as const)
  .filter(([, piece]) => isWhole(piece));

describe('of any secret', () => {
  test.each(writings)(
    'no piece of twelve characters is left, whatever stands around it: %s',
    (_name, write) => {
      fc.assert(
        fc.property(secretAndPiece, surrounding, surrounding, ([text, piece], before, after) => {
          const cleaned = new Redactor([text]).clean(before + write(piece) + after);
          for (const left of piecesOf(text).filter(isWhole)) expect(cleaned).not.toContain(write(left));
        }),
      );
    },
  );

  test.each(['base64', 'base64url'] as const)('no piece of twelve characters is left in %s', (encoding) => {
    fc.assert(
      fc.property(ascii, surrounding, surrounding, surrounding, (text, before, after, outside) => {
        const written = Buffer.from(before + text + after).toString(encoding);
        const said = fromBase64(new Redactor([text]).clean(`${outside} ${written} ${outside}`));
        for (const left of piecesOf(text)) expect(said).not.toContain(left);
      }),
    );
  });

  test('no piece of twelve characters is left in base64 that is cut off', () => {
    fc.assert(
      fc.property(ascii, surrounding, fc.nat(40), fc.nat(80), (text, before, from, length) => {
        const written = Buffer.from(before + text)
          .toString('base64')
          .slice(from, from + length);
        const said = fromBase64(new Redactor([text]).clean(written));
        for (const left of piecesOf(text)) expect(said).not.toContain(left);
      }),
    );
  });

  test.each(['base64', 'base64url'] as const)('no piece is left wherever %s of it is cut off', (encoding) => {
    for (const text of ['The-quick/brown+fox_jumps.over', '~~~???>>>~?>?~>>~???~~>>~?>~~?']) {
      const redactor = new Redactor([text]);
      for (const before of ['', ':', '::']) {
        const written = Buffer.from(`${before}${text}::`).toString(encoding);
        for (let from = 0; from < written.length; from += 1)
          for (const length of [14, 15, 16, 17, 18]) {
            const said = fromBase64(redactor.clean(written.slice(from, from + length)));
            expect(piecesOf(text).filter((left) => said.includes(left))).toEqual([]);
          }
      }
    }
  });

  test('what has nothing of it stays', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-m]{12,40}$/),
        fc.stringMatching(/^[n-z\d %\\+&]{0,80}$/),
        (text, other) => {
          expect(new Redactor([text]).clean(other)).toBe(other);
        },
      ),
    );
  });
});
