import { redactorOf } from '../base/redactor.ts';
import { sameValue } from '../kinds/kind.ts';
import { blankFor, type Resource } from '../kinds/resource.ts';
import type { Held } from '../service/types.ts';
import type { Difference } from './plan.ts';

/**
 * The declared fields that have another value in what the service holds, in the order of the manifest. What is not declared is
 * not compared; a declared field that the service does not hold at all counts as null there.
 */
export function compare(resource: Resource, { fields, shown = fields }: Held): Difference[] {
  const differences: Difference[] = [];
  for (const [field, declared] of Object.entries(resource.fields)) {
    if (sameValue(resource.kind, field, declared, fields[field] ?? null)) continue;
    differences.push({
      field,
      declared: resource.shown[field] ?? null,
      // What is there may be the secret of before, or one that somebody wrote into another field.
      observed: blankFor(resource, field) ?? redactorOf(resource.secrets).cleanJson(shown[field] ?? null),
    });
  }
  return differences;
}
