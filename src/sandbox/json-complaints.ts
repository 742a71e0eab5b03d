import { parseJson } from '../base/json.ts';

// What the service says of a text that is no JSON to it. Each of its parsers has words of its own for each mistake; here are
// those that can be had with what a program writes.

/** What the parser says that it had at first; nothing of a text that it takes. */
export function earlierComplaint(text: string): string | undefined {
  return parseJson(text) === undefined ? `Expecting value: ${placeIn(text, text.length)}` : undefined;
}

/** What the parser says that it has from 2024.8 on, which takes no half of a character and no number that is too large. */
export function laterComplaint(text: string): string | undefined {
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (!token.startsWith('"')) {
      if (Number.isFinite(Number(token))) continue;
      return `number is infinity when parsed as double: ${placeIn(text, index)}`;
    }
    const half = halfIn(token);
    if (half !== undefined) return `${half.complaint}: ${placeIn(text, index + half.end)}`;
  }
  return parseJson(text) === undefined ? `unexpected end of data: ${placeIn(text, text.length)}` : undefined;
}

const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/gsu;

/** The first escape in a text that is half of a character without the other half, and where the escape ends. */
function halfIn(token: string): { readonly complaint: string; readonly end: number } | undefined {
  const escapes = /\\u(?<high>d[89ab]..)\\u(?<low>d[c-f]..)|\\u(?<half>d[89a-f]..)|\\./gisu;
  for (const { groups, index } of token.matchAll(escapes)) {
    const half = groups?.['half'];
    if (half === undefined) continue;
    const isHigh = /^d[89ab]/i.test(half);
    const complaint = isHigh ? 'no low surrogate in string' : 'invalid high surrogate in string';
    return { complaint, end: index + 6 };
  }
  return undefined;
}

function placeIn(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n');
  return `line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1} (char ${at})`;
}
