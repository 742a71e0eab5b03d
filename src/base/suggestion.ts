import { distance } from 'fastest-levenshtein';

/** The known word nearest to a written one, if it is near enough. */
export function nearest(written: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let fewest = Math.max(2, Math.floor(written.length / 3)) + 1;
  for (const word of known) {
    const edits = distance(written.toLowerCase(), word.toLowerCase());
    if (edits >= fewest) continue;
    best = word;
    fewest = edits;
  }
  return best;
}

export function didYouMean(written: string, known: Iterable<string>): string | undefined {
  const word = nearest(written, known);
  return word === undefined ? undefined : `Did you mean \`${word}\`?`;
}
