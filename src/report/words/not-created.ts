import type { Diagnostic } from '../../base/diagnostic.ts';
import { isIncomplete } from '../../apply/outcome.ts';
import { diagnosticOf, type Resource } from '../../kinds/resource.ts';
import { joinLines } from './answers.ts';
import { groupBy } from '../../base/group-by.ts';
import { listAddresses } from './diagnostics.ts';
import { verdictWords, type VerdictFacts } from './outcomes.ts';

type EndedOutcome = VerdictFacts & {
  readonly resource: Resource;
  readonly diagnostics: readonly Diagnostic[];
};

/** The maximum number of resources that are named if many failed for the same reason. */
const maxListed = 20;

/** Diagnostics for resources that were not created and have no diagnostic yet: one per reason, at the first such resource. */
export function notCreatedDiagnostics(
  outcomes: readonly EndedOutcome[],
  advice: readonly string[],
): Diagnostic[] {
  const left = outcomes.filter((outcome) => isIncomplete(outcome) && outcome.diagnostics.length === 0);
  const byCause = groupBy(left, verdictWords);
  return Array.from(byCause, ([verdict, [{ resource }, ...others]]) => {
    const alike = listAddresses(others, maxListed);
    return diagnosticOf(resource, resource.kind.identity, {
      code: 'not-created',
      summary: others.length === 0 ? verdict : `${verdict} (and ${others.length} more)`,
      detail: joinLines(alike && `The same for: ${alike}`, ...advice),
    });
  });
}
