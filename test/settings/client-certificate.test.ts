import { describe, expect, test } from 'vitest';
import { settingsFromFlags } from '../../src/commands/flags.ts';
import { readClientCertificate } from '../../src/settings/certificates.ts';
import { secretsOf } from '../../src/settings/service-settings.ts';
import { noConfig } from '../../src/settings/values.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { tlsFixture } from '../support/raw-server.ts';
import { serviceSettings } from '../support/settings.ts';

const { nameOf } = await settingsFromFlags({}, {});
const certificate = tlsFixture('client.pem').trim();
const key = tlsFixture('client.key');
const files = memoryFiles({
  'client.pem': `# ours\n${certificate}\n`,
  'client.key': key,
  'encrypted.key': tlsFixture('client-encrypted.key'),
  'both.pem': `${key}${certificate}\n`,
  'chain.pem': `${certificate}\n${certificate.replace(/\n.{8}/, '\n')}\n`,
  'trusted.pem': certificate.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'),
  'other.key': tlsFixture('good.key'),
  empty: '',
});

describe('the client certificate', () => {
  test('has a key that is masked even without its BEGIN and END lines', async () => {
    const env = { ROLLCALL_URL: 'https://id.example.com', ROLLCALL_TOKEN: 'canary-token' };
    const flags = { clientCert: 'client.pem', clientKey: 'client.key' };
    const secrets = secretsOf(await serviceSettings(flags, env, noConfig, files));
    expect(secrets).toContain(key.replace(/-----[^-]+-----/g, '').trim());
  });

  test.each([
    ['with a separate key', 'client.pem', 'client.key', {}],
    [
      'with an encrypted key',
      'client.pem',
      'encrypted.key',
      { ROLLCALL_CLIENT_KEY_PASSPHRASE: 'open-sesame' },
    ],
    ['with the key in the same file', 'both.pem', undefined, {}],
  ])('is read %s', async (_name, certificatePath, keyPath, env) => {
    const read = await readClientCertificate({
      values: { clientCert: certificatePath, clientKey: keyPath, nameOf },
      env,
      files,
    });
    expect(read?.certificate).toBe(certificate);
    expect(read?.key.reveal()).toBe(key);
    expect(JSON.stringify(read)).not.toContain('PRIVATE');
  });

  test.each([
    [undefined, {}, 'If the key is in another file, use --client-key.'],
    ['encrypted.key', {}, 'The key is encrypted: set ROLLCALL_CLIENT_KEY_PASSPHRASE.'],
    ['encrypted.key', { ROLLCALL_CLIENT_KEY_PASSPHRASE: 'wrong' }, 'does not decrypt it'],
  ])('with the key %s and the environment %j is refused with advice', async (clientKey, env, advice) => {
    const values = { clientCert: 'client.pem', clientKey, nameOf };
    await expect(readClientCertificate({ values, env, files })).rejects.toMatchObject({
      hint: expect.stringContaining(advice) as string,
    });
  });

  test.each([
    ['none.pem', 'client.key', {}, /--client-cert cannot be read/],
    ['empty', 'client.key', {}, /--client-cert contains no usable certificate/],
    ['client.pem', 'none.key', {}, /--client-key cannot be read/],
    ['client.pem', undefined, {}, /the key of the client certificate cannot be used: client.pem/],
    ['client.pem', 'encrypted.key', {}, /cannot be used: encrypted.key/],
    [
      'client.pem',
      'encrypted.key',
      { ROLLCALL_CLIENT_KEY_PASSPHRASE: 'wrong' },
      /cannot be used: encrypted.key/,
    ],
    ['chain.pem', 'client.key', {}, /the client certificate cannot be used: chain.pem/],
    ['trusted.pem', 'client.key', {}, /client/],
    ['client.pem', 'other.key', {}, /do not belong together/],
  ])(
    '%s with the key %s and the environment %j is refused',
    async (certificatePath, keyPath, env, message) => {
      const reading = readClientCertificate({
        values: { clientCert: certificatePath, clientKey: keyPath, nameOf },
        env,
        files,
      });
      await expect(reading).rejects.toThrow(message);
      await expect(reading).rejects.toMatchObject({ name: 'UsageError' });
    },
  );
});
