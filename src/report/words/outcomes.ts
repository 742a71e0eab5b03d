import {
  isIncomplete,
  isMissing,
  isPartial,
  outcomeKinds,
  type Outcome,
  type OutcomeFacts,
  type OutcomeKind,
  type StopReason,
} from '../../apply/outcome.ts';
import { destinationLabel, type Destination } from '../../base/destination.ts';
import { isMasked } from '../../base/sensitive.ts';
import { isBindingField } from '../../kinds/access.ts';
import type { Resource } from '../../kinds/resource.ts';
import { actions, effectsOf } from '../../plan/actions.ts';
import type { Difference } from '../../plan/plan.ts';
import type { AnswerKind } from '../../service/answer.ts';
import type { ApplyRun } from '../../run/result.ts';
import { capitalised, printableLine, withoutEmpty, shortened } from '../printable.ts';
import { serviceWords } from './answers.ts';
import { changeLooks, notComparedCount, notComparedWords, type EntryLook } from './changes.ts';

/** The look and name of each outcome, and whether another run would have the same outcome. */
export const outcomeLooks: Readonly<Record<OutcomeKind, EntryLook & { readonly needsFix?: true }>> = {
  created: { label: 'created', sign: actions.create.sign, colour: 'green' },
  updated: { label: 'changed', sign: actions.update.sign, colour: 'green' },
  deleted: { label: 'deleted', sign: actions.delete.sign, colour: 'green' },
  unfinished: { label: 'unfinished', sign: 'x', colour: 'red' },
  exists: { label: 'there already (not compared)', sign: '=', colour: 'grey' },
  unchanged: { label: 'in sync', sign: '=', colour: 'grey' },
  differs: { label: 'differing (left unchanged)', sign: '!', colour: 'amber' },
  rejected: { label: 'rejected', sign: 'x', colour: 'red', needsFix: true },
  denied: { label: 'denied', sign: 'x', colour: 'red', needsFix: true },
  conflict: { label: 'in conflict', sign: 'x', colour: 'red', needsFix: true },
  unknown: { label: 'unknown', sign: '?', colour: 'amber' },
  not_attempted: { label: 'not attempted', sign: '.', colour: 'amber' },
};

/** Says why the run stopped before a resource. `needsFix` is true if another run would stop for the same reason. */
const stopRows: Readonly<Record<StopReason, { readonly words: string; readonly needsFix?: true }>> = {
  interrupted: { words: 'the run was interrupted' },
  denied: { words: 'the token may not create resources of this type', needsFix: true },
  denials: {
    words: 'too many changes of resources of this type were denied in a row',
    needsFix: true,
  },
  token_refused: { words: 'the service no longer accepts the token', needsFix: true },
  access_denied: { words: 'the token may not change access', needsFix: true },
  read_only: {
    words: 'the licence of the service does not allow resources of this type to be created or changed',
    needsFix: true,
  },
  no_way: {
    words: 'an earlier answer shows that the service cannot be used with these settings',
    needsFix: true,
  },
  pause: { words: 'the service asks clients to wait for too long' },
  away: { words: 'the service did not become available within the waiting time' },
  doubts: { words: 'the service postponed too many earlier requests, or did not answer them clearly' },
  fail_fast: { words: 'another change failed, and --fail-fast was given' },
  not_planned: { words: 'it could not be planned', needsFix: true },
  left: { words: 'the plan leaves it unchanged', needsFix: true },
  waits: { words: 'the change that it depends on failed' },
  not_last: { words: 'it is applied last, and an earlier change failed' },
  unmade: { words: 'a resource that it depends on is missing, or not as declared' },
  error: { words: 'the run met an unexpected error' },
};

export type VerdictFacts = OutcomeFacts & Pick<Outcome, 'stoppedBy' | 'notCompared' | 'clash'>;

export function verdictWords({
  outcome,
  doubt,
  differences = [],
  stoppedBy,
  notCompared,
  clash,
}: VerdictFacts): string {
  switch (outcome) {
    case 'created':
      return withoutEmpty(
        doubt === 'hidden' ? 'created, but hidden from this token' : 'created',
        notCompared && notComparedCount(notCompared),
        differences.length > 0 && `but ${returnedValuesWords(differences)}`,
      ).join(', ');
    case 'updated':
      return doubt === undefined
        ? 'changed'
        : 'changed: the answer was lost or unclear, and the record is as declared';
    case 'unfinished': {
      const lacking = differences.map(({ field }) => field).join(', ');
      return withoutEmpty(
        'unfinished',
        clash?.kind === 'unseen' && 'could not be read back',
        lacking && `not yet as declared: ${lacking}`,
      ).join(', ');
    }
    case 'exists': {
      const how = doubt === undefined ? 'exists already' : doubtWords;
      const unchecked = doubt === 'unchecked' ? ', and fields may be missing' : '';
      const fields = differences.map(({ field }) => field).join(', ');
      return `${how}${unchecked}${fields && `, and differs in ${fields}`}`;
    }
    case 'unchanged':
      return notCompared ? notComparedWords(notCompared) : outcomeLooks.unchanged.label;
    case 'not_attempted':
      return stoppedBy === undefined ? 'not attempted' : `not attempted: ${stopRows[stoppedBy].words}`;
    default:
      return outcomeLooks[outcome].label;
  }
}

