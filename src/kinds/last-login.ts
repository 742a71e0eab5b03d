import type { Problem } from '../base/diagnostic.ts';
import { likelyRefused } from './release.ts';

/** A day that its month does not have: the form of a date-time is in the schema, and this cannot be. */
export function noSuchDay(time: string): Problem | undefined {
  const date = time.slice(0, 'yyyy-mm-dd'.length);
  if (new Date(date).getUTCDate() === Number(date.slice(-2))) return undefined;
  return { code: 'invalid-format', summary: 'there is no such day', detail: 'Check the day and the month.' };
}

/** Why the service would refuse a date-time that the schema lets through. */
export function lastLoginRefusal(time: string): Problem | undefined {
  if (time.endsWith('z')) {
    return likelyRefused('the service is known to refuse a lower-case z', 'Write Z.');
  }
  if (/^.{16}:60/s.test(time)) {
    return likelyRefused('the service is known to refuse leap seconds', 'Write 59 in place of 60.');
  }
  const year = new Date(hasNoTimeZone(time) ? `${time}Z` : time).getUTCFullYear();
  if (year < 1 || year > 9999) {
    return likelyRefused('the service is known to refuse this year', 'In UTC, it must be from 0001 to 9999.');
  }
  return undefined;
}

/** A time without an offset: the service takes it for UTC, and its writer may have meant another time zone. */
export function noTimeZone(time: string): Problem | undefined {
  if (!hasNoTimeZone(time)) return undefined;
  return {
    code: 'no-time-zone',
    severity: 'warning',
    summary: 'this time has no offset from UTC',
    detail: 'The service takes it for UTC. Add Z if that is meant, or an offset such as +02:00.',
  };
}

/** Whether a date-time says nothing of its time zone. */
function hasNoTimeZone(time: string): boolean {
  return !/(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(time.slice('yyyy-mm-ddThh:mm'.length));
}
