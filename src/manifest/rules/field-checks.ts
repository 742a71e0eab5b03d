import type { Diagnostic } from '../../base/diagnostic.ts';
import { kinds } from '../../kinds/all.ts';
import { notIn } from '../../kinds/by-release.ts';
import type { Release } from '../../kinds/release.ts';
import { diagnosticOf, type Resource } from '../../kinds/resource.ts';

/** What the kinds have to say of single fields, declared or missing, that the schema does not say. */
export function fieldChecks(resources: readonly Resource[], release: Release | undefined): Diagnostic[] {
  return resources.flatMap((resource) => [
    ...ofMissingFields(resource),
    ...ofDeclaredFields(resource, release),
    ...ofNewFields(resource, release),
  ]);
}

function ofDeclaredFields(resource: Resource, release: Release | undefined): Diagnostic[] {
  return Object.entries(resource.fields).flatMap(([field, value]) => {
    const problems = (resource.kind.fields[field]?.checks ?? []).map((check) => check(value, release));
    return problems.flatMap((problem) => (problem ? diagnosticOf(resource, field, problem) : []));
  });
}

/** The fields that some releases lack, by kind. */
const newFields = new Map(
  kinds.map(({ type, fields }) => [
    type,
    Object.entries(fields).flatMap(([field, { since }]) => (since === undefined ? [] : [{ field, since }])),
  ]),
);

function ofNewFields(resource: Resource, release: Release | undefined): Diagnostic[] {
  return (newFields.get(resource.kind.type) ?? []).flatMap(({ field, since }) => {
    if (!Object.hasOwn(resource.shown, field)) return [];
    const problem = notIn(
      { before: since },
      release,
      'ignore this field',
      'What they create is without it, and apply reports it as not as declared.',
    );
    return problem ? diagnosticOf(resource, field, problem) : [];
  });
}

function ofMissingFields(resource: Resource): Diagnostic[] {
  return Object.entries(resource.kind.fields).flatMap(([field, { ifMissing }]) =>
    ifMissing === undefined || Object.hasOwn(resource.shown, field)
      ? []
      : diagnosticOf(resource, resource.kind.identity, ifMissing),
  );
}
