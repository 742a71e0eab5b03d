import type { Diagnostic } from '../base/diagnostic.ts';
import type { Change, Plan } from '../plan/plan.ts';
import { changeLines } from './formats/change-lines.ts';
import { diagnosticsText } from './formats/text.ts';
import { markdown, type Limit } from './formats/markdown-comment.ts';
import { lastLine, planCounts, planFoot, planHead, shownChanges } from './plan-text.ts';
import { createStyle } from './printable.ts';

const plain = createStyle(false);
const width = 100;

/** The plan as a comment for a pull request: the counts, what keeps it from being applied, and the changes folded up in a diff. */
export function planMarkdown(plan: Plan, problems: readonly Diagnostic[], limit: Limit): string {
  return markdown(
    {
      marker: ['rollcall plan', plan.service],
      headline: `**${lastLine(plan)}** ${planCounts(plan)}`,
      fold: 'Show the plan',
      language: 'diff',
      sections: [
        { items: planHead(plan), separator: '\n\n' },
        {
          items: problems.map((problem) => diagnosticsText([problem], plain).trimEnd()),
          separator: '\n\n',
          itemName: 'problems',
        },
        {
          items: shownChanges(plan).map((change) => diffBlock(change)),
          separator: '\n\n',
          itemName: 'changes',
        },
        { items: planFoot(plan, plain), separator: '\n\n' },
      ],
    },
    limit,
  );
}

/** The signs stand in the first column, where they give a diff its colours. */
function diffBlock(change: Change): string {
  return changeLines(change, width, plain)
    .map(({ sign, indent, text }) => `${sign} ${' '.repeat(indent)}${text}`.trimEnd())
    .join('\n');
}
