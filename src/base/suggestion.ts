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
