import { X509Certificate } from 'node:crypto';
import type { Problem } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import { memoizePerText } from '../base/memoize.ts';
import { likelyRefusedProblem } from './release.ts';
import { kindFrom, type RowKind } from './row.ts';

/** The certificate that every new service contains, as seen in authentik 2023.10.7 and 2025.12.4. */
const selfSignedName = 'authentik Self-signed Certificate';

/** The service returns neither the certificate nor the key, so certificates are compared by fingerprint. */
export const certificate: RowKind = kindFrom({
  list: 'certificates',
  unique: true,
  isInternal: ({ name, managed = null }) => name === selfSignedName || managed !== null,
  fields: {
    certificate_data: {
      shownAs: { field: 'fingerprint_sha256', of: fingerprintOf },
      checks: [noCertificateProblem],
    },
  },
  notDeclarable: { managed: 'The service sets this field for its own certificates.' },
});

/** The SHA-256 fingerprint of the first certificate in a text, in the service's format. A text without a certificate is returned unchanged. */
function fingerprintOf(value: JsonValue): JsonValue {
  return certificateIn(value)?.fingerprint256.toLowerCase() ?? value;
}

export function certificateIn(value: JsonValue): X509Certificate | undefined {
  return typeof value === 'string' && value.includes('-----BEGIN') ? parsed(value) : undefined;
}

const parsed = memoizePerText((text): X509Certificate | undefined => {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
});

function noCertificateProblem(text: string): Problem | undefined {
  if (certificateIn(text)) return undefined;
  return likelyRefusedProblem(
    'this is not a certificate in the PEM format',
    'Write the complete certificate, from -----BEGIN CERTIFICATE----- on, or `${text:PATH}` for a file that contains it.',
  );
}
