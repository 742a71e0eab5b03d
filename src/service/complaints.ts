import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Answer } from './answer.ts';
import { fieldNamed } from './field-names.ts';

/** The service's complaint about a field, or about the whole request if it names no field. */
export interface FieldError {
  readonly field?: string;
  /** The key of a mapping that it is about, if the service names it; dots lead deeper. */
  readonly key?: string;
  /** The index of a list's item that it is about, if the service names it. */
  readonly item?: number;
  readonly texts: readonly string[];
}

/** The complaints in the body of a refusal, in any shape. Other bodies contain records, not complaints. */
export function fieldErrorsOf({ status, body }: Answer): FieldError[] {
  if (body === undefined || status === undefined || status < 400) return [];
  return Object.entries(body)
    .filter(([field]) => field !== 'code')
    .flatMap(([name, value]) => {
      if (name === 'detail' || name === 'non_field_errors') return { texts: textsIn(value, 0) };
      const named = fieldNamed(name);
      return isByIndex(value)
        ? Object.entries(value).map(([index, inner]) => ({
            ...named,
            item: Number(index),
            texts: textsIn(inner, 1),
          }))
        : { ...named, texts: textsIn(value, 0) };
    });
}

/** `{"1": ["…"]}`: the second item of the list is wrong. */
function isByIndex(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d{1,9}$/.test(key));
}

/** The texts of a field are one text, a list, or a list of objects. Deeper nesting is ignored. */
const maxDepth = 4;

function textsIn(value: JsonValue, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (depth >= maxDepth) return ['…'];
  if (isJsonList(value)) return value.flatMap((inner) => textsIn(inner, depth + 1));
  if (!isJsonObject(value)) return [JSON.stringify(value)];
  return Object.entries(value).flatMap(([key, inner]) =>
    textsIn(inner, depth + 1).map((text) => `${key}: ${text}`),
  );
}
