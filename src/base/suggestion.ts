import { distance } from 'fastest-levenshtein';

/** The known word that is near enough to what was written, if there is one. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((word) => ({ word, edits: distance(written.toLowerCase(), word.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= Math.max(2, Math.floor(written.length / 3))
    ? best.word
    : undefined;
}

export function didYouMean(written: string, known: readonly string[]): string | undefined {
  const word = nearest(written, known);
  return word === undefined ? undefined : `Did you mean \`${word}\`?`;
}
