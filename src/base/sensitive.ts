import type { JsonValue } from './json.ts';

/** Printed in place of sensitive values. */
export const sensitive = '(sensitive)';

/** Printed in place of the values of fields that rollcall.yaml lists in `hide`. */
export const hidden = '(hidden)';

export function isMasked(value: JsonValue): value is string {
  return value === sensitive || value === hidden;
}
