import { isIncomplete, type Outcome, type OutcomeKind } from '../apply/outcome.ts';
import { byPlace, type Diagnostic } from '../diagnostic.ts';
import type { Answer } from '../service/answer.ts';
import { whatAnswersProve } from '../service/what-answers-prove.ts';
import { serviceWords } from './answer-words.ts';
import type { ApplyRun } from './apply-document.ts';
import { applySummary, type ApplySummary } from './apply-summary.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import { inline } from './escape.ts';
import { fold } from './fold.ts';
import { outcomeDiagnostics } from './outcome-diagnostics.ts';
import { outcomeWords, stopWords } from './outcome-words.ts';
import type { Style } from './style.ts';

/** What apply did, for a person: what was created, what was not and why, and what to run next. */
export function applyText(run: ApplyRun, style: Style): string {
  const { outcomes } = run;
  const lines = outcomeLines(outcomes, style);
  const diagnostics = runDiagnostics(run);
  return `${[
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(diagnostics.length > 0 ? [diagnosticsText(fold(diagnostics), style).trimEnd()] : []),
    ...applyFoot(run, style),
  ].join('\n\n')}\n`;
}

/** What became of everything that was to be created, each in a line. */
export function outcomeLines(outcomes: readonly Outcome[], style: Style): string[] {
  return outcomes
    .filter(({ change }) => change.change.before === null)
    .map((outcome) => outcomeLine(outcome, style));
}

/** Why resources were not brought about, by place. */
export function runDiagnostics({ outcomes, declared }: ApplyRun): Diagnostic[] {
  return outcomes.flatMap((outcome) => outcomeDiagnostics(outcome, declared)).toSorted(byPlace);
}

/** The counts, what to run next, and the last line. */
export function applyFoot({ outcomes, saved, interrupted }: ApplyRun, style: Style): string[] {
  const summary = applySummary(outcomes);
  const incomplete = outcomes.some((outcome) => isIncomplete(outcome));
  return [
    outcomeCounts(summary),
    ...(interrupted ? ['The run was interrupted.'] : []),
    ...(incomplete ? [next(summary, saved)] : []),
    style.bold(applyLastLine(summary, incomplete)),
  ];
}

/** Whether what was found is likely to be of this run: its create was sent, and no clear answer came. */
function isOurs(answer: Answer | undefined): boolean {
  return answer !== undefined && whatAnswersProve[answer.kind].createApplication === 'ambiguous';
}

function outcomeLine({ change, outcome, answer, pk, differences, stoppedBy }: Outcome, style: Style): string {
  const address = style.bold(inline(change.address));
  switch (outcome) {
    case 'created':
      return `  ${style.green('+')} ${address}  created${pk === undefined ? '' : style.dim(` (pk ${inline(pk)})`)}`;
    case 'exists': {
      const said = answer === undefined ? '' : serviceWords(answer);
      const how = isOurs(answer)
        ? 'is there: the answer to its create was lost, it is probably ours'
        : 'exists already';
      const differs =
        differences === undefined
          ? ''
          : `, and differs in ${differences.map(({ field }) => field).join(', ')}`;
      return `  = ${address}  ${how}${differs}${said === '' ? '' : style.dim(` (the service said: ${inline(said)})`)}`;
    }
    case 'unchanged':
    case 'differs':
      return `  = ${address}  ${outcomeWords[outcome]}`;
    case 'rejected':
    case 'denied':
    case 'conflict':
      return `  ${style.red('x')} ${address}  ${outcomeWords[outcome]}`;
    case 'unknown':
      return `  ${style.yellow('?')} ${address}  ${outcomeWords[outcome]}`;
    case 'not_attempted':
      return `  ${style.yellow('.')} ${address}  ${stoppedBy === undefined ? 'not created' : `not attempted: ${stopWords[stoppedBy]}`}`;
  }
}

export function outcomeCounts(summary: ApplySummary): string {
  // The keys of a summary are the kinds, in their order.
  const kinds = Object.keys(summary) as OutcomeKind[];
  const parts = kinds
    .filter((kind) => kind === 'created' || summary[kind] > 0)
    .map((kind) => `${summary[kind]} ${outcomeWords[kind]}`);
  return `${parts.join(', ')}.`;
}

function next(summary: ApplySummary, saved: boolean): string {
  const mend =
    summary.rejected + summary.denied + summary.conflict > 0 ? 'Mend what is said above, then' : '';
  const again = saved ? 'make a new plan and apply it' : 'run the same apply again';
  const sentence = `${mend} ${again}`.trim();
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}: it goes on with what is missing, and creates nothing twice.`;
}

export function applyLastLine({ created }: ApplySummary, incomplete: boolean): string {
  return `Apply ${incomplete ? 'incomplete' : 'complete'}! Resources: ${created} added, 0 changed, 0 destroyed.`;
}
