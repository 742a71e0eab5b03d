import type { Problem } from '../../base/diagnostic.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Release } from '../release.ts';
import { likelyRefused } from '../release.ts';

/** For a field that the service requires in a create although its API schema does not; `others` are alternatives. */
export function requireField(
  summary: string,
  others: readonly string[] = [],
): (release: Release | undefined, beside: JsonObject) => Problem | undefined {
  return (_, beside) =>
    others.some((field) => beside[field] !== undefined)
      ? undefined
      : likelyRefused(summary, 'If it exists already, nothing is missing.');
}
