import { isIPv6 } from 'node:net';
import type { Problem } from '../base/diagnostic.ts';
import { releaseProblemFor, refusedProblem, type Release } from './release.ts';
import { isLongerThan } from './release-checks.ts';

const maxUrlLength = 2048;
const maxHostLength = 253;

const allReleases = ['http', 'https', 'ftp', 'ftps', 'blank'];
const newerReleases = ['ssh', 'sftp'];

/** Matches scheme, user and password, host, port, and path. The schema already excludes white space. */
const parts = /^[^:]*:\/\/(?:[^:@/?#[\]]+(?::[^:@/?#[\]]*)?@)?(\[[^\]]*\]|[^:/?#]*)(:[^/?#]*)?(?:[/?#].*)?$/s;

const letters = String.raw`A-Za-z0-9\u00a1-\uffff`;
const label = `[${letters}](?:[${letters}-]{0,61}[${letters}])?`;
/** Matches labels separated by dots. The first label may contain a template such as %(username)s, with only letters before the template. */
const hostName = new RegExp(`^[%()A-Za-z]*${label}(?:\\.${label})*$`);

export function launchUrlRefusal(url: string, release: Release | undefined): Problem | undefined {
  if (url === '') return undefined;
  const scheme = /^([^:]*):\/\//.exec(url)?.[1]?.toLowerCase() ?? '';
  if (![...allReleases, ...newerReleases].includes(scheme))
    return refusedProblem(
      'this scheme',
      `The service accepts ${shown(allReleases)}. Since release 2026.2, it also accepts ${shown(newerReleases)}.`,
    );
  if (isLongerThan(url, maxUrlLength))
    return refusedProblem(
      `URLs of more than ${maxUrlLength} characters`,
      'Use a shorter URL.',
      'invalid-length',
    );
  const [, host = '', port] = parts.exec(url) ?? [];
  if (!isHost(host))
    return refusedProblem(
      'a host like this',
      'Each part of a host has at most 63 letters, digits and hyphens, and does not begin or end with a hyphen. The host must not end with a dot. A template such as %(username)s is possible only at the beginning of a host.',
    );
  if (port !== undefined && !/^:\d{1,5}$/.test(port))
    return refusedProblem('a port like this', 'A port has one to five digits.');
  if (newerReleases.includes(scheme)) {
    const problem = releaseProblemFor(
      { before: '2026.2' },
      release,
      'refuse this scheme',
      `All releases accept ${shown(allReleases)}.`,
    );
    if (problem) return problem;
  }
  if (port?.length !== 2) return undefined;
  return releaseProblemFor({ before: '2024.8' }, release, 'refuse a port of one digit', '');
}

/** A warning about a template, such as %(pk)s, that some releases do not replace. */
export function unfilledTemplate(url: string, release: Release | undefined): Problem | undefined {
  if (!url.includes('%(')) return undefined;
  const names = new Set(Array.from(url.matchAll(/%\((\w+)\)s/g), ([, name = '']) => name));
  const since = '2025.10.3';
  const unfilled = [
    ['pk', { before: since }, 'In these releases, use %(id)s.'],
    ['uid', { before: since }, ''],
    ['id', { from: since }, 'In these releases, use %(pk)s.'],
  ] as const;
  for (const [name, range, advice] of unfilled) {
    if (!names.has(name)) continue;
    const found = releaseProblemFor(range, release, `leave %(${name})s in a launch URL unchanged`, advice);
    if (found) return { ...found, severity: 'warning' };
  }
  return undefined;
}

function isHost(host: string): boolean {
  if (host.startsWith('[')) return /^[\d.:a-f[\]]+$/i.test(host) && isIPv6(host.slice(1, -1));
  return host.length <= maxHostLength && hostName.test(host) && !holdsDelimiter(host);
}

/** Whether the host contains a character such as ℀, which URL normalization would turn into a/c. */
function holdsDelimiter(host: string): boolean {
  return /[/?#@:]/.test(host.normalize('NFKC'));
}

function shown(schemes: readonly string[]): string {
  return schemes.map((scheme) => `${scheme}://`).join(', ');
}
