import { isIncomplete } from '../apply/outcome.ts';
import { applyLastLine, outcomeCounts } from './apply-text.ts';
import { verdictWords } from './outcome-words.ts';
import type { ApplySummary } from './apply-summary.ts';
import { textOf } from '../base/json.ts';
import { inline } from './escape.ts';
import type { ApplyReport } from './merge-shards.ts';
import type { Style } from './style.ts';

/** What the shards of an apply did together, for a person: the counts, and every resource that is not there as declared. */
export function mergedApplyText({ service, outcomes, summary }: ApplyReport, style: Style): string {
  const failed = outcomes.filter((outcome) => isIncomplete(outcome));
  const lines = failed.flatMap((outcome) => [
    `  ${style.red('x')} ${style.bold(inline(outcome.address))}  ${inline(verdictWords(outcome))}`,
    ...(outcome.diagnostics ?? []).map(({ summary: words }) => `      ${inline(textOf(words))}`),
  ]);
  // The schema asks for a count of every kind.
  const counts = summary as ApplySummary;
  return [
    `Applied to ${inline(service)}`,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    outcomeCounts(counts),
    `${style.bold(applyLastLine(counts, failed.length > 0))}\n`,
  ].join('\n\n');
}
