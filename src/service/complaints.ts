import { isJsonList, isJsonObject, type JsonValue } from '../json.ts';
import type { Answer } from './answer.ts';

/** What the service said of a field; of the request as a whole when no field is named. */
export interface Complaint {
  readonly field?: string;
  readonly texts: readonly string[];
}

/** Reads the body of a refusal, whatever its shape. Other bodies hold records, which are nobody's words. */
export function complaintsOf({ status, body }: Answer): Complaint[] {
  if (body === undefined || status === undefined || status < 400) return [];
  return Object.entries(body)
    .filter(([field]) => field !== 'code')
    .map(([field, value]) => {
      const texts = textsIn(value, 0);
      return field === 'detail' || field === 'non_field_errors' ? { texts } : { field, texts };
    });
}

/** Words lie on top, or in a list, or a list of objects; whoever nests them deeper is not read. */
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
