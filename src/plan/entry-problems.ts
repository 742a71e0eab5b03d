import type { Diagnostic } from '../base/diagnostic.ts';
import { admittedSubject, isOpenToEveryone } from '../kinds/access.ts';
import { isEffective } from '../kinds/bindings.ts';
import type { UnboundState } from '../kinds/children.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import type { Kind } from '../kinds/kind.ts';
import { memoizePerKey } from '../base/memoize.ts';
import { inRange, type Release } from '../kinds/release.ts';
import { diagnosticOf, placeOf, type Resource } from '../kinds/resource.ts';
import { sentValue } from '../kinds/fields.ts';
import { openFlag } from '../kinds/settings.ts';
import { plainUuid } from '../kinds/values.ts';
import { formatPlace } from '../base/source.ts';
import { observedRecordAt, type ObservedState } from '../observe/observation.ts';
import { bindingsOf } from '../service/children.ts';

/** Problems of entries that can only be found with the service's data. `unbound` is who may open records without bindings. */
export function problemsOfEntries(
  resources: readonly Resource[],
  observed: ObservedState,
  release: Release | undefined,
  unbound: UnboundState,
): Diagnostic[] {
  return [
    ...missingInCreates(resources, observed, release),
    ...duplicateEntries(resources),
    ...(unbound === 'closed' ? entriesOpenToNobody(resources, observed) : []),
  ];
}

function missingInCreates(
  resources: readonly Resource[],
  observed: ObservedState,
  release: Release | undefined,
): Diagnostic[] {
  return resources.flatMap((resource) => {
    const { kind, address } = resource;
    if (observed.get(address)?.presence !== 'absent' || isToBeDeleted(resource)) return [];
    return missingFields(resource, release).map((field) =>
      diagnosticOf(resource, kind.identity, {
        code: 'missing-field',
        summary: `the field \`${field}\` is missing, and a new record requires it`,
        detail: `${kind.words.one.replace(/^./, (letter) => letter.toUpperCase())} of this name does not exist yet. Add the field, or correct the name.`,
      }),
    );
  });
}

/** The fields that a new record requires and the entry does not declare. */
export function missingFields({ kind, fields }: Resource, release: Release | undefined): readonly string[] {
  return requiredFieldsOf(kind).flatMap(([field, { since }]) => {
    const isLater = since !== undefined && inRange({ from: since }, release) !== true;
    return isLater || Object.hasOwn(fields, field) ? [] : field;
  });
}

const requiredFieldsOf = memoizePerKey(({ fields }: Kind) =>
  Object.entries(fields).filter(([, { isRequired, ifMissing }]) => isRequired && !ifMissing),
);

/** Reports two entries for the same record: one entry has the parent's name, the other has the parent's id. */
function duplicateEntries(resources: readonly Resource[]): Diagnostic[] {
  const seen = new Map<string, Resource>();
  return resources.flatMap((resource) => {
    const { kind, name } = resource;
    if (kind.scope === undefined) return [];
    const within = plainUuid(sentValue(resource, kind.scope) ?? null);
    const key = JSON.stringify([kind.type, name, within]);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, resource);
      return [];
    }
    return diagnosticOf(resource, kind.scope, {
      code: 'duplicate-resource',
      summary: `the ${kind.identity} \`${name}\` is declared twice within the same \`${kind.scope}\``,
      detail: `It is first declared at ${formatPlace(placeOf(first, kind.identity))}. Write all of its fields into one entry.`,
    });
  });
}

/** Reports entries that are declared open to everyone although the service closes records without bindings. */
function entriesOpenToNobody(resources: readonly Resource[], observed: ObservedState): Diagnostic[] {
  return resources.flatMap((resource) => {
    const { access, words } = resource.kind;
    if (access === undefined || !isOpenToEveryone(resource)) return [];
    const record = observedRecordAt(observed, resource.address);
    const stays = (record ? bindingsOf(record, access.children) : []).some(
      (child) => isEffective(child) && admittedSubject(access, child) === undefined,
    );
    if (stays) return [];
    const { list, field, key } = openFlag;
    return diagnosticOf(resource, access.subjects[0]?.field, {
      code: 'open-to-nobody',
      summary: `nobody could open it, because the service closes ${words.one} that has no binding`,
      detail: `The flag \`${key}\` of the service is off. Name groups or users, or turn it on: \`${list}: [{ ${field}: { ${key}: true } }]\`.`,
    });
  });
}
