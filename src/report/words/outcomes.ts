import type { Outcome, OutcomeKind, StopReason } from '../../apply/outcome.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Difference } from '../../plan/plan.ts';
import { sensitive } from '../../base/sensitive.ts';
import { startOf } from '../printable.ts';
import type { Problem } from '../../base/diagnostic.ts';

/** How resources ended, in a few words: for counts and headings. */
export const outcomeWords: Readonly<Record<OutcomeKind, string>> = {
  created: 'created',
  exists: 'there already',
  unchanged: 'in sync',
  differs: 'differing and left as is',
  rejected: 'rejected',
  denied: 'denied',
  conflict: 'in conflict',
  unknown: 'unknown',
  not_attempted: 'not attempted',
};

/** Why a resource was not begun. */
export const stopWords: Readonly<Record<StopReason, string>> = {
  interrupted: 'the run was interrupted',
  denied: 'the token may not create resources of this type',
  read_only: 'the licence of the service lets no resources of this type be created',
  no_way: 'the service cannot be used like this, as an earlier answer shows',
  pause: 'the service asks to wait for too long',
  away: 'the service did not answer while it was waited for',
  doubts: 'too many creates before it were put off by the service, or ended without a clear answer',
  fail_fast: 'another failed, and --fail-fast was given',
};

/** How one resource ended: every format says it in these words. Not yet safe to print. */
export function verdictWords({
  outcome,
  doubt,
  differences = [],
  stoppedBy,
}: Pick<Outcome, 'outcome' | 'doubt' | 'differences' | 'stoppedBy'>): string {
  switch (outcome) {
    case 'created':
      return differences.length === 0 ? 'created' : `created, but ${cameBackWords(differences)}`;
    case 'exists': {
      const how = doubt === undefined ? 'exists already' : doubtWords;
      const unchecked = doubt === 'unchecked' ? ', and fields may be missing' : '';
      const differs =
        differences.length === 0
          ? ''
          : `, and differs in ${differences.map(({ field }) => field).join(', ')}`;
      return `${how}${unchecked}${differs}`;
    }
    case 'not_attempted':
      return stoppedBy === undefined ? 'not created' : `not attempted: ${stopWords[stoppedBy]}`;
    case 'unchanged':
    case 'differs':
    case 'rejected':
    case 'denied':
    case 'conflict':
    case 'unknown':
      return outcomeWords[outcome];
  }
}

/** Said of what was found after a request of ours that may have created it. */
export const doubtWords =
  'is there: the answer to its create was lost or unclear, so this run probably created it';

/** How declared fields came back otherwise: `group came back as ""`. */
export function cameBackWords(differences: readonly Difference[]): string {
  return differences
    .map((difference) => `${difference.field} came back as ${heldWords(difference)}`)
    .join(', ');
}

/** What the service holds in place of what is declared. */
export function heldWords({ observed }: Difference): string {
  return observed === sensitive ? 'another value' : shortened(observed);
}

const mostCharacters = 60;

function shortened(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= mostCharacters ? text : `${startOf(text, mostCharacters)}…`;
}

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
