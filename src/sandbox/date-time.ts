import type { JsonValue } from '../base/json.ts';
import { wrong, type Reading } from './fields.ts';

const dates = [
  String.raw`(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)`,
  String.raw`(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)`,
  String.raw`(?<year>\d{4})-W(?<week>\d\d)(?:-(?<weekday>\d))?(?!\d)`,
  String.raw`(?<year>\d{4})W(?<week>\d\d)(?<weekday>\d)?(?!\d)`,
];
const times = [
  String.raw`(?<hour>\d\d)(?::(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?`,
  String.raw`(?<hour>\d\d)(?:(?<minute>\d\d)(?:(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?`,
];
const isoOffset = String.raw`(?<offset>Z|[-+]\d\d(?::\d\d(?::\d\d)?)?|[-+]\d{4}(?:\d\d)?)`;

/** What Python reads as ISO 8601: any one character may stand between date and time. */
const isoForms = dates.flatMap((date) => times.map((time) => `^${date}(?:.${time}${isoOffset}?)?$`));
/** What the framework reads besides: numbers of one digit, and space before the offset. */
const tolerantForm =
  String.raw`^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})[T ](?<hour>\d{1,2}):(?<minute>\d{1,2})` +
  String.raw`(?::(?<second>\d{1,2})(?:[.,](?<fraction>\d{1,12}))?)?\s*(?<offset>Z|[-+]\d\d(?::?\d\d)?)?\n?$`;

const forms = [...isoForms, tolerantForm].map((form) => new RegExp(form, 'su'));

/** A date-time in any form that the service reads, in UTC; one without an offset is taken for UTC. */
export function dateTime(value: JsonValue): Reading {
  if (value === null) return { value };
  const text = typeof value === 'string' ? value : '';
  for (const form of forms) {
    const parts = form.exec(text)?.groups;
    const seconds = parts && secondsOf(parts);
    if (parts && seconds !== undefined) return stored(seconds, parts['fraction'] ?? '');
  }
  const expected = 'YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]';
  return wrong(`Datetime has wrong format. Use one of these formats instead: ${expected}.`);
}

type Parts = Readonly<Record<string, string | undefined>>;

/** Seconds since the epoch, or nothing where there is no such day, time or offset. */
function secondsOf(parts: Parts): number | undefined {
  const days = 'week' in parts ? dayOfWeekDate(parts) : dayOfDate(parts);
  const [hour, minute, second] = [number(parts['hour']), number(parts['minute']), number(parts['second'])];
  const shift = offsetOf(parts['offset']);
  if (days === undefined || hour > 23 || minute > 59 || second > 59 || Math.abs(shift) >= day)
    return undefined;
  return days * day + hour * 3600 + minute * 60 + second - shift;
}

const day = 86_400;

function dayOfDate(parts: Parts): number | undefined {
  const [year, month, date] = [number(parts['year']), number(parts['month']), number(parts['day'])];
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, date);
  const exists = year >= 1 && midnight.getUTCMonth() === month - 1 && midnight.getUTCDate() === date;
  return exists ? midnight.getTime() / 1000 / day : undefined;
}

/** The first week of a year is the one that holds its fourth of January. */
function dayOfWeekDate(parts: Parts): number | undefined {
  const [year, week, weekday] = [
    number(parts['year']),
    number(parts['week']),
    number(parts['weekday'] ?? '1'),
  ];
  const monday = firstMonday(year) + (week - 1) * 7;
  const exists = year >= 1 && week >= 1 && weekday >= 1 && weekday <= 7 && monday < firstMonday(year + 1);
  return exists ? monday + weekday - 1 : undefined;
}

function firstMonday(year: number): number {
  const fourth = new Date(0);
  fourth.setUTCFullYear(year, 0, 4);
  return fourth.getTime() / 1000 / day - ((fourth.getUTCDay() + 6) % 7);
}

/** Seconds, of an offset such as +02:00, +0200 or +02. */
function offsetOf(offset: string | undefined): number {
  if (offset === undefined || offset === 'Z') return 0;
  const [hours, minutes, seconds] = offset.slice(1).match(/\d\d/g) ?? [];
  if (number(minutes) > 59 || number(seconds) > 59) return day;
  const size = number(hours) * 3600 + number(minutes) * 60 + number(seconds);
  return offset.startsWith('-') ? -size : size;
}

function number(digits = '0'): number {
  return Number(digits);
}

function stored(seconds: number, fraction: string): Reading {
  const instant = new Date(seconds * 1000);
  const year = instant.getUTCFullYear();
  if (year < 1 || year > 9999) return wrong('Datetime value out of range.');
  const micros = fraction.slice(0, 6).padEnd(6, '0');
  const rest = micros === '000000' ? 'Z' : `.${micros}Z`;
  return { value: instant.toISOString().replace('.000Z', rest) };
}
