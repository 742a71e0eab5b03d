import type { Diagnostic } from '../base/diagnostic.ts';
import { isOpenToEveryone, admittedSubject } from '../kinds/access.ts';
import { isEffective } from '../kinds/bindings.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { diagnosticOf, type Resource } from '../kinds/resource.ts';
import { observedRecordAt, type ObservedState } from '../observe/observation.ts';
import type { UnboundStates } from '../kinds/children.ts';
import { bindingsOf } from '../service/children.ts';

/** Reports entries that are declared open to everyone although the service closes records without bindings. */
export function entriesOpenToNobody(
  resources: readonly Resource[],
  observed: ObservedState,
  { after }: UnboundStates,
): Diagnostic[] {
  if (after !== 'closed') return [];
  return resources.flatMap((resource) => {
    const { access, words } = resource.kind;
    if (access === undefined || isToBeDeleted(resource) || !isOpenToEveryone(resource)) return [];
    const record = observedRecordAt(observed, resource.address);
    const stays = (record ? bindingsOf(record, access.children) : []).some(
      (child) => isEffective(child) && admittedSubject(access, child) === undefined,
    );
    if (stays) return [];
    const { list, field, key } = access.openFlag;
    return diagnosticOf(resource, access.subjects[0]?.field, {
      code: 'open-to-nobody',
      summary: `nobody could open it, because the service closes ${words.one} that has no binding`,
      detail: `The flag \`${key}\` of the service is off. Name groups or users, or turn it on: \`${list}: [{ ${field}: { ${key}: true } }]\`.`,
    });
  });
}
