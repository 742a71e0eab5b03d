import { inline, unsafe } from '../printable.ts';

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '#': '&#35;',
  ':': '&#58;',
};

/** Writes HTML. Values that are put in are escaped, unless they are Html already; the parts of a list follow each other. */
export function markup(
  pieces: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const texts = values.map((value) => {
    if (value instanceof Html) return value.text;
    return typeof value === 'object' ? value.map(({ text }) => text).join('') : escaped(String(value));
  });
  return new Html(pieces.map((piece, index) => piece + (texts[index] ?? '')).join(''));
}

/*
 * What means something to HTML, and what begins a command of a CI system: a page may be written to a log. See printable.ts.
 */
const special = /[&<>"']|#(?=#\w*\[)|(?<=^\s*):(?=:)/gmu;

/** Line ends are kept; any other character that cannot be seen is made visible. */
function escaped(text: string): string {
  const visible = text.replace(unsafe, (character) => (character === '\n' ? character : inline(character)));
  return visible.replace(special, (character) => entities[character] ?? '');
}
