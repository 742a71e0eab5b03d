import { unsafe } from './escape.ts';

/** A document as it is written: indented, with its last newline, and with nothing in it that a terminal or a CI log would act on. */
export function jsonText(document: object): string {
  return `${safe(JSON.stringify(document, null, 2))}\n`;
}

/** The same in a single line. */
export function jsonLine(document: object): string {
  return `${safe(JSON.stringify(document))}\n`;
}

function safe(json: string): string {
  return json
    .replace(unsafe, (character) => (character === '\n' ? character : escaped(character)))
    .replace(/##(?=\w*\[)/g, String.raw`#\u0023`);
}

/** Only strings hold such characters, so JSON's own escapes serve: one for each UTF-16 code unit. */
function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
