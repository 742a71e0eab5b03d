import type { JsonValue } from './json.ts';

/** Replaces, in every output, a text that only the service may see. */
export const sensitive = '(sensitive)';

/** Replaces, in every output, the value of a field that `hide` of rollcall.yaml names. */
export const hidden = '(hidden)';

/** Whether a value is one of these. */
export function isBlank(value: JsonValue): value is string {
  return value === sensitive || value === hidden;
}
