/** Texts are skipped, and so is what in them looks like a number. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** A text that is JSON, with null in place of each number that would be written otherwise once it is read; nothing where all stay. */
export function withoutInexact(json: string): string | undefined {
  let isOther = false;
  const text = json.replace(tokens, (token) => {
    if (token.startsWith('"') || JSON.stringify(Number(token)) === token) return token;
    isOther = true;
    return 'null';
  });
  return isOther ? text : undefined;
}
