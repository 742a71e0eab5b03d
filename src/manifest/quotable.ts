import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';
import { lineOf, rangeOf, type SourceFile } from '../base/source.ts';
import { ownerOf } from '../kinds/access.ts';
import { kindOfEntry, lists } from '../kinds/all.ts';
import { asNames } from '../kinds/named.ts';
import { hiddenOf, type Hide } from '../kinds/hide.ts';
import type { Kind } from '../kinds/kind.ts';
import { isNameOfOne } from '../kinds/values.ts';
import type { ParsedYaml } from '../yaml/places.ts';

const open = 1;
const closed = 2;

/**
 * A manifest that shows in messages what is not hidden. Only the lines are quoted that hold values of known fields which are not
 * hidden, and nothing else: a value may stand under a name that is misspelt, where a slip of the indentation has put it, or in a
 * comment.
 */
export function quotable(file: SourceFile, parsed: ParsedYaml, hide: Hide): SourceFile {
  const lines = linesOf(file, parsed, hide);
  return { ...file, isQuotable: (line) => lines[line] === open && !lineOf(file, line).includes('#') };
}

function linesOf(file: SourceFile, { value, places, diagnostics }: ParsedYaml, hide: Hide): Uint8Array {
  const lines = new Uint8Array(file.lineStarts.length + 1);
  // Of a text that is not understood as a whole, it is not known what stands where.
  if (!isJsonObject(value) || diagnostics.length > 0) return lines;

  const mark = (path: readonly (string | number)[], key: string | number, state: number): void => {
    const [start, end] = places.ofValue([...path, key]);
    const from = typeof key === 'string' ? places.ofKey(path, key)[0] : start;
    const range = rangeOf(file, [from, Math.max(from, end - 1)]);
    for (let line = range.start.line; line <= range.end.line; line += 1)
      lines[line] = Math.max(lines[line] ?? 0, state);
  };
  for (const [key, inner] of Object.entries(value)) {
    if (!lists.some((list) => list === key) || !isJsonList(inner)) {
      mark([], key, key === 'version' && isFlat(inner) ? open : closed);
      continue;
    }
    for (const [index, entry] of inner.entries()) {
      const kind = kindOfEntry(key, entry);
      if (!isJsonObject(entry) || kind === undefined) {
        mark([key], index, closed);
        continue;
      }
      const hidden = hiddenOf(kind, hide);
      for (const [field, within] of Object.entries(entry))
        mark([key, index], field, isOpen(kind, hidden, field, within) ? open : closed);
    }
  }
  return lines;
}

function isOpen(kind: Kind, hidden: ReadonlySet<string>, field: string, value: JsonValue): boolean {
  const related = kind.fields[field]?.refersTo;
  return (
    isKnown(kind, field) &&
    ![...hidden].some((name) => ownerOf(name) === field) &&
    (related ? areIds(asNames(related, value)) : isFlat(value) || isAccess(kind, field, value))
  );
}

function isKnown(kind: Kind, field: string): boolean {
  return Object.hasOwn(kind.fields, field) || field === kind.access?.field;
}

function isAccess({ access }: Kind, field: string, value: JsonValue): boolean {
  if (access?.field !== field || !isJsonObject(value)) return false;
  const keys = new Set(access.subjects.map(({ key }) => key));
  return Object.entries(value).every(([key, ids]) => keys.has(key) && areIds(ids));
}

/** Whether a value is made of ids, and of names in their place, and of nothing else. */
function areIds(value: JsonValue): boolean {
  if (isJsonList(value)) return value.every((id) => !isJsonList(id) && areIds(id));
  return !isJsonObject(value) || (isNameOfOne(value) && Object.keys(value).length === 1);
}

/** Whether a value holds no names of its own. */
function isFlat(value: JsonValue): boolean {
  return isJsonList(value) ? value.every((item) => typeof item !== 'object') : !isJsonObject(value);
}
