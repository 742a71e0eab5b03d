import { isIP } from 'node:net';
import type { Problem } from '../base/diagnostic.ts';
import { releaseProblemFor, refusedProblem, type Release } from './release.ts';

const atom = "[-!#$%&'*+/=?^_`{}|~0-9a-z]+";
const quoted = String.raw`"(?:[\x01-\x08\x0b\x0c\x0e-\x1f!#-[\]-\x7f]|\\[\x01-\x09\x0b\x0c\x0e-\x7f])*"`;
const localPart = new RegExp(String.raw`^(?:${atom}(?:\.${atom})*|${quoted})$`, 'i');

const letters = String.raw`a-z0-9\u00a1-\uffff`;
const label = `[${letters}](?:[${letters}-]{0,61}[${letters}])?`;
const domainName = new RegExp(
  String.raw`^(?:${label}\.)+(?:[${letters}-]{1,62}[${letters}]|[\u00a1-\uffff])$`,
  'i',
);
/** The domain names that release 2025.12 and all later releases accept. The flag `u` prevents half of a surrogate pair from matching as a letter. */
const stricterName = new RegExp(
  String.raw`^(?:${label}\.)+(?!-)(?:[a-z\u00a1-\uffff\-]{2,63}|xn--[a-z0-9]{1,59})(?<!-)$`,
  'iu',
);

export function emailRefusal(email: string, release: Release | undefined): Problem | undefined {
  if (email === '') return undefined;
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const isName = domainName.test(domain);
  if (at === -1 || !localPart.test(email.slice(0, at)) || !(isName || isOther(domain)))
    return refusedProblem(
      'a string that does not look like an e-mail address',
      'Correct the address, leave out the field, or set it to "".',
    );
  if (!isName || stricterName.test(domain)) return undefined;
  return releaseProblemFor(
    { from: '2025.12' },
    release,
    'refuse an e-mail address with such a domain',
    'The last part of the domain must have two letters or more.',
  );
}

function isOther(domain: string): boolean {
  return domain === 'localhost' || (/^\[[\d.:a-f]+\]$/i.test(domain) && isIP(domain.slice(1, -1)) !== 0);
}
