import type { Diagnostic } from '../base/diagnostic.ts';
import { diagnosticsText } from './formats/text.ts';
import { markdown, type Limit } from './formats/markdown-comment.ts';
import { createStyle } from './printable.ts';

/** Diagnostics as a comment for a pull request. The marker is that of the plan, so that one comment takes the place of the other. */
export function diagnosticsMarkdown(
  diagnostics: readonly Diagnostic[],
  headline: string,
  marker: readonly [string, ...string[]],
  limit: Limit,
): string {
  const style = createStyle(false);
  return markdown(
    {
      marker,
      headline,
      language: 'text',
      sections: [
        {
          items: diagnostics.map((diagnostic) => diagnosticsText([diagnostic], style).trimEnd()),
          separator: '\n\n',
          itemName: 'problems',
        },
      ],
    },
    limit,
  );
}
