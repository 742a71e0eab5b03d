import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readOrRefuse, UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { nonEmpty, type Environment } from './environment.ts';
import { Secret } from './secret.ts';
import type { NameOf } from './values.ts';

/**
 * The certificates of a PEM file, to be trusted in addition to those that are trusted anyway. Throws a UsageError.
 * Node forgets NODE_EXTRA_CA_CERTS as soon as it is told of any other, so what that holds is added.
 */
export async function readCaFile(
  path: string,
  env: Environment,
  files: Pick<Files, 'read'>,
): Promise<readonly string[]> {
  const own = await certificatesIn(path, files);
  const extra = nonEmpty(env['NODE_EXTRA_CA_CERTS']);
  if (extra === undefined) return own;
  // Node has already warned of a file that it could not use, and goes on without it.
  return [...own, ...(await certificatesIn(extra, files).catch(() => []))];
}

async function certificatesIn(path: string, files: Pick<Files, 'read'>): Promise<readonly string[]> {
  const certificates = certificatesOf(await readPem('the file of authorities', path, files));
  if (certificates.length === 0) {
    throw new UsageError(
      `the file of authorities holds no certificate: ${path}`,
      'It is a PEM file, with lines such as -----BEGIN CERTIFICATE-----.',
    );
  }
  const damaged = certificates.findIndex((certificate) => !isCertificate(certificate));
  if (damaged >= 0) {
    throw new UsageError(
      `the file of authorities cannot be used: ${path}`,
      `Certificate ${damaged + 1} of ${certificates.length} is damaged.`,
    );
  }
  return certificates;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== '';
  } catch {
    return false;
  }
}

/** What rollcall shows of itself to a service that asks for it (mutual TLS); both in PEM. */
export interface ClientCertificate {
  /** The certificate, and those between it and its authority. */
  readonly certificate: string;
  /** Not encrypted. */
  readonly key: Secret;
}

const passphraseVariable = 'ROLLCALL_CLIENT_KEY_PASSPHRASE';

/** Reads the files of the certificate and of its key, which may stand in the file of the certificate. Throws a UsageError. */
export async function readClientCertificate(
  certificatePath: string,
  keyPath: string | undefined,
  env: Environment,
  files: Pick<Files, 'read'>,
  nameOf: NameOf,
): Promise<ClientCertificate> {
  const [certName, keyName] = [nameOf('clientCert'), nameOf('clientKey')];
  const certificate = await readPem(`the file of ${certName}`, certificatePath, files);
  const parsed = certificateIn(certificate, certificatePath, certName);
  const keyText =
    keyPath === undefined ? certificate : await readPem(`the file of ${keyName}`, keyPath, files);
  const key = keyIn(keyText, keyPath ?? certificatePath, env, keyName);
  if (!parsed.checkPrivateKey(key)) {
    throw new UsageError(
      'the client certificate and its key do not belong together',
      `They are made as a pair: see ${certName} and ${keyName}.`,
    );
  }
  const read = {
    certificate: certificatesOf(certificate).join('\n'),
    key: String(key.export({ type: 'pkcs8', format: 'pem' })),
  };
  await checkUsable(read, certificatePath);
  return { ...read, key: new Secret(read.key) };
}

function certificateIn(text: string, path: string, name: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new UsageError(
      `the file of ${name} holds no certificate that can be used: ${path}`,
      'It is a PEM file, with lines such as -----BEGIN CERTIFICATE-----.',
      { cause: error },
    );
  }
}

function keyIn(text: string, path: string, env: Environment, name: string): KeyObject {
  const passphrase = nonEmpty(env[passphraseVariable]);
  const isEncrypted = /ENCRYPTED/.test(text);
  try {
    return createPrivateKey({ key: text, ...(passphrase !== undefined && { passphrase }) });
  } catch (error) {
    // OpenSSL's message does not help, and nothing of what the file holds may be shown.
    const hint = !isEncrypted
      ? `It is a PEM file, with lines such as -----BEGIN PRIVATE KEY-----; ${name} names another file.`
      : passphrase === undefined
        ? `It is encrypted: set ${passphraseVariable}.`
        : `It is encrypted, and ${passphraseVariable} does not open it.`;
    throw new UsageError(`the key of the client certificate cannot be used: ${path}`, hint, { cause: error });
  }
}

/** OpenSSL looks at the whole chain, and at the strength of the key. */
async function checkUsable(
  { certificate, key }: { certificate: string; key: string },
  path: string,
): Promise<void> {
  const { createSecureContext } = await import('node:tls');
  try {
    if (certificate === '') throw new Error('no plain certificate');
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    throw new UsageError(
      `the client certificate cannot be used: ${path}`,
      'One of its certificates is damaged, has a key that is too short, or is not in plain PEM.',
      { cause: error },
    );
  }
}

/** The bundle of all authorities of a system is a quarter of this. */
const maxBytes = 1024 * 1024;

/** The text of a PEM file. Throws a UsageError, in which `what` names it. */
async function readPem(what: string, path: string, files: Pick<Files, 'read'>): Promise<string> {
  return new TextDecoder().decode(await readOrRefuse(what, path, files.read(path, maxBytes)));
}

/** The certificates in it, each with its first and last line. */
function certificatesOf(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}
