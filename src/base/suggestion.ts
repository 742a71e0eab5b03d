import { distance } from 'fastest-levenshtein';
import { UsageError } from './errors.ts';

/** The candidate with the smallest edit distance, or undefined if the distance is more than two and more than a third of the input's length. */
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

/** The nearest name of a record. Long names often share a prefix such as a path, so only their ends are compared as well. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const near = known.filter((candidate) => {
    const start = sharedStart(name.toLowerCase(), candidate.toLowerCase());
    return nearestWord(name.slice(start), [candidate.slice(start)]) !== undefined;
  });
  return nearestWord(name, near);
}

/** The length of the words that two names have in common at their start. */
function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length === a.length ? 0 : a.slice(0, length).search(/[^\p{L}\p{N}][\p{L}\p{N}]*$/u) + 1;
}

export function didYouMean(input: string, candidates: Iterable<string>): string | undefined {
  const word = nearestWord(input, candidates);
  return word === undefined ? undefined : `Did you mean \`${word}\`?`;
}

/** Returns the choice with this name, or throws a UsageError that suggests a similar name or lists all names. */
export function choiceNamed<Choice extends string>(
  name: string,
  choices: readonly Choice[],
  message: string,
): Choice {
  const choice = choices.find((known) => known === name);
  if (choice !== undefined) return choice;
  throw new UsageError(message, didYouMean(name, choices) ?? `Choose one of: ${choices.join(', ')}.`);
}
