import { isIPv6 } from 'node:net';
import { idna, whiteSpace } from './python.ts';

const schemes = new Set(['http', 'https', 'ftp', 'ftps', 'blank']);
const maxLength = 2048;
const maxHostLength = 253;

const label = String.raw`[a-z0-9\u00a1-\uffff](?:[-a-z0-9\u00a1-\uffff]{0,61}[a-z0-9\u00a1-\uffff])?`;
const moreLabels = String.raw`(?:\.(?!-)[-a-z0-9\u00a1-\uffff]{1,63}(?<!-))*`;
const template = '[%()a-z]*';
const userInfo = `(?:[^${whiteSpace}:@/]+(?::[^${whiteSpace}:@/]*)?@)?`;
const form = new RegExp(
  String.raw`^[-a-z0-9.+]*://${userInfo}(?:\[[0-9a-f:.]+\]|${template}${label}${moreLabels})` +
    String.raw`(?::\d{2,5})?(?:[/?#][^${whiteSpace}]*)?$`,
  'iu',
);

/**
 * Whether the service takes a text for a launch URL. It knows a few schemes, wants no dot in the host, and
 * lets templates stand in the path, or at the very beginning of the host.
 */
export function isLaunchUrl(url: string): boolean {
  if (Array.from(url).length > maxLength) return false;
  const [scheme = '', rest] = url.split('://', 2);
  if (rest === undefined || !schemes.has(scheme.toLowerCase())) return false;
  const authority = rest.split(/[/?#]/, 1)[0] ?? '';
  return canBeSplit(authority) && (form.test(url) || isFormInAscii(url, authority));
}

/** What Python's own parser of URLs refuses before any form is looked at, and the length of the host. */
function canBeSplit(authority: string): boolean {
  if (/[/?#@:]/.test(authority.replaceAll(/[@:]/g, '').normalize('NFKC'))) return false;
  if (/[[\]]/.test(authority)) return isIPv6(/\[(.*?)\]/.exec(authority)?.[1] ?? '');
  const host = authority.slice(authority.lastIndexOf('@') + 1).split(':', 1)[0] ?? '';
  return host !== '' && host.length <= maxHostLength;
}

function isFormInAscii(url: string, authority: string): boolean {
  const ascii = idna(authority);
  return ascii !== undefined && form.test(url.replace(authority, () => ascii));
}
