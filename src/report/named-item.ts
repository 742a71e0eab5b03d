import { isJsonList, textOf, type JsonValue } from '../base/json.ts';

/**
 * The index of the item of a declared list that the service's texts name. The service repeats the id that it refuses, in
 * whatever language; an id is data, and no other word is looked at. None when no text has just one of the ids in it.
 */
export function namedItem(declared: JsonValue | undefined, texts: readonly string[]): number | undefined {
  if (!isJsonList(declared)) return undefined;
  const ids = declared.map((item) => plainId(textOf(item)));
  for (const text of texts) {
    const words = new Set(Array.from(text.matchAll(/[\w-]+/g), ([word]) => plainId(word)));
    const [id, ...others] = new Set(ids.filter((candidate) => words.has(candidate)));
    if (id !== undefined && others.length === 0) return ids.indexOf(id);
  }
  return undefined;
}

/** A UUID can be written in either case, with dashes or without. */
function plainId(text: string): string {
  return /^[\da-f-]{32,36}$/i.test(text) ? text.toLowerCase().replaceAll('-', '') : text;
}
