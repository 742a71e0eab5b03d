import { UsageError } from '../base/errors.ts';

/** Checks a base URL and reduces it to scheme, host, and a path without a trailing slash. */
export function readBaseUrl(
  text: string,
  insecureHttp: boolean,
  insecureOptionName = '--insecure-http',
  source?: string,
): string {
  const invalidUrl = (problem: string, hint: string): UsageError =>
    new UsageError(`the service URL ${source === undefined ? '' : `in ${source} `}${problem}`, hint);
  // The URL parser leaves out line breaks, and encodes blanks.
  if (!URL.canParse(text) || /\s/.test(text.trim()))
    throw invalidUrl('is not a URL', 'Write scheme and host, such as https://id.example.com.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw invalidUrl('has an unknown scheme', 'A service URL begins with https:// or http://.');
  if (url.username !== '' || url.password !== '')
    throw invalidUrl('contains a user name or a password', 'Set the token in ROLLCALL_TOKEN.');
  const page = servicePage.exec(url.pathname);
  if (page) {
    const base = `${url.origin}${url.pathname.slice(0, page.index)}`;
    throw invalidUrl(
      `includes a page of the service: ${page[0]}`,
      `The base URL is the part before that page: ${base}`,
    );
  }
  if (url.search !== '' || url.hash !== '')
    throw invalidUrl('contains a query or a fragment', 'Leave out the part after the path.');
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url.hostname))
    throw new UsageError(
      `the token would be sent to ${url.host} unencrypted`,
      `Use https://, or ${insecureOptionName} if the connection is protected by other means.`,
    );
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api\/v3$/, '');
  return url.origin + path;
}

/** The paths of pages and of the API. A user may have pasted such a path with the base URL. */
const servicePage =
  /\/(?:if\/(?:admin|user|flow)|application\/(?:o|saml|launch)|-\/(?:health|metrics)|api\/v3\/(?:admin|core|providers|root|schema))(?:\/|$)/;

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
