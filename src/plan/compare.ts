import { redactorOf } from '../base/redactor.ts';
import { placeholderFor, isGenerated, managedPart, sentFields, shownValue } from '../kinds/fields.ts';
import { sameValue } from '../kinds/kind.ts';
import type { JsonValue } from '../base/json.ts';
import { namesAt, type Names } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Held } from '../service/types.ts';
import type { Difference } from './plan.ts';

/**
 * The declared fields whose value in the service is another, in the order of the manifest. Undeclared fields, and fields that the
 * service does not show, are not compared.
 */
export function compare(resource: Resource, { fields, shown = fields, names = {} }: Held): Difference[] {
  const differences: Difference[] = [];
  for (const [field, declared] of Object.entries(sentFields(resource))) {
    if (!Object.hasOwn(fields, field) || isGenerated(resource, field)) continue;
    if (sameValue(resource.kind, field, declared, managedPart(resource, field, fields[field]))) continue;
    const observed = shownPart(resource, field, shown);
    const known = placeholderFor(resource, field) === undefined ? names[field] : undefined;
    const observedNames = known ? namesAt(resource.kind, field, observed, known) : {};
    const redactor = redactorOf(resource.secrets);
    differences.push({
      field,
      declared: declaredAsShown(resource, field),
      observed,
      ...(Object.keys(observedNames).length > 0 && {
        observedNames: mapValues(observedNames, (name) => redactor.redact(name)),
      }),
    });
  }
  return differences;
}

/** A declared value with secrets masked, in the form in which the service shows it. */
function declaredAsShown(resource: Resource, field: string): JsonValue {
  const value = shownValue(resource, field) ?? null;
  return placeholderFor(resource, field) === undefined
    ? (resource.kind.fields[field]?.shownAs?.of(value) ?? value)
    : value;
}

export function notShown(resource: Resource, { fields }: Held): string[] {
  return Object.keys(sentFields(resource)).filter((field) => !Object.hasOwn(fields, field));
}

/** The declared part of a field as the service holds it, with secrets masked. */
export function shownPart(
  resource: Resource,
  field: string,
  shown: Readonly<Record<string, JsonValue>>,
): JsonValue {
  // The held value may be the previous secret, or one written into the wrong field.
  return (
    placeholderFor(resource, field) ??
    redactorOf(resource.secrets).redactJson(managedPart(resource, field, shown[field]))
  );
}

function mapValues(names: Names, change: (name: string) => string): Names {
  return Object.fromEntries(Object.entries(names).map(([place, name]) => [place, change(name)]));
}
