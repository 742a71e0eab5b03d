import { isIPv6 } from 'node:net';
import { idna, whiteSpace } from './python.ts';
import type { Rules } from './release.ts';

const maxLength = 2048;
const maxHostLength = 253;

const label = String.raw`[a-z0-9\u00a1-\uffff](?:[-a-z0-9\u00a1-\uffff]{0,61}[a-z0-9\u00a1-\uffff])?`;
const moreLabels = String.raw`(?:\.(?!-)[-a-z0-9\u00a1-\uffff]{1,63}(?<!-))*`;
const template = '[%()a-z]*';
const userInfo = `(?:[^${whiteSpace}:@/]+(?::[^${whiteSpace}:@/]*)?@)?`;
const formWithPorts = (shortest: number): RegExp =>
  new RegExp(
    String.raw`^[-a-z0-9.+]*://${userInfo}(?:\[[0-9a-f:.]+\]|${template}${label}${moreLabels})` +
      String.raw`(?::\d{${shortest},5})?(?:[/?#][^${whiteSpace}]*)?$`,
    'iu',
  );
/** By the digits that the shortest port has. */
const forms = { 1: formWithPorts(1), 2: formWithPorts(2) } as const;

/**
 * Whether the service takes a text for a launch URL. It knows a few schemes, wants no dot in the host, and
 * lets templates stand in the path, or at the very beginning of the host.
 */
export function isLaunchUrl(url: string, { schemes, shortestPort }: Rules['launchUrls']): boolean {
  const form = forms[shortestPort];
  if (Array.from(url).length > maxLength) return false;
  const [scheme = '', rest] = url.split('://', 2);
  if (rest === undefined || !schemes.has(scheme.toLowerCase())) return false;
  const authority = rest.split(/[/?#]/, 1)[0] ?? '';
  return canBeSplit(authority) && (form.test(url) || isFormInAscii(form, url, authority));
}

/** What Python's own parser of URLs refuses before any form is looked at, and the length of the host. */
function canBeSplit(authority: string): boolean {
  if (/[/?#@:]/.test(authority.replaceAll(/[@:]/g, '').normalize('NFKC'))) return false;
  if (/[[\]]/.test(authority)) return isIPv6(/\[(.*?)\]/.exec(authority)?.[1] ?? '');
  const host = authority.slice(authority.lastIndexOf('@') + 1).split(':', 1)[0] ?? '';
  return host !== '' && host.length <= maxHostLength;
}

function isFormInAscii(form: RegExp, url: string, authority: string): boolean {
  const ascii = idna(authority);
  return ascii !== undefined && form.test(url.replace(authority, () => ascii));
}
