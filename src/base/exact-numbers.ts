/** The pattern matches strings too, so that digits inside strings are skipped. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Returns the text with null in place of each number that JSON.parse would round, or undefined if there is no such number. */
export function withoutInexactNumbers(json: string): string | undefined {
  let isOther = false;
  const text = json.replace(tokens, (token) => {
    if (token.startsWith('"') || JSON.stringify(Number(token)) === token) return token;
    isOther = true;
    return 'null';
  });
  return isOther ? text : undefined;
}
