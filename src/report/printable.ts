import { stripVTControlCharacters } from 'node:util';
import { eastAsianWidth } from 'get-east-asian-width';
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
 * Breaks a safe text into safe lines of at most so many columns, at blanks and beside characters that are two columns wide, as
 * those of Chinese, Japanese and Korean are; `indent` blanks stand before all but the first. A word that is longer stays whole:
 * nobody can use half of a URL. Colours take no room.
 */
export function wrapped(text: string, width: number, indent: number = 0): [string, ...string[]] {
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
  return [first, ...others.map((other) => other.replace(commandAtStart, escapedStart))];
}

/** The words of a text with the blanks before them, parted also beside each wide character. */
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
/** What stands above or below the character before it. */
const mark = /^[\p{Mn}\p{Me}]$/u;

/** How many columns a safe text takes on a terminal, which it may have colours for. */
export function widthOf(text: string): number {
  const shown = text.includes('\u001b') ? stripVTControlCharacters(text) : text;
  if (ascii.test(shown)) return shown.length;
  let width = 0;
  for (const character of shown)
    if (!mark.test(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  return width;
}

/** The first characters of a safe text that fit so many columns. */
export function firstColumns(text: string, most: number): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += widthOf(character);
    if (width > most) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The first characters of a safe text. Does not cut a character in half. */
export function startOf(text: string, most: number): string {
  return text.slice(0, most).replace(/\p{Cs}$/u, '');
}

/** Those of some texts that have anything in them. */
export function present(...texts: readonly (string | false | undefined)[]): string[] {
  return texts.filter((text): text is string => Boolean(text));
}

export function capitalised(text: string): string {
  return text.replace(/^./, (letter) => letter.toUpperCase());
}

/** A value as JSON, safe to print in one line. */
export function quoted(value: JsonValue): string {
  return inline(JSON.stringify(value));
}

/** A text as a part of a URI. A lone surrogate cannot be written in UTF-8, so it cannot be in one. */
export function uriComponent(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
}
