import type { JsonValue } from '../json.ts';
import { redactorOf } from '../redactor.ts';
import { declaredFields, isSensitive, type ApplicationResource } from '../resource.ts';
import { sensitive } from '../sensitive.ts';
import type { ObservedApplication } from '../service/types.ts';
import type { Difference } from './types.ts';

/** The declared fields whose observed value is another, in the order of the manifest. What is not declared is not compared. */
export function compare(resource: ApplicationResource, observed: ObservedApplication): Difference[] {
  const observedFields: Readonly<Record<string, JsonValue>> = observed.fields;
  const differences: Difference[] = [];
  for (const [field, declared] of declaredFields(resource)) {
    const value = observedFields[field] ?? null;
    if (sameValue(field, declared, value)) continue;
    const hidden = isSensitive(resource, field);
    differences.push({
      field,
      declared: resource.shown[field] ?? null,
      // What is there may be the secret of before, or one that somebody wrote into another field.
      observed: hidden ? sensitive : redactorOf(resource.secrets).cleanJson(value),
    });
  }
  return differences;
}

/** Whether two values of a field mean the same. */
export function sameValue(field: string, declared: JsonValue, observed: JsonValue): boolean {
  // The service returns these ids in any order and without duplicates.
  if (field === 'backchannel_providers' && Array.isArray(declared) && Array.isArray(observed)) {
    return sameSet(new Set(declared), new Set(observed));
  }
  return declared === observed;
}

function sameSet(a: ReadonlySet<JsonValue>, b: ReadonlySet<JsonValue>): boolean {
  return a.size === b.size && [...a].every((member) => b.has(member));
}
