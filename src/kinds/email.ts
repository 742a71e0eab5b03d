import { isIP } from 'node:net';
import type { Problem } from '../base/diagnostic.ts';
import { likelyRefused } from './likely-refused.ts';

const atom = "[-!#$%&'*+/=?^_`{}|~0-9a-z]+";
const quoted = String.raw`"(?:[\x01-\x08\x0b\x0c\x0e-\x1f!#-[\]-\x7f]|\\[\x01-\x09\x0b\x0c\x0e-\x7f])*"`;
const localPart = new RegExp(String.raw`^(?:${atom}(?:\.${atom})*|${quoted})$`, 'i');

const letters = String.raw`a-z0-9\u00a1-\uffff`;
const label = `[${letters}](?:[${letters}-]{0,61}[${letters}])?`;
const domainName = new RegExp(
  String.raw`^(?:${label}\.)+(?:[${letters}-]{1,62}[${letters}]|[\u00a1-\uffff])$`,
  'i',
);

/** Why the service would refuse an e-mail address. The rules are those of its releases 2023.10 to 2026.2. */
export function emailRefusal(email: string): Problem | undefined {
  if (email === '') return undefined;
  const at = email.lastIndexOf('@');
  if (at !== -1 && localPart.test(email.slice(0, at)) && isDomain(email.slice(at + 1))) return undefined;
  return likelyRefused(
    'the service is known to refuse what does not look like an e-mail address',
    'Correct it, leave it out, or set it to "".',
  );
}

function isDomain(domain: string): boolean {
  if (domain === 'localhost' || domainName.test(domain)) return true;
  return domain.startsWith('[') && domain.endsWith(']') && isIP(domain.slice(1, -1)) !== 0;
}
