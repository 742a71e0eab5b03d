import type { Problem } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';

export const timeChecks: readonly ((value: JsonValue) => Problem | undefined)[] = [noSuchDay, noTimeZone].map(
  (problemOf) => (value) => (typeof value === 'string' ? problemOf(value) : undefined),
);

function noSuchDay(time: string): Problem | undefined {
  const date = time.slice(0, 'yyyy-mm-dd'.length);
  if (new Date(date).getUTCDate() === Number(date.slice(-2))) return undefined;
  return {
    code: 'invalid-format',
    summary: 'this date does not exist',
    detail: 'Check the day and the month.',
  };
}

/** A warning for a time without an offset: the service reads it as UTC, but the author may mean another zone. */
function noTimeZone(time: string): Problem | undefined {
  if (!hasNoTimeZone(time)) return undefined;
  return {
    code: 'no-time-zone',
    severity: 'warning',
    summary: 'this time has no offset from UTC',
    detail: 'The service reads it as UTC. Add Z for UTC, or an offset such as +02:00.',
  };
}

export function hasNoTimeZone(time: string): boolean {
  return !/(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(time.slice('yyyy-mm-ddThh:mm'.length));
}

/** The name of the field with the time after which the service no longer shows a record, unless `expiring` is false. */
export const expiry = 'expires';
