import { isIncomplete, type Outcome } from '../apply/outcome.ts';
import type { Ending } from '../base/exit-code.ts';

/** How an apply ended that was not interrupted, or several that are reported as one. */
export function applyEnding(outcomes: readonly Pick<Outcome, 'outcome' | 'doubt' | 'differences'>[]): Ending {
  if (outcomes.some(({ outcome }) => outcome === 'denied')) return 'denied';
  return outcomes.some((outcome) => isIncomplete(outcome)) ? 'incomplete' : 'done';
}
