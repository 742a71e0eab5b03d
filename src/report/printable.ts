import type { JsonValue } from '../base/json.ts';

/*
 * Control characters, and characters that cannot be seen or that turn the direction of what follows: general category C
 * (control, format, surrogate, private use, unassigned) and the line and paragraph separators.
 */
export const unsafe: RegExp = /[\p{C}\p{Zl}\p{Zp}]/gu;

/*
 * What CI systems take for a command when it stands in a log: `##[…]`, `##vso[…]` and `##teamcity[…]` anywhere in a line, and
 * `::…::` where a line begins.
 */
const command = /##(?=\w*\[)/g;
const commandAtStart = /^(\s*):(?=:)/;

/** Makes any text safe to print in one line of a terminal or a log: characters that cannot be seen become `\u{…}`. */
export function inline(text: string): string {
  return text
    .replace(unsafe, (character) => {
      if (character === '\n') return '\\n';
      if (character === '\t') return '\\t';
      return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
    })
    .replace(command, String.raw`#\u{23}`)
    .replace(commandAtStart, String.raw`$1\u{3a}`);
}

/** Breaks a safe text into safe lines of at most a width, at blanks where possible. */
export function wrapped(text: string, width: number): [string, ...string[]] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width - 1) + 1;
    const cut = blank > width / 2 ? blank : startOf(rest, width).length;
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  const [first = '', ...others] = [...lines, rest].map((line) => inline(line));
  return [first, ...others];
}

/** The first characters of a safe text. Does not cut a character in half. */
export function startOf(text: string, most: number): string {
  return text.slice(0, most).replace(/\p{Cs}$/u, '');
}

/** A value as JSON, safe to print in one line. */
export function quoted(value: JsonValue): string {
  return inline(JSON.stringify(value));
}

/** A text as a part of a URI. A lone surrogate cannot be written in UTF-8, so it cannot be in one. */
export function uriComponent(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
}
