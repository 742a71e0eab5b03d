import { describe, expect, test } from 'vitest';
import { readBaseUrl } from '../../src/settings/base-url.ts';

describe('the base URL', () => {
  test.each([
    ['https://id.example.com', 'https://id.example.com'],
    ['https://id.example.com/', 'https://id.example.com'],
    ['https://ID.example.com:443/auth/', 'https://id.example.com/auth'],
    ['https://id.example.com/api/v3/', 'https://id.example.com'],
    ['http://localhost:8000', 'http://localhost:8000'],
    ['http://127.0.0.1:8000/', 'http://127.0.0.1:8000'],
    ['http://[::1]:8000', 'http://[::1]:8000'],
  ])('%s is %s', (text, expected) => {
    expect(readBaseUrl(text, false)).toBe(expected);
  });

  test.each([
    ['id.example.com', /not a URL/],
    ['localhost:8000', /no scheme that is known/],
    ['ftp://id.example.com', /no scheme that is known/],
    ['https://user:secret@id.example.com', /user name or a password/],
    ['https://id.example.com/?a=b', /query or a fragment/],
    ['https://id.example.com/#a', /query or a fragment/],
    ['http://id.example.com', /unencrypted/],
    ['http://127.0.0.1.example.com', /unencrypted/],
    ['http://evil-localhost', /unencrypted/],
    ['http://evillocalhost:8000/', /unencrypted/],
    ['http://localhost.example.com', /unencrypted/],
    ['http://example.com/localhost', /unencrypted/],
    ['http://x127.0.0.1.example/', /unencrypted/],
    ['http://128.0.0.1', /unencrypted/],
    ['http://10.127.0.1', /unencrypted/],
    ['http://[::2]', /unencrypted/],
    ['http://[::ffff:10.0.0.1]', /unencrypted/],
  ])('%s is refused', (text, message) => {
    expect(() => readBaseUrl(text, false)).toThrow(message);
    expect(() => readBaseUrl(text, false)).not.toThrow(/secret/);
  });

  test('may be http:// to another host when the user says so', () => {
    expect(readBaseUrl('http://id.example.com', true)).toBe('http://id.example.com');
  });
});
