/** Matches texts too, so that digits inside them are skipped. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** JSON text with null in place of each number that would change when it is parsed and written; undefined if none would. */
export function withoutInexactNumbers(json: string): string | undefined {
  let isOther = false;
  const text = json.replace(tokens, (token) => {
    if (token.startsWith('"') || JSON.stringify(Number(token)) === token) return token;
    isOther = true;
    return 'null';
  });
  return isOther ? text : undefined;
}
