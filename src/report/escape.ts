import type { JsonValue } from '../json.ts';

/*
 * Control characters, and characters that cannot be seen or that turn the direction of what follows: general category C
 * (control, format, surrogate, private use, unassigned) and the line and paragraph separators.
 */
export const unsafe: RegExp = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Makes any text safe to print in one line of a terminal or a log: what is not plainly visible becomes `\u{…}`. */
export function inline(text: string): string {
  return text.replace(unsafe, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** A value as JSON, safe to print in one line. */
export function quoted(value: JsonValue): string {
  return inline(JSON.stringify(value));
}
