import { printableLine, unsafeCharacters } from '../printable.ts';

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
  "'": '&apos;',
  '#': '&#35;',
  ':': '&#58;',
};

/** Writes HTML. Inserted values are escaped unless they are Html already; the items of a list are joined. */
export function markup(
  pieces: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const texts = values.map((value) => {
    if (value instanceof Html) return value.text;
    return typeof value === 'object' ? value.map(({ text }) => text).join('') : escapeMarkup(String(value));
  });
  return new Html(pieces.map((piece, index) => piece + (texts[index] ?? '')).join(''));
}

/** Characters that markup interprets, or that begin a CI command (see printable.ts) if a log contains the page. */
const special = /[&<>"']|#(?=#\w*\[)|(?<=^\s*):(?=:)/gmu;

/** Escapes a string for HTML or XML, and replaces invisible characters other than line endings by visible escapes. */
export function escapeMarkup(text: string): string {
  const visible = text.replace(unsafeCharacters, (character) =>
    character === '\n' ? character : printableLine(character),
  );
  return visible.replace(special, (character) => entities[character] ?? '');
}
