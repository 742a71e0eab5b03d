import type { Outcome } from '../apply/outcome.ts';
import type { Problem } from '../base/diagnostic.ts';
import { sensitive } from '../base/sensitive.ts';
import { cameBackWords, doubtWords, heldWords } from './outcome-words.ts';

/** What is wrong, or may be, with a field of a resource that is there; with any of them when no field is named. */
export interface PartialProblem extends Omit<Problem, 'address'> {
  readonly field?: string;
}

/** Why a resource that this run created, or probably did, does not count as done. */
export function partialProblems({ change, outcome, doubt, differences = [] }: Outcome): PartialProblem[] {
  if (doubt === 'unchecked') {
    return [
      {
        code: 'perhaps-incomplete',
        summary: `it ${doubtWords}, and fields may be missing`,
        detail: change.resource.kind.words.perhapsInPart ?? '',
      },
    ];
  }
  return differences.map((difference) => {
    const { field, declared, observed } = difference;
    const created = outcome === 'created';
    return {
      field,
      code: 'not-as-declared',
      summary: created
        ? `it was created, but ${cameBackWords([difference])}`
        : `it ${doubtWords}, but holds ${heldWords(difference)} in ${field}`,
      detail: [
        ...(declared === sensitive ? [] : [`The manifest declares ${JSON.stringify(declared)}.`]),
        ...(observed === null ? ['This release of the service may not know the field.'] : []),
        'Set it in the service: rollcall changes nothing that exists.',
      ].join('\n'),
    };
  });
}
