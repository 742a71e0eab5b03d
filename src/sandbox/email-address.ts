import { isIP } from 'node:net';
import { idna } from './python.ts';

const maxLength = 320;
const dotted = /^[-!#$%&'*+/=?^_`{}|~0-9A-Z]+(\.[-!#$%&'*+/=?^_`{}|~0-9A-Z]+)*$/iu;
// eslint-disable-next-line no-control-regex -- a quoted name may hold control characters
const quoted = /^"([\x01-\x08\x0b\x0c\x0e-\x1f!#-[\]-\x7f]|\\[\x01-\x09\x0b\x0c\x0e-\x7f])*"$/iu;
const domain = /^([A-Z0-9]([-A-Z0-9]{0,61}[A-Z0-9])?\.)+[-A-Z0-9]{2,63}(?<!-)$/iu;

/** Whether the service takes a text for an e-mail address. */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at === -1 || Array.from(text).length > maxLength) return false;
  const name = text.slice(0, at);
  if (!dotted.test(name) && !quoted.test(name)) return false;
  const host = text.slice(at + 1);
  return host === 'localhost' || isDomain(host) || isDomain(idna(host) ?? '');
}

function isDomain(host: string): boolean {
  if (domain.test(host)) return true;
  const literal = /^\[([0-9a-f:.]+)\]$/i.exec(host)?.[1];
  return literal !== undefined && isIP(literal) !== 0;
}
