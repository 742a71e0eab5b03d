import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Answer } from './answer.ts';
import { fieldOfErrorKey } from './field-names.ts';

/** An error that the service reports for a field, or for the whole request if it names no field. */
export interface FieldError {
  readonly field?: string;
  /** The key inside the field, if the service reports one, with dots between nested keys. */
  readonly key?: string;
  readonly item?: number;
  readonly texts: readonly string[];
}

/** Returns the errors in the answer to a refused request for a record of a kind. Other answers contain records, not errors. */
export function fieldErrorsOf({ status, body }: Answer, kind?: Kind): FieldError[] {
  if (body === undefined || status === undefined || status < 400) return [];
  return Object.entries(body)
    .filter(([field]) => field !== 'code')
    .flatMap(([name, value]) => {
      if (name === 'detail' || name === 'non_field_errors') return { texts: textsIn(value, 0) };
      const named = fieldOfErrorKey(name, kind);
      return isByIndex(value)
        ? Object.entries(value).map(([index, inner]) => ({
            ...named,
            item: Number(index),
            texts: textsIn(inner, 1),
          }))
        : { ...named, texts: textsIn(value, 0) };
    });
}

/** Whether errors are listed by index, as in `{"1": ["…"]}` for an error in the second item. */
function isByIndex(value: JsonValue): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d{1,9}$/.test(key));
}

/** A field has one error text, a list of texts, or a list of objects; deeper nesting is shortened to `…`. */
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
