import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';
import type { SourceFile } from '../base/source.ts';
import type { Places } from '../yaml/places.ts';

/** Variables are plain values: a reference in one would reach the service as it is written. */
export function refuseReferences(
  value: JsonValue,
  path: readonly (string | number)[],
  places: Places,
  file: SourceFile,
): Diagnostic[] {
  if (typeof value === 'string') {
    if (!value.includes('${')) return [];
    return [
      diagnosticAt(file, places.ofValue(path), {
        code: 'invalid-reference',
        summary: 'a variable cannot hold a reference',
        detail: 'Refer to the environment or to a file in the manifest itself.',
      }),
    ];
  }
  const inside: [string | number, JsonValue][] = isJsonList(value)
    ? [...value.entries()]
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return inside.flatMap(([step, inner]) => refuseReferences(inner, [...path, step], places, file));
}
