import type { Diagnostic } from '../../base/diagnostic.ts';
import { diagnosticOf, type Resource } from '../../kinds/resource.ts';

/** What the kinds have to say of single fields, declared or missing, that the schema does not say. */
export function fieldChecks(resources: readonly Resource[]): Diagnostic[] {
  return resources.flatMap((resource) => [...ofMissingFields(resource), ...ofDeclaredFields(resource)]);
}

function ofDeclaredFields(resource: Resource): Diagnostic[] {
  return Object.entries(resource.fields).flatMap(([field, value]) => {
    const problems = (resource.kind.fields[field]?.checks ?? []).map((check) => check(value));
    return problems.flatMap((problem) => (problem ? diagnosticOf(resource, field, problem) : []));
  });
}

function ofMissingFields(resource: Resource): Diagnostic[] {
  return Object.entries(resource.kind.fields).flatMap(([field, { ifMissing }]) =>
    ifMissing === undefined || Object.hasOwn(resource.shown, field)
      ? []
      : diagnosticOf(resource, resource.kind.identity, ifMissing),
  );
}
