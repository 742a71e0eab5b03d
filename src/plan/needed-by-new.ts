import type { Diagnostic } from '../base/diagnostic.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { inRange, type Release } from '../kinds/release.ts';
import { diagnosticOf, type Resource } from '../kinds/resource.ts';
import type { ObservedState } from '../observe/observation.ts';

/** Fields that a create requires and that the entries of absent records leave out. */
export function neededByNew(
  resources: readonly Resource[],
  observed: ObservedState,
  release: Release | undefined,
): Diagnostic[] {
  return resources.flatMap((resource) => {
    const { kind, address, fields } = resource;
    if (observed.get(address)?.presence !== 'absent' || isToBeDeleted(resource)) return [];
    return Object.entries(kind.fields).flatMap(([field, { isRequired, ifMissing, since }]) => {
      const isLater = since !== undefined && inRange({ from: since }, release) !== true;
      if (!isRequired || ifMissing || isLater || Object.hasOwn(fields, field)) return [];
      return diagnosticOf(resource, kind.identity, {
        code: 'missing-field',
        summary: `the field \`${field}\` is missing, and a new record needs it`,
        detail: `${kind.words.one.replace(/^./, (letter) => letter.toUpperCase())} of this name does not exist yet. Add the field, or correct the name.`,
      });
    });
  });
}
