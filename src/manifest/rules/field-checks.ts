import type { Diagnostic } from '../../base/diagnostic.ts';
import { notIn } from '../../kinds/by-release.ts';
import type { Release } from '../../kinds/release.ts';
import { sentValue } from '../../kinds/fields.ts';
import { diagnosticOf, type Resource } from '../../kinds/resource.ts';
import { hasSensitiveName } from './sensitive-name.ts';

/**
 * What its kind has to say of single fields of an entry, declared or missing, that the schema does not say. The fields that are
 * broken are not among those.
 */
export function* fieldChecks(resource: Resource, release: Release | undefined): Iterable<Diagnostic> {
  const { kind, fields, broken = [] } = resource;
  const present = new Set([...Object.keys(fields), ...broken]);
  const isNamed = resource.name !== '' && !hasSensitiveName(resource);
  // What seems to be missing may be there, called otherwise.
  const mayMiss = isNamed && [...present].every((field) => Object.hasOwn(kind.fields, field));
  for (const [field, { since, ifMissing, checks = [] }] of Object.entries(kind.fields)) {
    if (ifMissing && mayMiss && !present.has(field)) yield diagnosticOf(resource, kind.identity, ifMissing);
    const value = checks.length > 0 ? sentValue(resource, field) : undefined;
    const problems = value === undefined ? [] : checks.map((check) => check(value, release));
    if (since !== undefined && Object.hasOwn(fields, field))
      problems.push(notIn({ before: since }, release, 'ignore this field', ignored));
    for (const problem of problems) {
      if (!problem) continue;
      const { address, ...found } = diagnosticOf(resource, field, problem);
      yield isNamed && address !== undefined ? { ...found, address } : found;
    }
  }
}

const ignored = 'What they create is without it, and apply reports it as not as declared.';
