import { isJsonList, isJsonObject, textOf, type JsonValue } from '../../base/json.ts';
import { shownValue } from '../../kinds/fields.ts';
import type { Resource } from '../../kinds/resource.ts';
import type { FieldError } from '../../service/complaints.ts';

/** The declared field that the service complains about, with the index or key inside the field. */
export function placeOfComplaint(
  { field, key, item, texts }: FieldError,
  resource: Resource,
): { readonly field?: string; readonly item?: number | undefined } {
  if (field === undefined) return {};
  const value = shownValue(resource, field) ?? null;
  if (key === undefined) {
    const named = namedItem(value, texts);
    return { field, item: isJsonList(value) ? (item ?? named) : named };
  }
  const index = isJsonObject(value) ? Object.keys(value).indexOf(key.split('.')[0] ?? '') : -1;
  return index === -1 ? {} : { field, item: index };
}

/** Returns the index of the only item whose id the service's message contains. The message may be in any language. */
function namedItem(declared: JsonValue | undefined, texts: readonly string[]): number | undefined {
  if (!isJsonList(declared)) return undefined;
  const ids = declared.map((item) => plainId(textOf(item)));
  for (const text of texts) {
    const words = new Set(Array.from(text.matchAll(/[\w-]+/g), ([word]) => plainId(word)));
    const [id, ...others] = new Set(ids.filter((candidate) => words.has(candidate)));
    if (id !== undefined && others.length === 0) return ids.indexOf(id);
  }
  return undefined;
}

/** Makes UUIDs comparable, because their case and dashes vary. */
function plainId(text: string): string {
  return /^[\da-f-]{32,36}$/i.test(text) ? text.toLowerCase().replaceAll('-', '') : text;
}
