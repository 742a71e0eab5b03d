import type { Problem } from '../../base/diagnostic.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Release } from '../release.ts';
import { likelyRefused } from '../release.ts';

/** What to say of a new record that has neither a field nor one of others, though the service demands one and no schema says so. */
export function requireField(
  summary: string,
  others: readonly string[] = [],
): (release: Release | undefined, beside: JsonObject) => Problem | undefined {
  return (_, beside) =>
    others.some((field) => beside[field] !== undefined)
      ? undefined
      : likelyRefused(summary, 'If it exists already, nothing is missing.');
}
