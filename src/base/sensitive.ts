import type { JsonValue } from './json.ts';

/** The text that is printed in place of sensitive values. */
export const sensitive = '(sensitive)';

/** The text that is printed in place of fields that rollcall.yaml lists in `hide`. */
export const hidden = '(hidden)';

export function isMasked(value: JsonValue): value is string {
  return value === sensitive || value === hidden;
}
