import { isJsonList, isJsonObject, mapValues, type JsonValue } from '../base/json.ts';
import { kindAt, kindOfEntry, lists } from '../kinds/all.ts';
import { mapIds } from '../kinds/map-ids.ts';
import type { Kind } from '../kinds/kind.ts';

// The white space that the service strips: Python's, which differs from JavaScript's.
const space =
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

export function trimAsService(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && space.includes(text.charAt(start))) start += 1;
  while (end > start && space.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/**
 * Trims strings in entries and defaults, including names in place of ids and strings in lists, but no strings inside mappings such
 * as attributes.
 */
export function trimManifest(manifest: JsonValue): JsonValue {
  if (!isJsonObject(manifest)) return manifest;
  const trimmed: Record<string, JsonValue> = { ...manifest };
  for (const list of lists) {
    const entries = trimmed[list];
    if (isJsonList(entries))
      trimmed[list] = entries.map((entry) => trimFields(entry, kindOfEntry(list, entry)));
  }
  const defaults = trimmed['defaults'];
  if (isJsonObject(defaults))
    trimmed['defaults'] = mapValues(defaults, (entry, type) => trimFields(entry, kindAt(['defaults', type])));
  return trimmed;
}

function trimFields(entry: JsonValue, kind: Kind | undefined): JsonValue {
  if (!isJsonObject(entry)) return entry;
  return mapValues(entry, (value, field) => {
    if (typeof value === 'string') return trimAsService(value);
    if (field === kind?.access?.field && isJsonObject(value)) return mapValues(value, trimNames);
    const row = kind?.fields[field] ?? {};
    if (row.tableForm === 'strings' && row.refersTo === undefined && isJsonList(value))
      return value.map((item) => (typeof item === 'string' ? trimAsService(item) : trimNames(item)));
    return mapIds(row, value, trimNames);
  });
}

function trimNames(ids: JsonValue): JsonValue {
  if (isJsonList(ids)) return ids.map((id) => trimNames(id));
  if (!isJsonObject(ids)) return ids;
  return mapValues(ids, (value) => (typeof value === 'string' ? trimAsService(value) : value));
}
