const longestSearch = 100;

/**
 * Query parameters that shorten a list but keep every record with the name: a search for the longest word of the name. The
 * service ignores case, and some releases treat quotes and commas specially. If the name has no letters, digits, `_` or `-`, the
 * query is empty.
 */
export function longestWordQuery(name: string): Readonly<Record<string, string>> {
  const words = name.match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const search = Array.from(longest).slice(0, longestSearch).join('');
  return search === '' ? {} : { search };
}
