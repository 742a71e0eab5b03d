import { isIncomplete, isMissing, isPartial, type Outcome, type OutcomeKind } from '../apply/outcome.ts';
import { byPlace, type Diagnostic } from '../base/diagnostic.ts';
import { isPending } from '../plan/plan.ts';
import { serviceWords } from './words/answers.ts';
import type { ApplyRun } from '../run/result.ts';
import { applySummary, effectsIn, type ApplySummary } from './words/apply.ts';
import { diagnosticsText } from './formats/text.ts';
import { inline, type Style } from './printable.ts';
import { fold } from './words/diagnostics.ts';
import { outcomeDiagnostics } from './words/outcome-diagnostics.ts';
import { outcomeWords, verdictWords } from './words/outcomes.ts';

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
  return outcomes.filter(({ change }) => isPending(change)).map((outcome) => outcomeLine(outcome, style));
}

/** Why resources failed, by place. */
export function runDiagnostics({ outcomes }: ApplyRun): Diagnostic[] {
  return outcomes.flatMap((outcome) => outcomeDiagnostics(outcome)).toSorted(byPlace);
}

/** The counts, what to run next, and the last line. */
export function applyFoot({ outcomes, saved, interrupted }: ApplyRun, style: Style): string[] {
  const summary = applySummary(outcomes);
  const incomplete = outcomes.some((outcome) => isIncomplete(outcome));
  return [
    outcomeCounts(summary),
    ...(interrupted ? ['The run was interrupted.'] : []),
    ...(outcomes.some((outcome) => isMissing(outcome)) ? [next(summary, saved)] : []),
    ...(outcomes.some((outcome) => isPartial(outcome)) ? [lookAtParts] : []),
    style.bold(applyLastLine(summary, incomplete)),
  ];
}

function outcomeLine(outcome: Outcome, style: Style): string {
  const said = outcome.outcome === 'exists' && outcome.answer ? serviceWords(outcome.answer) : '';
  const pk = outcome.outcome === 'created' && outcome.pk !== undefined ? `pk ${outcome.pk}` : '';
  const more = pk || (said && `the service said: ${said}`);
  const words = `${style.bold(inline(outcome.change.resource.address))}  ${inline(verdictWords(outcome))}`;
  return `  ${signOf(outcome, style)} ${words}${more && style.dim(` (${inline(more)})`)}`;
}

function signOf(outcome: Outcome, style: Style): string {
  switch (outcome.outcome) {
    case 'created':
      return isPartial(outcome) ? style.yellow('+') : style.green('+');
    case 'exists':
      return isPartial(outcome) ? style.yellow('=') : '=';
    case 'unchanged':
    case 'differs':
      return '=';
    case 'rejected':
    case 'denied':
    case 'conflict':
      return style.red('x');
    case 'unknown':
      return style.yellow('?');
    case 'not_attempted':
      return style.yellow('.');
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

/** Another run does not help there: it finds what exists, and leaves it as it is. */
const lookAtParts =
  'Check in the service what is not, or may not be, as declared, and correct it there: rollcall changes nothing that exists.';

function next(summary: ApplySummary, saved: boolean): string {
  const fix = summary.rejected + summary.denied + summary.conflict > 0 ? 'Fix what is said above, then' : '';
  const again = saved ? 'make a new plan and apply it' : 'run the same apply again';
  const sentence = `${fix} ${again}`.trim();
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}: it goes on with what is missing, and creates nothing twice.`;
}

export function applyLastLine(summary: ApplySummary, incomplete: boolean): string {
  const { add, change, destroy } = effectsIn(summary);
  return `Apply ${incomplete ? 'incomplete' : 'complete'}! Resources: ${add} added, ${change} changed, ${destroy} destroyed.`;
}
