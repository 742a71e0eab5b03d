import { distance } from 'fastest-levenshtein';

/** The candidate with the smallest edit distance, or undefined if more than two edits and more than a third of the input differ. */
export function nearestWord(input: string, candidates: Iterable<string>): string | undefined {
  let bestMatch: string | undefined;
  let bestDistance = Math.max(2, Math.floor(input.length / 3)) + 1;
  for (const word of candidates) {
    const editDistance = distance(input.toLowerCase(), word.toLowerCase());
    if (editDistance >= bestDistance) continue;
    bestMatch = word;
    bestDistance = editDistance;
  }
  return bestMatch;
}

export function didYouMean(input: string, candidates: Iterable<string>): string | undefined {
  const word = nearestWord(input, candidates);
  return word === undefined ? undefined : `Did you mean \`${word}\`?`;
}
