import type { Diagnostic } from '../base/diagnostic.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { diagnosticOf, type Resource } from '../kinds/resource.ts';
import type { ObservedState } from '../observe/observation.ts';
import { isSuperuserToken } from '../service/retrieve.ts';
import type { Service } from './connect.ts';

/** Warns about entries declared absent whose records may be hidden from the token, because no later create would show that they exist. */
export async function unseenAbsences(
  resources: readonly Resource[],
  observed: ObservedState,
  service: Service,
): Promise<readonly Diagnostic[]> {
  const absent = resources.filter(
    (resource) => isToBeDeleted(resource) && observed.get(resource.address)?.presence === 'absent',
  );
  if (absent.length === 0 || (await isSuperuserToken(service))) return [];
  return absent.map((resource) =>
    diagnosticOf(resource, undefined, {
      code: 'perhaps-hidden',
      severity: 'warning',
      summary: 'no record was found, but this token may not see all records',
      detail: "Check once with a superuser's token that the record does not exist.",
    }),
  );
}