/** Words for a resource that exists, and that this run probably created. */
export const doubtWords =
  'exists: the answer to the create request was lost or unclear, so this run probably created it';

/** The declared fields that the service returned with other values: `group came back as ""`. */
export function returnedValuesWords(differences: readonly Difference[]): string {
  return differences
    .map((difference) => `${difference.field} came back as ${serviceValueWords(difference)}`)
    .join(', ');
}

export function serviceValueWords({ observed }: Difference): string {
  return isMasked(observed) ? 'another value' : shortened(JSON.stringify(observed), maxLength);
}

const maxLength = 60;

/** The service's words, or why nothing was sent; empty if there is nothing to say. */
export function outcomeDetail({ change, outcome, answer, stoppedBy }: Outcome): string {
  if (stoppedBy === 'left') return `left unchanged: ${change.leftBecause}`;
  if (stoppedBy !== undefined) return `not begun: ${stopRows[stoppedBy].words}`;
  return endedAsPlanned({ outcome }) || answer === undefined ? '' : serviceWords(answer);
}

export function endedAsPlanned({ outcome }: Pick<Outcome, 'outcome'>): boolean {
  return outcome === 'created' || outcome === 'updated' || outcome === 'deleted';
}

export function existingRecordWords({
  outcome,
  detail,
}: Pick<Outcome, 'outcome'> & { detail: string }): string {
  return outcome === 'exists' && detail !== '' ? `the service said: ${detail}` : '';
}

export type ApplySummary = Readonly<Record<OutcomeKind, number>>;

export function applySummary(outcomes: readonly Pick<Outcome, 'outcome'>[]): ApplySummary {
  const summary = Object.fromEntries(outcomeKinds.map((kind) => [kind, 0])) as Record<OutcomeKind, number>;
  for (const { outcome } of outcomes) summary[outcome] += 1;
  return summary;
}

export function applyHeading(destination: Destination): string {
  return `Applied to ${printableLine(destinationLabel(destination))}`;
}

/** Counts every resource that this run has, or may have, written, or that is still missing. */
function applyHeadline(summary: ApplySummary, doubtful: number, incomplete: boolean): string {
  const { add, change, destroy } = effectsOf((action) => summary[actions[action].outcome]);
  const missing = outcomeKinds.filter((outcome) => summary[outcome] > 0 && isMissing({ outcome }));
  const counts = withoutEmpty(
    `${add} added`,
    `${change} changed`,
    `${destroy} destroyed`,
    doubtful > 0 && `${doubtful} probably added`,
    ...missing.map((outcome) => `${summary[outcome]} ${outcomeLooks[outcome].label}`),
  );
  return `Apply ${incomplete ? 'incomplete' : 'complete'}! Resources: ${counts.join(', ')}.`;
}

interface ApplyWords {
  readonly headline: string;
  readonly counts: string;
  readonly remarks: readonly string[];
}

