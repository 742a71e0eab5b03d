import { actions, effectsOf, type Effect } from '../../plan/actions.ts';
import { outcomeKinds, type Outcome, type OutcomeKind } from '../../apply/outcome.ts';

/** How many resources ended how. */
export type ApplySummary = Readonly<Record<OutcomeKind, number>>;

export function applySummary(outcomes: readonly Outcome[]): ApplySummary {
  // Every kind is a key, each once.
  const summary = Object.fromEntries(outcomeKinds.map((kind) => [kind, 0])) as Record<OutcomeKind, number>;
  for (const { outcome } of outcomes) summary[outcome] += 1;
  return summary;
}

/** How many resources were added, changed and destroyed. */
export function effectsIn(summary: ApplySummary): Readonly<Record<Effect, number>> {
  return effectsOf((action) => summary[actions[action].outcome]);
}
