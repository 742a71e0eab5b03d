import { isIPv6 } from 'node:net';
import type { Problem } from '../base/diagnostic.ts';
import { likelyRefused } from './likely-refused.ts';

const maxUrlLength = 2048;
const maxHostLength = 253;

const allReleases = ['http', 'https', 'ftp', 'ftps', 'blank'];
const newerReleases = ['ssh', 'sftp'];

/** Scheme, user and password, host, port, and the rest. The schema lets no white space through. */
const parts = /^[^:]*:\/\/(?:[^:@/?#[\]]+(?::[^:@/?#[\]]*)?@)?(\[[^\]]*\]|[^:/?#]*)(:[^/?#]*)?(?:[/?#].*)?$/s;

const letters = String.raw`a-z0-9\u00a1-\uffff`;
const label = `[${letters}](?:[${letters}-]{0,61}[${letters}])?`;
/** Labels with dots between them. A template such as %(username)s can begin the first, with only letters before it. */
const hostName = new RegExp(`^[%()a-z]*${label}(?:\\.${label})*$`, 'i');

/** Why the service would refuse a launch URL. The rules are those of its releases 2023.10 to 2026.2. */
export function launchUrlRefusal(url: string): Problem | undefined {
  if (url === '') return undefined;
  const scheme = /^([^:]*):\/\//.exec(url)?.[1]?.toLowerCase() ?? '';
  if (![...allReleases, ...newerReleases].includes(scheme)) {
    return likelyRefused(
      'the service is known to refuse this scheme',
      `It takes ${shown(allReleases)}; from release 2026.2 on also ${shown(newerReleases)}.`,
    );
  }
  if (url.length > maxUrlLength) {
    return likelyRefused(
      `the service is known to refuse URLs of more than ${maxUrlLength} characters`,
      'Use a shorter one.',
    );
  }
  const [, host = '', port] = parts.exec(url) ?? [];
  if (!isHost(host)) {
    return likelyRefused(
      'the service is known to refuse a host like this',
      'The parts between the dots hold letters, digits and -, at most 63, and no - at either end. No dot ends the host. A template such as %(username)s stands at its beginning.',
    );
  }
  if (port !== undefined && !/^:\d{1,5}$/.test(port)) {
    return likelyRefused('the service is known to refuse a port like this', 'It has one to five digits.');
  }
  if (newerReleases.includes(scheme)) {
    return likelyRefused(
      'older services refuse this scheme',
      `The service takes ${shown(newerReleases)} from release 2026.2 on.`,
    );
  }
  if (port?.length === 2) {
    return likelyRefused(
      'older services refuse a port of one digit',
      'The service takes it from release 2024.8 on.',
    );
  }
  return undefined;
}

function isHost(host: string): boolean {
  if (host.startsWith('[')) return isIPv6(host.slice(1, -1));
  return host.length <= maxHostLength && hostName.test(host) && !holdsDelimiter(host);
}

/** Some characters stand for several in a URL: ℀ for a/c. */
function holdsDelimiter(host: string): boolean {
  return /[/?#@:]/.test(host.normalize('NFKC'));
}

function shown(schemes: readonly string[]): string {
  return schemes.map((scheme) => `${scheme}://`).join(', ');
}
