/**
 * Parses a Retry-After header: seconds, or a date in any of the three formats of HTTP (RFC 9110, 10.2.3 and 5.6.7). If the header
 * has several values, for example from the service and a proxy, the longest wait wins. Returns milliseconds from `now`, or
 * undefined if no value is valid.
 */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const waits = withoutDays(value)
    .split(',')
    .flatMap((part) => waitFrom(part.trim(), now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function withoutDays(value: string): string {
  return value.replace(/(?<![A-Za-z])(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,/g, '');
}

/** Accepts fractions of a second, although the standard does not define them. */
function waitFrom(text: string, now: number): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), Number.MAX_SAFE_INTEGER);
  const date = dateFrom(text, now);
  return date === undefined ? undefined : Math.max(0, date - now);
}

const time = String.raw`(?<time>\d{2}:\d{2}:\d{2})`;
const month = '(?<month>[A-Z][a-z]{2})';
const dateForms: readonly RegExp[] = [
  // Example: 06 Nov 1994 08:49:37 GMT
  new RegExp(`^(?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  // Example: 06-Nov-94 08:49:37 GMT (RFC 850)
  new RegExp(`^(?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
  // Example: Sun Nov 6 08:49:37 1994 (asctime)
  new RegExp(`^[A-Z][a-z]{2} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
];

function dateFrom(text: string, now: number): number | undefined {
  const found = dateForms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return undefined;
  const { day = '', month: inMonth = '', year = '', time: at = '' } = found;
  const written = `${day.replace(' ', '0')} ${inMonth} ${fullYear(year, now)} ${at} GMT`;
  const date = new Date(written);
  // Date takes 31 November as 1 December.
  return date.toUTCString().endsWith(written) ? date.getTime() : undefined;
}

/** A two-digit year that seems to be more than 50 years ahead belongs to the previous century (RFC 9110, 5.6.7). */
function fullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
