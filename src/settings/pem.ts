import { reasonOf, UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';

/** The bundle of all authorities of a system is a quarter of this. */
const maxBytes = 1024 * 1024;

/** The text of a PEM file. Throws a UsageError, in which `what` names it. */
export async function readPem(what: string, path: string, files: Pick<Files, 'read'>): Promise<string> {
  try {
    return new TextDecoder().decode(await files.read(path, maxBytes));
  } catch (error) {
    throw new UsageError(`${what} cannot be read from ${path}`, reasonOf(error), { cause: error });
  }
}

/** The certificates in it, each with its first and last line. */
export function certificatesOf(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}
