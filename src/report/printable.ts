import { stripVTControlCharacters } from 'node:util';
import { eastAsianWidth } from 'get-east-asian-width';
import type { JsonValue } from '../base/json.ts';

/**
 * Control characters, invisible characters, and characters that change the direction of text: the general category C (control,
 * format, surrogate, private use, unassigned), and the line and paragraph separators.
 */
export const unsafeCharacters: RegExp = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Texts that CI systems interpret as commands: `##[…]`, `##vso[…]` and `##teamcity[…]` anywhere in a log line, `::…::` at its start. */
const ciCommand = /##(?=\w*\[)/g;
const ciCommandAtStart = /^(\s*):(?=:)/;
const escapedStart = String.raw`$1\u{3a}`;

/** Makes a string safe to print on one line of a terminal or log: invisible characters become `\u{…}`. */
export function printableLine(text: string): string {
  return text
    .replace(unsafeCharacters, (character) => {
      if (character === '\n') return '\\n';
      if (character === '\t') return '\\t';
      return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
    })
    .replace(ciCommand, String.raw`#\u{23}`)
    .replace(ciCommandAtStart, escapedStart);
}

/**
 * Wraps a safe string into lines of at most `width` columns, at blanks and next to characters of double width, such as Chinese,
 * Japanese and Korean ones. `indent` blanks precede all lines except the first. A longer word stays whole: half of a URL is useless.
 * Colour codes take no columns.
 */
export function wrapText(text: string, width: number, indent: number = 0): [string, ...string[]] {
  if (width === Infinity || widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let length = 0;
  for (const piece of piecesOf(text)) {
    const added = widthOf(piece);
    if (line !== '' && length + added > width) {
      lines.push(line);
      line = ' '.repeat(indent) + piece.trimStart();
      length = widthOf(line);
    } else {
      line += piece;
      length += added;
    }
  }
  const [first, ...others] = [...lines, line];
  return [first, ...others.map((other) => other.replace(ciCommandAtStart, escapedStart))];
}

/** Splits a string into words, each with the blanks before it. Words are also split next to characters of double width. */
function piecesOf(text: string): string[] {
  return Array.from(text.matchAll(/ *[^ ]+/g), ([word]) => word).flatMap((word) => {
    if (ascii.test(word)) return [word];
    const pieces: string[] = [];
    let piece = '';
    let wasWide = false;
    for (const character of word) {
      const isMark = mark.test(character);
      const isWide: boolean = isMark ? wasWide : widthOf(character) === 2;
      if (!isMark && (isWide || wasWide) && piece.trim() !== '') {
        pieces.push(piece);
        piece = '';
      }
      piece += character;
      wasWide = isWide;
    }
    return [...pieces, piece];
  });
}

const ascii = /^[ -~]*$/;
/** A combining mark above or below the previous character. */
const mark = /^[\p{Mn}\p{Me}]$/u;

/** The width of a safe string in columns; it may contain colour codes. */
export function widthOf(text: string): number {
  const shown = text.includes('\u001b') ? stripVTControlCharacters(text) : text;
  if (ascii.test(shown)) return shown.length;
  let width = 0;
  for (const character of shown)
    if (!mark.test(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  return width;
}

/** The longest prefix of a safe string that fits into a number of columns. */
export function firstColumns(text: string, max: number): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > max) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Cuts a safe string after `max` characters; no character is cut in half. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/\p{Cs}$/u, '')}…`;
}

export function withoutEmpty(...texts: readonly (string | false | undefined)[]): string[] {
  return texts.filter((text): text is string => Boolean(text));
}

export function capitalised(text: string): string {
  return text.replace(/^./, (letter) => letter.toUpperCase());
}

export function quotedJson(value: JsonValue): string {
  return printableLine(JSON.stringify(value));
}

/** Encodes a string as a part of a URI. A lone surrogate has no form in UTF-8, so it is replaced. */
export function uriComponent(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
}
