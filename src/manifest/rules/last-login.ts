import type { Refusal } from './refusal.ts';

/** Why the service would refuse a date-time that the schema lets through. */
export function lastLoginRefusal(time: string): Refusal | undefined {
  if (time.endsWith('z')) {
    return { summary: 'the service is known to refuse a lower-case z', detail: 'Write Z.' };
  }
  if (/^.{17}60/s.test(time)) {
    return { summary: 'the service is known to refuse leap seconds', detail: 'Write 59 in place of 60.' };
  }
  const year = new Date(hasNoTimeZone(time) ? `${time}Z` : time).getUTCFullYear();
  if (year < 1 || year > 9999) {
    return {
      summary: 'the service is known to refuse this year',
      detail: 'In UTC, it must be from 0001 to 9999.',
    };
  }
  return undefined;
}

/** Whether a date-time says nothing of its time zone. */
export function hasNoTimeZone(time: string): boolean {
  return !/(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(time.slice('yyyy-mm-ddThh:mm:ss'.length));
}
