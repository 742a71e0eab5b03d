import { X509Certificate } from 'node:crypto';
import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { nonEmpty, type Environment } from './environment.ts';
import { certificatesOf, readPem } from './pem.ts';

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
