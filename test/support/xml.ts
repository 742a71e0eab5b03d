/** The reason why a text is not well-formed XML with one root element; undefined if it is. The check covers only what rollcall can write. */
export function xmlFault(text: string): string | undefined {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!text.startsWith(declaration)) return 'there is no declaration';
  const token = /<(\/?)([a-z-]+)((?: [a-z]+="(?:[^"<&]|&(?:amp|lt|gt|quot|apos);)*")*)(\/?)>|([^<]+)/y;
  token.lastIndex = declaration.length;
  const open: string[] = [];
  let roots = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const [whole, close, name = '', attributes = '', empty, words] = token.exec(text) ?? [];
    if (whole === undefined) return `no XML at ${JSON.stringify(text.slice(at, at + 80))}`;
    if (words !== undefined) {
      if (/&(?!(?:amp|lt|gt|quot|apos);)|\]\]>/.test(words)) return `unescaped: ${JSON.stringify(words)}`;
      if (open.length === 0 && words.trim() !== '') return `outside of the root: ${JSON.stringify(words)}`;
      continue;
    }
    const names = Array.from(attributes.matchAll(/ ([a-z]+)="/g), ([, attribute]) => attribute);
    if (new Set(names).size < names.length) return `an attribute twice: ${whole}`;
    if (open.length === 0) roots += 1;
    if (close === '/') {
      if (open.pop() !== name) return `closed out of turn: ${name}`;
    } else if (empty !== '/') open.push(name);
  }
  if (open.length > 0) return `not closed: ${open.join(', ')}`;
  return roots === 1 ? undefined : `${roots} roots`;
}
