import { expect, test } from 'vitest';
import { trimAsService, trimManifest } from '../../src/manifest/trim.ts';
import { desired } from '../support/desired.ts';
import { sentOf } from '../support/values.ts';

/** The code points for which Python's `str.isspace()` is true (3.11, Unicode 14). The service strips these. */
const stripped = new Set([
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002,
  0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
]);

test('the characters that rollcall trims are exactly those that the service strips', () => {
  const wrong: string[] = [];
  // Characters are compared by code unit, and characters above U+FFFF consist of two.
  for (let code = 0; code <= 0xffff; code += 1) {
    const character = String.fromCharCode(code);
    const expected = stripped.has(code) ? 'x' : `${character}x${character}`;
    if (trimAsService(`${character}x${character}`) !== expected) wrong.push(`U+${code.toString(16)}`);
  }
  expect(wrong).toEqual([]);
});

test("JavaScript's trim and the service strip different characters", () => {
  // If this test fails some day because both sets agree, `trim` is no longer needed.
  const differing = ['\x1c', '\x1d', '\x1e', '\x1f', '\x85', '\ufeff'];
  expect(differing.filter((character) => trimAsService(character) !== character.trim())).toEqual(differing);
});

test.each([
  ['', ''],
  [' \n\t', ''],
  ['\x1c\x85 x y \u3000\n', 'x y'],
  [' x', 'x'],
  ['x ', 'x'],
  ['\u200bx\ufeff', '\u200bx\ufeff'],
])('%j is trimmed to %j', (text, trimmed) => {
  expect(trimAsService(text)).toBe(trimmed);
});

test('top-level fields of entries and defaults are trimmed, but nested values are not', () => {
  const untrimmed = { name: ' a\x85', attributes: { ' key ': ' value ' }, groups: [' g '], provider: null };
  const trimmed = { ...untrimmed, name: 'a' };
  expect(
    trimManifest({
      version: 1,
      defaults: { application: untrimmed, user: untrimmed },
      applications: [untrimmed, ' no entry '],
      users: [untrimmed],
      other: ' other ',
    }),
  ).toEqual({
    version: 1,
    defaults: { application: trimmed, user: trimmed },
    applications: [trimmed, ' no entry '],
    users: [trimmed],
    other: ' other ',
  });
});

test.each([
  ['providers', { type: 'oauth2', redirect_uris: [' a ', { url: ' b ', matching_mode: 'regex ' }] }],
  ['sources', { type: 'plex', allowed_servers: [' a '] }],
  ['flows', { at_least: [' stages'] }],
  ['applications', { access: { groups: [{ name: ' staff ' }] } }],
])('strings in a list of %s are trimmed', (list, entry) => {
  const trimmed = JSON.stringify(entry).replaceAll(/ ?"( ?)([^" ]+) ?"/g, '"$2"');
  expect(trimManifest({ version: 1, [list]: [entry] })).toEqual({
    version: 1,
    [list]: [JSON.parse(trimmed)],
  });
});

test('a manifest is read with its strings as the service stores them', async () => {
  const [alice] = await desired(
    String.raw`{ "version": 1, "users": [{ "username": "\u001calice\u0085", "name": "\ufeffAlice\u3000" }] }`,
  );
  expect(alice && sentOf(alice)).toEqual({ username: 'alice', name: '\ufeffAlice' });
  expect(alice?.address).toBe('user.alice');
});