export function applyWords(
  { interrupted, saved, lostLogins = [] }: Pick<ApplyRun, 'interrupted' | 'saved' | 'lostLogins'>,
  outcomes: readonly (OutcomeFacts &
    Pick<Outcome, 'stoppedBy' | 'notCompared'> & { readonly needsFix: boolean })[],
  summary: ApplySummary,
): ApplyWords {
  const isFixNeeded = outcomes.some(({ needsFix }) => needsFix);
  const areHidden = outcomes.some(({ doubt }) => doubt === 'hidden');
  const areUnfinished = outcomes.some(({ outcome }) => outcome === 'unfinished');
  const areLacking = outcomes.some(({ outcome, differences }) => outcome === 'unfinished' && differences);
  // The same apply does not complete an unfinished resource, nor create the resources that wait for it.
  const continues = outcomes.some(
    (each) =>
      isMissing(each) && each.outcome !== 'unfinished' && !(areUnfinished && each.stoppedBy === 'unmade'),
  );
  const incomplete = lostLogins.length > 0 || outcomes.some((outcome) => isIncomplete(outcome));
  const existing = outcomes.filter(({ outcome }) => outcome === 'exists');
  const doubtful = existing.filter(({ doubt }) => doubt).length;
  const differing = existing.filter(({ doubt, differences }) => !doubt && differences).length;
  const uncompared = outcomes.filter((each) => each.outcome === 'unchanged' && each.notCompared).length;
  const parts = new Map<OutcomeKind, readonly (readonly [count: number, label: string])[]>([
    [
      'exists',
      [
        [differing, 'there already, but differing'],
        [doubtful, 'probably created'],
      ],
    ],
    ['unchanged', [[uncompared, changeLooks.not_compared.label]]],
  ]);
  const counts = outcomeKinds.flatMap((kind) => {
    const ofKind = parts.get(kind) ?? [];
    const others = ofKind.reduce((left, [count]) => left - count, summary[kind]);
    return withoutEmpty(
      (kind === 'created' || others > 0) && `${others} ${outcomeLooks[kind].label}`,
      ...ofKind.map(([count, label]) => count > 0 && `${count} ${label}`),
    );
  });
  return {
    headline: applyHeadline(summary, doubtful, incomplete),
    counts: `${counts.join(', ')}.`,
    remarks: withoutEmpty(
      interrupted && interruptedSentence,
      withoutEmpty(
        areUnfinished && (areLacking ? finishByUpdateAdvice : planAgainAdvice),
        continues && !areHidden && runAgainAdvice(isFixNeeded, saved, areUnfinished),
      ).join(' '),
      // Another run does not help, because that run may not change the existing record either.
      outcomes.some((outcome) => isPartial(outcome) && outcome.doubt !== 'hidden') && checkPartsAdvice,
    ),
  };
}

export const interruptedSentence = 'The run was interrupted.';

const finishByUpdateAdvice =
  'To finish the unfinished resources, apply again with the capability `update` and --allow update. The next plan shows the missing parts as changes.';

const planAgainAdvice = 'Plan again to see what the unfinished resources lack, if anything.';

const checkPartsAdvice =
  'Check these resources: plan again with the capability `update` and --allow update, or look at them in the service.';

/** Answers that stay the same until somebody changes settings of the service or of a proxy in front of it. */
const answersNeedAFix: ReadonlySet<AnswerKind | undefined> = new Set([
  'denied',
  'read_only',
  'redirect',
  'no_such_route',
]);

/** Whether the same run would end in the same way until something is fixed. */
export function isToBeFixed({ outcome, stoppedBy, answer, clash }: Outcome): boolean {
  // The next plan starts from the present state, but a field that the service ignored will be ignored again.
  if (clash && clash.kind !== 'unseen') return clash.kind === 'ignored';
  const row = stoppedBy === undefined ? outcomeLooks[outcome] : stopRows[stoppedBy];
  return row.needsFix === true || answersNeedAFix.has(answer?.kind);
}

function runAgainAdvice(needsFix: boolean, saved: boolean, areUnfinished: boolean): string {
  const again = saved ? 'make a new plan and apply it' : 'run the same apply again';
  const subject = areUnfinished ? 'the next apply also' : `${again}: it`;
  const sentence = needsFix ? `fix the problems that are shown, then ${subject}` : subject;
  return `${capitalised(sentence)} continues with the missing resources, and creates nothing twice.`;
}

/** Who can use a resource that was created or changed in part, given the fields that are not as declared. */
export function usabilityWords(
  done: 'created' | 'changed',
  { kind }: Resource,
  differences: readonly Pick<Difference, 'field'>[],
): string {
  const users = done === 'created' ? kind.words.usersBeforeBindings : undefined;
  if (users !== undefined) return `${capitalised(users)} can use it until its bindings exist.`;
  if (kind.access === undefined) return 'Resources that refer to it were not created or changed.';
  if (done === 'changed') return 'Only the former and the declared users and groups can open it.';
  const missing = differences.map(({ field }) => field);
  const unset = missing.filter((field) => kind.bindable?.withheld.includes(field));
  return [
    ...(missing.some((field) => isBindingField(kind, field))
      ? ['If it has no bindings, everyone may see its name.']
      : []),
    unset.length > 0
      ? `Nobody can open it, because ${unset.map((field) => `\`${field}\``).join(' and ')} ${unset.length === 1 ? 'is' : 'are'} set last.`
      : 'As soon as all its bindings exist, only declared users and groups can open it.',
  ].join(' ');
}
