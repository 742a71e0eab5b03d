import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readOrUsageError, UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { nonEmpty, type EnvironmentVariables } from './environment.ts';
import { Secret } from './secret.ts';
import type { SettingSources } from './values.ts';

const pemHint = 'Name a PEM file, which has lines such as -----BEGIN CERTIFICATE-----.';

/** The certificates of a PEM file and of NODE_EXTRA_CA_CERTS. Node ignores NODE_EXTRA_CA_CERTS if it is given other certificates. */
export async function readCaFile(
  path: string,
  env: EnvironmentVariables,
  files: Pick<Files, 'read'>,
): Promise<readonly string[]> {
  const ownAuthorities = await authoritiesIn(path, files);
  const extra = nonEmpty(env['NODE_EXTRA_CA_CERTS']);
  if (extra === undefined) return ownAuthorities;
  // If the file of NODE_EXTRA_CA_CERTS cannot be used, Node has printed a warning, and the run continues.
  return [...ownAuthorities, ...(await authoritiesIn(extra, files).catch(() => []))];
}

async function authoritiesIn(path: string, files: Pick<Files, 'read'>): Promise<readonly string[]> {
  const certificates = certificatesOf(await readPem('the file of authorities', path, files));
  if (certificates.length === 0)
    throw new UsageError(`the file of authorities contains no certificate: ${path}`, pemHint);
  for (const [index, certificate] of certificates.entries()) {
    const invalidCertificate = `Certificate ${index + 1} of ${certificates.length} is damaged.`;
    parseOrUsageError(
      () => new X509Certificate(certificate),
      `the file of authorities cannot be used: ${path}`,
      invalidCertificate,
    );
  }
  return certificates;
}

export interface ClientCertificate {
  /** The certificate, followed by its intermediate certificates. */
  readonly certificate: string;
  readonly key: Secret;
  /** The key without its BEGIN and END lines. */
  readonly secrets: readonly Secret[];
}

const passphraseVariable = 'ROLLCALL_CLIENT_KEY_PASSPHRASE';

/** Reads a client certificate, whose key may be in the same file, or throws a UsageError. */
export async function readClientCertificate({
  values: { clientCert: path, clientKey: keyPath, nameOf },
  env,
  files,
}: Omit<SettingSources, 'config'>): Promise<ClientCertificate | undefined> {
  const [certName, keyName] = [nameOf('clientCert'), nameOf('clientKey')];
  if (path === undefined) {
    if (keyPath === undefined) return undefined;
    throw new UsageError(`${keyName} needs ${certName}`, 'A key works only with its certificate.');
  }
  const text = await readPem(`the file of ${certName}`, path, files);
  const first = parseOrUsageError(
    () => new X509Certificate(text),
    `the file of ${certName} contains no usable certificate: ${path}`,
    pemHint,
  );
  const keyText = keyPath === undefined ? text : await readPem(`the file of ${keyName}`, keyPath, files);
  const passphrase = nonEmpty(env[passphraseVariable]);
  const privateKey = parseOrUsageError(
    () => createPrivateKey({ key: keyText, passphrase }),
    `the key of the client certificate cannot be used: ${keyPath ?? path}`,
    // OpenSSL's message does not help, and the content of the file must not be shown.
    !keyText.includes('ENCRYPTED')
      ? `A key in PEM format has a line such as -----BEGIN PRIVATE KEY-----. If the key is in another file, use ${keyName}.`
      : passphrase === undefined
        ? `The key is encrypted: set ${passphraseVariable}.`
        : `The key is encrypted, and the passphrase in ${passphraseVariable} does not decrypt it.`,
  );
  if (!first.checkPrivateKey(privateKey))
    throw new UsageError(
      'the client certificate and its key do not belong together',
      `A certificate and its key are made as a pair: see ${certName} and ${keyName}.`,
    );
  const certificate = certificatesOf(text).join('\n');
  const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const { createSecureContext } = await import('node:tls');
  parseOrUsageError(
    () => {
      if (certificate === '') throw new Error('no plain certificate');
      createSecureContext({ cert: certificate, key }); // this also checks the chain and the strength of the key
    },
    `the client certificate cannot be used: ${path}`,
    'One of the certificates in the file is damaged, has a key that is too short, or is not in plain PEM.',
  );
  const secrets = [new Secret(key.replaceAll(/-----[^-]+-----/g, '').trim())];
  return { certificate, key: new Secret(key), secrets };
}

function parseOrUsageError<Value>(parse: () => Value, message: string, hint: string): Value {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(message, hint, { cause: error });
  }
}

/** The CA bundle of a system is a quarter of this size. */
const maxBytes = 1024 * 1024;

async function readPem(subject: string, path: string, files: Pick<Files, 'read'>): Promise<string> {
  return new TextDecoder().decode(await readOrUsageError(subject, path, files.read(path, maxBytes)));
}

function certificatesOf(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}
