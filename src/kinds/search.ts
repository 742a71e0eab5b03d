const longestSearch = 100;

/**
 * Narrows a list to a few records, with those of a name among them: a search for its longest plain word. The service searches for
 * each word of a text, in any case, and some releases treat quotes and commas specially. A name without such a word narrows
 * nothing.
 */
export function searchFor(name: string): Readonly<Record<string, string>> {
  const words = name.match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const search = Array.from(longest).slice(0, longestSearch).join('');
  return search === '' ? {} : { search };
}
