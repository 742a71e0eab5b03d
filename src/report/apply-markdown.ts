import { isIncomplete } from '../apply/outcome.ts';
import type { ApplyRun } from '../run/result.ts';
import { applySummary } from './words/apply.ts';
import { applyFoot, applyLastLine, outcomeCounts, outcomeLines, runDiagnostics } from './apply-text.ts';
import { diagnosticsText } from './formats/text.ts';
import { fold } from './words/diagnostics.ts';
import { markdown, type Limit } from './formats/markdown-comment.ts';
import { createStyle } from './printable.ts';

const plain = createStyle(false);

/** What apply did, as a comment for a pull request: what went wrong comes first. */
export function applyMarkdown(run: ApplyRun, limit: Limit): string {
  const incomplete = run.outcomes.some((outcome) => isIncomplete(outcome));
  const summary = applySummary(run.outcomes);
  return markdown(
    {
      marker: ['rollcall apply', run.plan.service],
      headline: `**${applyLastLine(summary, incomplete)}** ${outcomeCounts(summary)}`,
      fold: 'Show what became of each resource',
      language: 'text',
      sections: [
        {
          items: fold(runDiagnostics(run)).map((diagnostic) =>
            diagnosticsText([diagnostic], plain).trimEnd(),
          ),
          separator: '\n\n',
          itemName: 'problems',
        },
        { items: outcomeLines(run.outcomes, plain), separator: '\n', itemName: 'resources' },
        { items: applyFoot(run, plain), separator: '\n\n' },
      ],
    },
    limit,
  );
}
