import { stripVTControlCharacters } from 'node:util';
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
const escapedStart = String.raw`$1\u{3a}`;

/** Makes any text safe to print in one line of a terminal or a log: characters that cannot be seen become `\u{…}`. */
export function inline(text: string): string {
  return text
    .replace(unsafe, (character) => {
      if (character === '\n') return '\\n';
      if (character === '\t') return '\\t';
      return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
    })
    .replace(command, String.raw`#\u{23}`)
    .replace(commandAtStart, escapedStart);
}

/**
 * Breaks a safe text at blanks into safe lines of at most a width; `indent` blanks stand before all but the first. A word that is
 * longer stays whole: nobody can use half of a URL. Colours take no room.
 */
export function wrapped(text: string, width: number, indent: number = 0): [string, ...string[]] {
  if (lengthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let length = 0;
  for (const [word] of text.matchAll(/ *[^ ]+/g)) {
    const added = lengthOf(word);
    if (line !== '' && length + added > width) {
      lines.push(line);
      line = ' '.repeat(indent) + word.trimStart();
      length = lengthOf(line);
    } else {
      line += word;
      length += added;
    }
  }
  const [first, ...others] = [...lines, line];
  return [first, ...others.map((other) => other.replace(commandAtStart, escapedStart))];
}

/** How many characters a safe text takes on a terminal, which it may have colours for. */
export function lengthOf(text: string): number {
  return text.includes('\u001b') ? stripVTControlCharacters(text).length : text.length;
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
