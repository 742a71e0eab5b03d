/** A text as it reads when its escapes are undone, and where each of its characters comes from. */
export interface View {
  readonly text: string;
  /** The offset in the original of each character, and of the end; none where nothing was undone. */
  readonly origins?: Uint32Array;
}

interface Decoder {
  /** A text without this has nothing to undo. */
  readonly sign: string;
  readonly escape: RegExp;
  readonly decode: (escape: string) => string;
}

/* One character of UTF-8, percent-encoded. */
const percentEncoded =
  '%[0-7][\\da-f]|%[cd][\\da-f]%[89ab][\\da-f]|%e[\\da-f](?:%[89ab][\\da-f]){2}|%f[0-7](?:%[89ab][\\da-f]){3}';

/** The escapes of JSON and most programming languages, of URLs and forms, and of HTML. */
const decoders: readonly Decoder[] = [
  { sign: '\\', escape: /\\(?:u[\da-f]{4}|x[\da-f]{2}|.)/gis, decode: fromBackslash },
  { sign: '%', escape: new RegExp(percentEncoded, 'gi'), decode: fromPercent },
  {
    sign: '+',
    escape: new RegExp(`\\+|${percentEncoded}`, 'gi'),
    decode: (escape) => (escape === '+' ? ' ' : fromPercent(escape)),
  },
  { sign: '&', escape: /&(?:#\d{1,7}|#x[\da-f]{1,6}|quot|amp|lt|gt|apos);/gi, decode: fromEntity },
];

/** How many layers of escapes are undone: JSON in JSON in a URL is the deepest that is followed. */
const maxDepth = 3;

/** Whether a text has anything that can be undone. */
export function hasEscapes(text: string): boolean {
  return decoders.some((decoder) => applies(decoder, text));
}

function applies({ sign, escape }: Decoder, text: string): boolean {
  return text.includes(sign) && text.search(escape) >= 0;
}

/** All readings of a text: as it is, and with its escapes undone, one kind after the other. */
export function viewsOf(text: string): Iterable<View> {
  return readings({ text }, maxDepth);
}

function* readings(view: View, depth: number): Iterable<View> {
  yield view;
  if (depth === 0) return;
  for (const decoder of decoders)
    if (applies(decoder, view.text)) yield* readings(decoded(view, decoder), depth - 1);
}

/** The part of the original text that a part of a view stands for. */
export function originOf(
  { origins }: View,
  { start, end }: { readonly start: number; readonly end: number },
): { start: number; end: number } {
  return origins === undefined ? { start, end } : { start: origins[start] ?? 0, end: origins[end] ?? 0 };
}

function decoded({ text, origins }: View, { escape, decode }: Decoder): View {
  const from = new Uint32Array(text.length + 1);
  let result = '';
  let at = 0;
  const keepUntil = (end: number): void => {
    for (let kept = at; kept < end; kept += 1) from[result.length + kept - at] = origins?.[kept] ?? kept;
    result += text.slice(at, end);
    at = end;
  };
  for (const match of text.matchAll(escape)) {
    keepUntil(match.index);
    const [written] = match;
    const meant = decode(written);
    from.fill(origins?.[at] ?? at, result.length, result.length + meant.length);
    result += meant;
    at += written.length;
  }
  keepUntil(text.length);
  from[result.length] = origins?.[text.length] ?? text.length;
  return { text: result, origins: from.subarray(0, result.length + 1) };
}

const afterBackslash: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function fromBackslash(escape: string): string {
  const kind = escape.charAt(1);
  if (escape.length > 2) return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  return afterBackslash[kind] ?? kind;
}

function fromPercent(escape: string): string {
  try {
    return decodeURIComponent(escape);
  } catch {
    return escape; // bytes that are no character
  }
}

const entities: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };

function fromEntity(escape: string): string {
  const name = escape.slice(1, -1).toLowerCase();
  const known = entities[name];
  if (known !== undefined) return known;
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : escape;
}
