import { redactorOf } from '../base/redactor.ts';
import {
  placeholderFor,
  fieldNames,
  isGenerated,
  managedPart,
  sentFields,
  shownValue,
  type DeclaredFields,
} from '../kinds/fields.ts';
import { sameValue } from '../kinds/kind.ts';
import { mapValues, type JsonValue } from '../base/json.ts';
import { namesByPointer } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import type { ObservedValues } from '../service/types.ts';
import type { Difference, ObservedFields } from './plan.ts';

/** Returns the declared fields whose values differ in the service; fields that the service does not return are not compared. */
export function compareRecord(
  resource: Resource,
  { fields, shown = fields, names = {} }: ObservedValues,
): Difference[] {
  const differences: Difference[] = [];
  for (const [field, declared] of Object.entries(sentFields(resource))) {
    if (!Object.hasOwn(fields, field) || isGenerated(resource, field)) continue;
    if (sameValue(resource.kind, field, declared, managedPart(resource, field, fields[field]))) continue;
    const observed = printablePart(resource, field, shown);
    const known = names[field];
    const observedNames = known ? namesByPointer(resource.kind, field, observed, known) : {};
    const redactor = redactorOf(resource.secrets);
    differences.push({
      field,
      declared: declaredForDisplay(resource, field),
      observed,
      ...(Object.keys(observedNames).length > 0 && {
        observedNames: mapValues(observedNames, (name) => redactor.redact(name)),
      }),
    });
  }
  return differences;
}

/** A declared value in the form in which the service returns it, with secrets masked. */
function declaredForDisplay(resource: Resource, field: string): JsonValue {
  const value = shownValue(resource, field) ?? null;
  return placeholderFor(resource, field) === undefined
    ? (resource.kind.fields[field]?.shownAs?.of(value) ?? value)
    : value;
}

export function fieldsNotReturned(declared: DeclaredFields, { fields }: ObservedValues): string[] {
  return fieldNames(declared).filter((field) => !Object.hasOwn(fields, field));
}

export function observedFields(
  resource: Resource,
  { fields }: ObservedValues,
  differences: readonly Difference[],
): ObservedFields {
  const differing = new Map(differences.map(({ field, observed }) => [field, observed]));
  return Object.fromEntries(
    fieldNames(resource).map((field) => [
      field,
      placeholderFor(resource, field) ?? differing.get(field) ?? managedPart(resource, field, fields[field]),
    ]),
  );
}

/** The part of an observed value that a manifest manages, with secrets masked. */
export function printablePart(
  resource: Resource,
  field: string,
  shown: Readonly<Record<string, JsonValue>>,
): JsonValue {
  // The observed value may itself be secret: the previous secret, or one that was entered in the wrong field.
  return (
    placeholderFor(resource, field) ??
    redactorOf(resource.secrets).redactJson(managedPart(resource, field, shown[field]))
  );
}
