import { domainToASCII } from 'node:url';
import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';

// The service is written in Python, and some of what it takes and says shows that.

/** The name that Python has for the type of a value. */
export function typeName(value: JsonValue): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    default:
      return 'dict';
  }
}

/** A value as a text: `str(value)`. */
export function str(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (isJsonList(value)) return `[${value.map(repr).join(', ')}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, item]) => `${repr(key)}: ${repr(item)}`);
    return `{${members.join(', ')}}`;
  }
  // What is longer than 64 bits is no integer any more.
  return typeof value === 'number' && Math.abs(value) >= 2 ** 64 ? value.toExponential() : String(value);
}

function repr(value: JsonValue): string {
  if (typeof value !== 'string') return str(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  return quote + value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`) + quote;
}

/** `text % values`; the text as it is where that raises: over a key that is not there, and over a stray percent sign. */
export function percentFormat(text: string, values: Readonly<Record<string, JsonValue>>): string {
  let raises = false;
  const formatted = text.replaceAll(/%(?:%|\(([^()]*)\)s)?/g, (match, key?: string) => {
    if (match === '%%') return '%';
    const value = key !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;
    raises ||= value === undefined;
    return str(value ?? null);
  });
  return raises ? text : formatted;
}

/** `int(value)`, where it does not raise: of a number what stands before the point, of a text its digits. */
export function int(value: JsonValue): number | undefined {
  if (typeof value === 'number') return Math.trunc(value);
  const digits = typeof value === 'string' ? digitsOf(value, /^[-+]?\d+(_\d+)*$/) : undefined;
  return digits === undefined ? undefined : Number(digits);
}

/** `uuid.UUID(text)`, where it does not raise: 32 hexadecimal digits, with dashes, braces or `urn:uuid:`. */
export function uuidDigits(text: string): string | undefined {
  const bare = text
    .replaceAll('urn:', '')
    .replaceAll('uuid:', '')
    .replace(/^[{}]+|[{}]+$/g, '');
  const digits = bare.replaceAll('-', '').toLowerCase();
  if (digits.length !== 32) return undefined;
  return digitsOf(digits, /^\+?(0x_?)?[\da-f]+(_[\da-f]+)*$/)
    ?.replace(/^\+?(0x)?/, '')
    .padStart(32, '0');
}

const separators = new RegExp(String.raw`[\x1c-\x1f]`);

/** The digits of a text that Python reads as a number: space around them is left out, and lines between them. */
function digitsOf(text: string, form: RegExp): string | undefined {
  const stripped = strip(text);
  return form.test(stripped) && !separators.test(text) ? stripped.replaceAll('_', '') : undefined;
}

/** What a regular expression of Python means by `\s`, for use between brackets. */
export const whiteSpace: string = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const ends = new RegExp(`^[${whiteSpace}]+|[${whiteSpace}]+$`, 'g');

export function strip(text: string): string {
  return text.replace(ends, '');
}

/** A host in ASCII, or nothing where that cannot be. */
export function idna(host: string): string | undefined {
  const labels = host
    .replaceAll('ß', 'ss')
    .split(/[.\u3002\uff0e\uff61]/)
    .map(asciiOf);
  return labels.includes(undefined) ? undefined : labels.join('.');
}

/** Node's function reads a whole URL's host: it leaves out line ends, and stops at some characters. */
function asciiOf(label: string): string | undefined {
  const ascii = label.replaceAll(/[^\0-\x7f]/g, '');
  if (ascii === label) return label;
  return /^[-a-z0-9]*$/i.test(ascii) ? domainToASCII(label) || undefined : undefined;
}
