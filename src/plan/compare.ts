import { redactorOf } from '../base/redactor.ts';
import { managedPart, sameValue, serviceFields } from '../kinds/kind.ts';
import type { JsonValue } from '../base/json.ts';
import { namesAt } from '../kinds/named.ts';
import { blankFor, type Names, type Resource } from '../kinds/resource.ts';
import type { Held } from '../service/types.ts';
import type { Difference } from './plan.ts';

/**
 * The declared fields that have another value in what the service holds, in the order of the manifest. What is not declared is
 * not compared; a declared field that the service does not hold at all counts as null there.
 */
export function compare(resource: Resource, { fields, shown = fields, names = {} }: Held): Difference[] {
  const differences: Difference[] = [];
  for (const [field, declared] of Object.entries(serviceFields(resource.kind, resource.fields))) {
    if (sameValue(resource.kind, field, declared, declaredPart(resource, field, fields))) continue;
    const observed = shownPart(resource, field, shown);
    const told = blankFor(resource, field) === undefined ? names[field] : undefined;
    const observedNames = told ? namesAt(resource.kind, field, observed, told) : {};
    const redactor = redactorOf(resource.secrets);
    differences.push({
      field,
      declared: resource.shown[field] ?? null,
      observed,
      ...(Object.keys(observedNames).length > 0 && {
        observedNames: mapValues(observedNames, (name) => redactor.clean(name)),
      }),
    });
  }
  return differences;
}

/** What the service holds in a declared field, as far as that is declared; null where it holds nothing there. */
export function declaredPart(
  { kind, fields }: Resource,
  field: string,
  held: Readonly<Record<string, JsonValue>>,
): JsonValue {
  return managedPart(kind, fields, field, held[field] ?? null);
}

/** The same as people may see it. */
export function shownPart(
  resource: Resource,
  field: string,
  shown: Readonly<Record<string, JsonValue>>,
): JsonValue {
  // What is there may be the secret of before, or one that somebody wrote into another field.
  return (
    blankFor(resource, field) ?? redactorOf(resource.secrets).cleanJson(declaredPart(resource, field, shown))
  );
}

function mapValues(names: Names, change: (name: string) => string): Names {
  return Object.fromEntries(Object.entries(names).map(([place, name]) => [place, change(name)]));
}
