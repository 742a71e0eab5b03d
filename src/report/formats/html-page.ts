import { createHash } from 'node:crypto';
import { pageAsset } from '../../base/package-file.ts';
import { inline, unsafe } from '../printable.ts';
import type { Look } from '../words/changes.ts';

/** A self-contained page: it loads nothing, and runs no script but its own. */
interface HtmlPage {
  readonly title: string;
  readonly lines: readonly Html[];
  /** How each kind of entry looks, in the order in which they are offered to be shown. */
  readonly kinds: Readonly<Record<string, Look>>;
  readonly entries: readonly PageEntry[];
  /** Further entries, folded up, and the words to click on; without any, they are left out. */
  readonly more?: { readonly words: string; readonly entries: readonly PageEntry[] };
}

export interface PageEntry {
  readonly kind: string;
  readonly heading: string;
  /** What will become of it, or what has. */
  readonly verdict: string;
  /** Where the manifest declares it. */
  readonly place: string;
  readonly body: Html;
}

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

/** Writes HTML. Values that are put in are escaped, unless they are Html already. */
export function markup(pieces: TemplateStringsArray, ...values: readonly (string | number | Html)[]): Html {
  let text = pieces[0] ?? '';
  for (const [index, value] of values.entries()) {
    text += value instanceof Html ? value.text : escaped(String(value));
    text += pieces[index + 1] ?? '';
  }
  return new Html(text);
}

export function joined(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join(''));
}

/*
 * What means something to HTML, and what begins a command of a CI system: a page may be written to a log. See escape.ts.
 */
const special = /[&<>"']|#(?=#\w*\[)|(?<=^\s*):(?=:)/gmu;

/** Line ends are kept; any other character that cannot be seen is made visible. */
function escaped(text: string): string {
  const visible = text.replace(unsafe, (character) => (character === '\n' ? character : inline(character)));
  return visible.replace(special, (character) => entities[character] ?? '');
}

export function htmlPage({ title, lines, kinds, entries, more }: HtmlPage): string {
  const folded = more?.entries ?? [];
  const style = pageAsset('page.css');
  const script = pageAsset('page.js');
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
${joined(lines.map((line) => markup`<p>${line}</p>\n`))}</header>
<main>
${filterForm(kinds, [...entries, ...folded])}
${entryList(entries, kinds)}
${folded.length > 0 ? markup`<details>\n<summary>${more?.words ?? ''}</summary>\n${entryList(folded, kinds)}\n</details>\n` : ''}</main>
<script>${new Html(script)}</script>
</body>
</html>
`;
  return page.text;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Hidden until the page's script shows it, because it does nothing without the script. */
function filterForm(kinds: HtmlPage['kinds'], entries: readonly PageEntry[]): Html {
  const boxes = Object.entries(kinds).flatMap(([kind, { label }]) => {
    const count = entries.filter((entry) => entry.kind === kind).length;
    return count === 0
      ? []
      : [markup`<label><input type="checkbox" value="${kind}" checked> ${label} (${count})</label>\n`];
  });
  return markup`<form role="search" hidden>
<fieldset>
<legend>Show</legend>
${joined(boxes)}</fieldset>
<p class="search"><label for="search">Search</label> <input type="search" id="search" autocomplete="off">
<span class="soft" role="status"></span></p>
</form>`;
}

function entryList(entries: readonly PageEntry[], kinds: HtmlPage['kinds']): Html {
  return markup`<ol role="list">
${joined(entries.map((entry) => entryItem(entry, kinds[entry.kind])))}</ol>`;
}

function entryItem({ heading, verdict, place, body, ...entry }: PageEntry, look: Look | undefined): Html {
  return markup`<li class="${look?.colour ?? 'grey'}" data-kind="${entry.kind}">
<h2><span class="sign" aria-hidden="true">${look?.sign ?? ''}</span> ${heading}</h2>
<p class="verdict">${verdict}</p>
<p class="soft">${place}</p>
${body}</li>
`;
}
