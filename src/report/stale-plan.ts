import type { Diagnostic } from '../base/diagnostic.ts';
import { diagnosticOf } from '../kinds/resource-diagnostic.ts';
import type { StaleChange, Staleness } from '../plan/saved/staleness.ts';
import { quoted } from './escape.ts';

/** Why a saved plan is not applied, at the lines that declare what has changed. */
export function stalePlan(changes: readonly StaleChange[]): Diagnostic[] {
  return changes.flatMap(({ resource, staleness }) =>
    staleness.map((change) =>
      diagnosticOf(resource, change.kind === 'field' ? change.field : undefined, {
        code: 'stale-plan',
        ...wordsFor(change),
      }),
    ),
  );
}

function wordsFor(change: Staleness): { summary: string; detail: string } {
  switch (change.kind) {
    case 'appeared':
      return { summary: 'it exists by now, and the plan would create it', detail: '' };
    case 'vanished':
      return { summary: 'it existed when the plan was made, and is not there any more', detail: '' };
    case 'field':
      return {
        summary: `\`${change.field}\` is not as it was when the plan was made`,
        detail: `It was ${quoted(change.planned)}, and is ${quoted(change.observed)}.`,
      };
    case 'sensitive':
      return change.where === 'declared'
        ? {
            summary: 'a sensitive value is not the one that the plan was made with',
            detail: 'The environment or a file holds another value here and now.',
          }
        : { summary: 'a field that is not shown has changed on the service', detail: '' };
  }
}
