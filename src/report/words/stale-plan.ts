import type { Diagnostic, Problem } from '../../base/diagnostic.ts';
import type { JsonValue } from '../../base/json.ts';
import { isMasked } from '../../base/sensitive.ts';
import { diagnosticOf } from '../../kinds/resource.ts';
import type { StaleChange, Staleness } from '../../plan/staleness.ts';
import { quotedJson } from '../printable.ts';

/** Says why a saved plan is not applied, with a diagnostic at each line that differs. */
export function stalePlan(changes: readonly StaleChange[]): Diagnostic[] {
  return changes.flatMap(({ resource, staleness }) =>
    staleness.map((change) =>
      diagnosticOf(resource, 'field' in change ? change.field : undefined, {
        code: 'stale-plan',
        ...stalenessWords(change),
      }),
    ),
  );
}

function stalenessWords(change: Staleness): Pick<Problem, 'summary' | 'detail'> {
  switch (change.kind) {
    case 'appeared':
      return { summary: 'it now exists, and the plan would create it' };
    case 'vanished':
      return { summary: 'it existed when the plan was made, and no longer exists' };
    case 'not in the plan':
      return { summary: 'it is not in the plan' };
    case 'only in the plan':
      return { summary: 'it is in the plan, and not in a plan made now' };
    case 'presence':
      return { summary: `it was ${change.planned} when the plan was made, and is ${change.now}` };
    case 'action':
      return { summary: `its action is ${change.planned} in the plan, but ${change.now} in a plan made now` };
    case 'field': {
      const { which, field, planned, now } = change;
      const values =
        which === 'observed' ? ['It was', 'and is'] : ['The plan has', 'and a plan made now has'];
      return {
        summary:
          which === 'observed'
            ? `\`${field}\` has changed since the plan was made`
            : `\`${field}\` would not get the value that the plan shows`,
        detail: isMasked(planned)
          ? ''
          : `${values[0]} ${quotedJson(planned)}, ${values[1]} ${quotedJson(now)}.`,
      };
    }
    case 'difference':
      return {
        summary: change.differsNow
          ? `\`${change.field}\` differs now, and did not when the plan was made`
          : `\`${change.field}\` differed when the plan was made, and no longer does`,
      };
    case 'words':
      return {
        summary: 'a plan made now describes it differently',
        detail: `The plan has ${answerTexts(change.planned)}, and a plan made now has ${answerTexts(change.now)}.`,
      };
  }
}

function answerTexts(words: JsonValue): string {
  return words === null ? 'nothing' : quotedJson(words);
}
