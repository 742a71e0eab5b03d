import { isJsonObject, type JsonValue } from '../json.ts';
import type { Answer } from './answer.ts';

/** What the service said, field by field; a field is undefined when the words are about the request as a whole. */
export interface Complaint {
  readonly field?: string;
  readonly texts: readonly string[];
}

/** Reads the body of a refusal, whatever its shape. */
export function complaintsOf(answer: Answer): Complaint[] {
  return Object.entries(answer.body ?? {})
    .filter(([field]) => field !== 'code')
    .map(([field, value]) => {
      const texts = textsIn(value);
      return field === 'detail' || field === 'non_field_errors' ? { texts } : { field, texts };
    });
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((inner: JsonValue) => textsIn(inner));
  if (isJsonObject(value))
    return Object.entries(value).flatMap(([key, inner]) => textsIn(inner).map((text) => `${key}: ${text}`));
  return [JSON.stringify(value)];
}
