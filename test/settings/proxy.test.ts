import { describe, expect, test } from 'vitest';
import { readProxy } from '../../src/settings/proxy.ts';
import { secretsOf } from '../../src/settings/service-settings.ts';
import { noConfig } from '../../src/settings/values.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { serviceSettings } from '../support/settings.ts';

const https = 'https://id.example.com';

describe('the proxy', () => {
  test('has its user and password masked, also in encoded form', async () => {
    const env = {
      ROLLCALL_URL: https,
      ROLLCALL_TOKEN: 'canary-token',
      HTTPS_PROXY: 'http://me:canary-p%40ss@p:3128',
    };
    const settings = await serviceSettings({}, env, noConfig, memoryFiles({}));
    expect(secretsOf(settings)).toEqual(
      expect.arrayContaining(['canary-token', 'canary-p@ss', 'me:canary-p@ss', btoa('me:canary-p@ss')]),
    );
  });

  test.each([
    ['https://id.example.com', { HTTPS_PROXY: 'http://p:3128' }, 'http://p:3128'],
    ['https://id.example.com', { https_proxy: 'http://low:1', HTTPS_PROXY: 'http://up:1' }, 'http://low:1'],
    ['https://id.example.com', { https_proxy: '', HTTPS_PROXY: 'http://up:1' }, 'http://up:1'],
    ['https://id.example.com', { HTTPS_PROXY: 'p:3128' }, 'http://p:3128'],
    ['https://id.example.com', { HTTPS_PROXY: 'https://p/ignored' }, 'https://p'],
    ['https://id.example.com', { HTTP_PROXY: 'http://p:3128' }, undefined],
    ['https://id.example.com', {}, undefined],
    ['http://127.0.0.1:9000', { HTTPS_PROXY: 'http://p:3128' }, undefined],
    ['http://127.0.0.1:9000', { HTTP_PROXY: 'http://localhost:3128' }, 'http://localhost:3128'],
  ])('used for %s is taken from the variables %j: %s', (url, env, expected) => {
    expect(readProxy(url, env, false)?.origin).toBe(expected);
  });

  test.each([
    ['*', https, true],
    ['id.example.com', https, true],
    ['ID.Example.com', https, true],
    ['example.com', https, true],
    ['.example.com', https, true],
    ['*.example.com', https, true],
    ['ample.com', https, false],
    ['other.com, id.example.com', https, true],
    ['other.com id.example.com', https, true],
    ['id.example.com:443', https, true],
    ['id.example.com:8443', https, false],
    ['id.example.com:8443', 'https://id.example.com:8443', true],
    ['.', https, false],
    [',', https, false],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/99', 'https://10.1.2.3', false],
    ['10.0.0.0/x', 'https://10.1.2.3', false],
    ['11.0.0.0/8', 'https://10.1.2.3', false],
    ['2.3', 'https://10.1.2.3', false],
    ['10.0.0.0/0x8', 'https://10.1.2.3', false],
    ['10.1.2.3:80', 'http://10.1.2.3', true],
    ['10.1.2.3:443', 'http://10.1.2.3', false],
    ['::1', 'https://[::1]', true],
    ['::1', 'https://[::2]', false],
    ['[::1]:8443', 'https://[::1]:8443', true],
    ['fd00::/8', 'https://[fd12::1]', true],
    ['10.0.0.0/8', 'https://[fd12::1]', false],
  ])('is bypassed with NO_PROXY=%s for a service at %s: %s', (NO_PROXY, url, excepted) => {
    const proxy = readProxy(
      url,
      { HTTPS_PROXY: 'http://p:3128', HTTP_PROXY: 'http://p:3128', NO_PROXY },
      true,
    );
    expect(proxy === undefined).toBe(excepted);
  });

  test('gets the user and the password, which are never shown', () => {
    const proxy = readProxy(https, { HTTPS_PROXY: 'http://me:s%40cret@p:3128' }, false);
    expect(proxy?.authorization?.reveal()).toBe(`Basic ${Buffer.from('me:s@cret').toString('base64')}`);
    expect(JSON.stringify(proxy)).toContain('{"origin":"http://p:3128","authorization":"(sensitive)"');
    expect(JSON.stringify(proxy)).not.toMatch(/s@cret|s%40cret|bWU6/);
    const nameOnly = readProxy(https, { HTTPS_PROXY: 'http://me@p:3128' }, false);
    expect(nameOnly?.authorization?.reveal()).toBe(`Basic ${Buffer.from('me:').toString('base64')}`);
    expect(readProxy(https, { HTTPS_PROXY: 'http://p:3128' }, false)?.authorization).toBeUndefined();
  });

  test.each([
    ['socks5://me:secret@p:1080', /is not the URL of an http:\/\/ or https:\/\/ proxy/],
    ['http://me:secret@p:99999', /is not a URL/],
    ['http://me:secret%E0%A4%A@p', /does not encode a character/],
  ])('%s is refused without showing its password', (HTTPS_PROXY, message) => {
    expect(() => readProxy(https, { HTTPS_PROXY }, false)).toThrow(message);
    expect(() => readProxy(https, { HTTPS_PROXY }, false)).toThrow(
      expect.not.objectContaining({ hint: expect.stringContaining('secret') as string }),
    );
    expect(() => readProxy(https, { HTTPS_PROXY }, false)).not.toThrow(/secret/);
  });

  test('on another host gets no token for an http:// service without --allow-http', () => {
    const env = { HTTP_PROXY: 'http://me:secret@p:3128' };
    const through = (insecure: boolean): unknown => readProxy('http://127.0.0.1:9000', env, insecure);
    expect(() => through(false)).toThrow('the token would be sent to the proxy http://p:3128 unencrypted');
    expect(through(true)).toMatchObject({ origin: 'http://p:3128' });
    env.HTTP_PROXY = 'http://evil-localhost:3128';
    expect(() => through(false)).toThrow('unencrypted');
  });
});
