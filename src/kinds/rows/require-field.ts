import type { Problem } from '../../base/diagnostic.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Release } from '../release.ts';
import { likelyRefusedProblem } from '../release.ts';

/**
 * The problem of a create without a field that the service requires, although its API schema does not. Any field of `others`
 * suffices.
 */
export function requireField(
  summary: string,
  others: readonly string[] = [],
): (release: Release | undefined, beside: JsonObject) => Problem | undefined {
  return (_, beside) =>
    others.some((field) => beside[field] !== undefined)
      ? undefined
      : likelyRefusedProblem(summary, 'If the record already exists, ignore this.');
}
