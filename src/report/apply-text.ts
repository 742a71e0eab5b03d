import { isIncomplete, type Outcome, type OutcomeKind } from '../apply/outcome.ts';
import { byPlace } from '../diagnostic.ts';
import { serviceWords } from './answer-words.ts';
import type { ApplyRun } from './apply-document.ts';
import { applySummary, type ApplySummary } from './apply-summary.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import { inline } from './escape.ts';
import { fold } from './fold.ts';
import { outcomeDiagnostics } from './outcome-diagnostics.ts';
import type { Style } from './style.ts';

/** What apply did, for a person: what was created, what was not and why, and what to run next. */
export function applyText(run: ApplyRun, style: Style): string {
  const { outcomes, declared } = run;
  const lines = outcomes
    .filter(({ change }) => change.change.before === null)
    .map((outcome) => outcomeLine(outcome, style));
  const diagnostics = outcomes.flatMap((outcome) => outcomeDiagnostics(outcome, declared)).toSorted(byPlace);
  const summary = applySummary(outcomes);
  const incomplete = outcomes.some((outcome) => isIncomplete(outcome));
  return [
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(diagnostics.length > 0 ? [diagnosticsText(fold(diagnostics), style).trimEnd()] : []),
    counts(summary),
    ...(incomplete ? [next(summary)] : []),
    `${style.bold(lastLine(summary, incomplete))}\n`,
  ].join('\n\n');
}

function outcomeLine({ change, outcome, answer, pk }: Outcome, style: Style): string {
  const address = style.bold(inline(change.address));
  switch (outcome) {
    case 'created':
      return `  ${style.green('+')} ${address}  created${pk === undefined ? '' : style.dim(` (pk ${inline(pk)})`)}`;
    case 'exists': {
      const said = answer === undefined ? '' : serviceWords(answer);
      return `  = ${address}  exists already${said === '' ? '' : style.dim(` (the service said: ${inline(said)})`)}`;
    }
    case 'unchanged':
    case 'differs':
      return `  = ${address}  ${words[outcome]}`;
    case 'rejected':
    case 'denied':
    case 'conflict':
      return `  ${style.red('x')} ${address}  ${words[outcome]}`;
    case 'unknown':
      return `  ${style.yellow('?')} ${address}  ${words[outcome]}`;
    case 'not_attempted':
      return `  ${style.yellow('.')} ${address}  ${answer === undefined ? 'not attempted: the run had stopped' : 'not created'}`;
  }
}

const words: Readonly<Record<OutcomeKind, string>> = {
  created: 'created',
  exists: 'existed already',
  unchanged: 'in sync',
  differs: 'differing and left as is',
  rejected: 'rejected',
  denied: 'denied',
  conflict: 'in conflict',
  unknown: 'unknown',
  not_attempted: 'not attempted',
};

function counts(summary: ApplySummary): string {
  // The keys of a summary are the kinds, in their order.
  const kinds = Object.keys(summary) as OutcomeKind[];
  const parts = kinds
    .filter((kind) => kind === 'created' || summary[kind] > 0)
    .map((kind) => `${summary[kind]} ${words[kind]}`);
  return `${parts.join(', ')}.`;
}

function next(summary: ApplySummary): string {
  const mend =
    summary.rejected + summary.denied + summary.conflict > 0 ? 'Mend what is said above, then run' : 'Run';
  return `${mend} the same apply again: it goes on with what is missing, and creates nothing twice.`;
}

function lastLine({ created }: ApplySummary, incomplete: boolean): string {
  return `Apply ${incomplete ? 'incomplete' : 'complete'}! Resources: ${created} added, 0 changed, 0 destroyed.`;
}
