import type { JsonValue } from './json.ts';

/** Replaces sensitive texts in all output. */
export const sensitive = '(sensitive)';

/** Replaces the values of fields in `hide` of rollcall.yaml in all output. */
export const hidden = '(hidden)';

export function isMasked(value: JsonValue): value is string {
  return value === sensitive || value === hidden;
}
