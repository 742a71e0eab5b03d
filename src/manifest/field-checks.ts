import type { Diagnostic, Problem } from '../base/diagnostic.ts';
import type { JsonObject } from '../base/json.ts';
import { instructionsOf, placeholderFor, sentFields, sentValue } from '../kinds/fields.ts';
import type { ItemProblem, Kind } from '../kinds/kind.ts';
import { formerly, isToBeDeleted } from '../kinds/lifecycle.ts';
import { lazy, memoizePerKey } from '../base/memoize.ts';
import { releaseProblemFor, type Release } from '../kinds/release.ts';
import { kindReleaseCheck } from '../kinds/release-checks.ts';
import { diagnosticOf, type Resource } from '../kinds/resource.ts';
import { sameJson } from '../kinds/values.ts';

/**
 * Checks the valid fields of an entry and reports missing fields; `held` is the existing record, which needs fewer fields. If the
 * record may exist, a missing field is only a warning.
 */
export function* fieldChecks(
  resource: Resource,
  release: Release | undefined,
  held?: JsonObject | 'perhaps',
): Iterable<Diagnostic> {
  const { kind, fields, broken = [] } = resource;
  const isNamed = resource.name !== '' && !hasSensitiveName(resource);
  const isMissing = (field: string): boolean =>
    !Object.hasOwn(fields, field) && !broken.includes(field) && canReportMissing();
  // An unknown field may be the misspelt name of a missing field, so missing fields are then not reported.
  const canReportMissing = lazy(
    () => isNamed && [...Object.keys(fields), ...broken].every((field) => Object.hasOwn(kind.fields, field)),
  );
  const { scope, single, since: kindSince } = kind;
  // Other kinds have this check at the field of the name, which settings do not have.
  const isOffered = single !== undefined && kindSince !== undefined && kindReleaseCheck(kind.list, kindSince);
  const [notOffered] = isOffered ? [isOffered(null, release) ?? []].flat() : [];
  if (notOffered) return yield diagnosticOf(resource, undefined, notOffered);
  if (scope !== undefined && isMissing(scope))
    yield diagnosticOf(resource, kind.identity, missingScope(kind, scope));
  if (isToBeDeleted(resource)) return;
  // An invalid field still counts as declared, so no default replaces it.
  const otherFields = lazy(() => ({
    ...Object.fromEntries(broken.map((field) => [field, null])),
    ...instructionsOf(resource),
    ...sentFields(resource),
  }));
  for (const [field, { since, isOptionalBefore, ifMissing, isNeededLater, checks = [] }] of checkedFields(
    kind,
  )) {
    if (!Object.hasOwn(fields, field)) {
      const mayBeNew = held === undefined || held === 'perhaps';
      const isUnset = mayBeNew || (isNeededLater && sameJson(held[field] ?? null, []));
      const isNeeded = ifMissing !== undefined && isUnset && isMissing(field);
      const missing = isNeeded ? ifMissing(release, otherFields()) : undefined;
      if (missing)
        yield diagnosticOf(resource, kind.identity, {
          ...missing,
          ...(held === 'perhaps' && { severity: 'warning' }),
        });
      continue;
    }
    const value = checks.length > 0 ? sentValue(resource, field) : undefined;
    const problems =
      value === undefined ? [] : checks.flatMap((check) => check(value, release, otherFields) ?? []);
    const unknown: ItemProblem | undefined =
      since !== undefined && !isOptionalBefore
        ? releaseProblemFor({ before: since }, release, `ignore the field \`${field}\``, createWithout)
        : undefined;
    for (const entry of unknown ? [...problems, unknown] : problems) {
      const { item, ...problem } = entry;
      const { address, ...found } = diagnosticOf(resource, field, problem, item);
      yield isNamed && address !== undefined ? { ...found, address } : found;
    }
  }
}

const checkedFields = memoizePerKey(({ fields }: Kind) =>
  Object.entries(fields).filter(
    ([, { since, ifMissing, checks }]) =>
      since !== undefined || ifMissing !== undefined || checks !== undefined,
  ),
);

const createWithout = 'Leave out the field, because such a service would create the record without it.';

function missingScope({ identity, words }: Kind, scope: string): Problem {
  return {
    code: 'missing-field',
    summary: `the field \`${scope}\` is missing, and the \`${identity}\` is unique only within one \`${scope}\``,
    detail: `Each \`${scope}\` can have ${words.one} of this name, so the entry needs both fields.`,
  };
}

/** Whether the present or former name of a resource comes from a sensitive reference. */
export function hasSensitiveName(resource: Resource): boolean {
  const { identity, scope = identity } = resource.kind;
  return [identity, scope, formerly].some((field) => placeholderFor(resource, field) !== undefined);
}

export function sensitiveNameProblem(subject: string): Problem {
  return {
    code: 'sensitive-name',
    summary: `${subject} comes from an environment variable, a file or a generator`,
    detail: 'Such values are secret, and a name cannot be secret. Use ${var:NAME}.',
  };
}
