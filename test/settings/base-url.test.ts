import { describe, expect, test } from 'vitest';
import { readBaseUrl } from '../../src/settings/base-url.ts';

describe('the URL of the service', () => {
  test.each([
    ['https://id.example.com', 'https://id.example.com'],
    ['https://id.example.com/', 'https://id.example.com'],
    ['https://ID.example.com:443/auth/', 'https://id.example.com/auth'],
    ['https://id.example.com/api/v3/', 'https://id.example.com'],
    ['https://id.example.com\n', 'https://id.example.com'],
    ['http://localhost:8000', 'http://localhost:8000'],
    ['http://127.0.0.1:8000/', 'http://127.0.0.1:8000'],
    ['http://[::1]:8000', 'http://[::1]:8000'],
  ])('%s is read as %s', (text, expected) => {
    expect(readBaseUrl(text, false)).toBe(expected);
  });

  test.each([
    ['id.example.com', /not a URL/],
    ['https://id.exa\nmple.com', /not a URL/],
    ['https://id.example.com/a b', /not a URL/],
    ['https://id.example.com\t/auth', /not a URL/],
    ['localhost:8000', /unknown scheme/],
    ['ftp://id.example.com', /unknown scheme/],
    ['https://user:secret@id.example.com', /user name or a password/],
    ['https://name@id.example.com', /user name or a password/],
    ['https://:secret@id.example.com', /user name or a password/],
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
    expect(() => readBaseUrl(text, false)).toThrow(
      expect.not.objectContaining({ hint: expect.stringContaining('secret') as string }),
    );
    expect(() => readBaseUrl(text, false)).not.toThrow(/secret/);
  });

  test.each([
    ['https://id.example.com/if/admin/#/core/applications', 'https://id.example.com'],
    ['https://id.example.com/if/user', 'https://id.example.com'],
    ['https://id.example.com/if/flow/enroll/?itoken=secret', 'https://id.example.com'],
    ['https://id.example.com:9443/-/health/live/', 'https://id.example.com:9443'],
    [
      'https://id.example.com/application/o/grafana/.well-known/openid-configuration',
      'https://id.example.com',
    ],
    ['https://example.com/auth/application/launch/grafana/', 'https://example.com/auth'],
    ['https://example.com/auth/api/v3/core/applications/', 'https://example.com/auth'],
  ])('is suggested if the URL of a page of the service is given: %s', (text, base) => {
    expect(() => readBaseUrl(text, false)).toThrow(
      expect.objectContaining({ hint: `The base URL is the part before that page: ${base}` }),
    );
    expect(() => readBaseUrl(text, false)).not.toThrow(/secret|enroll|grafana/);
  });

  test.each(['/if', '/if/admins', '/application', '/application/old', '/api/v3/identity', '/-/', '/sso/-'])(
    'may end with a path that resembles a page of the service: %s',
    (path) => {
      expect(readBaseUrl(`https://example.com${path}/`, false)).toBe(
        `https://example.com${path.replace(/\/$/, '')}`,
      );
    },
  );

  test('may use http:// for another host with --allow-http', () => {
    expect(readBaseUrl('http://id.example.com', true)).toBe('http://id.example.com');
  });
});
