import { isIP } from 'node:net';
import { idna } from './python.ts';
import type { Rules } from './release.ts';

const maxLength = 320;
const dotted = /^[-!#$%&'*+/=?^_`{}|~0-9A-Z]+(\.[-!#$%&'*+/=?^_`{}|~0-9A-Z]+)*$/iu;
// eslint-disable-next-line no-control-regex -- a quoted name may hold control characters
const quoted = /^"([\x01-\x08\x0b\x0c\x0e-\x1f!#-[\]-\x7f]|\\[\x01-\x09\x0b\x0c\x0e-\x7f])*"$/iu;
const earlier = /^([A-Z0-9]([-A-Z0-9]{0,61}[A-Z0-9])?\.)+[-A-Z0-9]{2,63}(?<!-)$/iu;
const later =
  /^[a-z0-9\u00a1-\uffff](?:[-a-z0-9\u00a1-\uffff]{0,61}[a-z0-9\u00a1-\uffff])?(?:\.(?!-)[-a-z0-9\u00a1-\uffff]{1,63}(?<!-))*\.(?!-)(?:[-a-z\u00a1-\uffff]{2,63}|xn--[a-z0-9]{1,59})(?<!-)$/iu;

/** Whether the service takes a text for an e-mail address. Later releases turn no domain into ASCII. */
export function isEmailAddress(text: string, { isLate }: Rules): boolean {
  const at = text.lastIndexOf('@');
  if (at === -1 || Array.from(text).length > maxLength) return false;
  const name = text.slice(0, at);
  if (!dotted.test(name) && !quoted.test(name)) return false;
  const host = text.slice(at + 1);
  if (host === 'localhost' || isAddress(host)) return true;
  return isLate ? later.test(host) : earlier.test(host) || earlier.test(idna(host) ?? '');
}

function isAddress(host: string): boolean {
  const literal = /^\[([0-9a-f:.]+)\]$/i.exec(host)?.[1];
  return literal !== undefined && isIP(literal) !== 0;
}
