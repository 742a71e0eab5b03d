import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { placeOf } from '../kinds/resource.ts';
import { planDocument } from '../plan/document.ts';
import type { Plan } from '../plan/plan.ts';
import { diagnosticsHtml } from './diagnostics-html.ts';
import { diagnosticsMarkdown } from './diagnostics-markdown.ts';
import { diagnosticsText } from './formats/text.ts';
import type { Ended } from '../run/result.ts';
import type { Report, ReportFormat } from './ended.ts';
import { githubAnnotations } from './formats/github.ts';
import { jsonText, failureDocument } from './formats/json.ts';
import { junit } from './formats/junit.ts';
import { commentLimit, type Limit } from './formats/markdown-comment.ts';
import { planHtml } from './plan-html.ts';
import { planMarkdown } from './plan-markdown.ts';
import { planText } from './plan-text.ts';
import { sarif } from './formats/sarif.ts';
import { createStyle } from './printable.ts';

const plain = createStyle(false);

/** The formats in which a plan can be reported; without a plan, they tell the diagnostics. */
export const planReports: Readonly<Record<ReportFormat, Report<Plan>>> = {
  text: ({ result, diagnostics }: Ended<Plan>): string =>
    diagnosticsText(diagnostics, plain) + (result ? planText(result, plain) : `\n${noPlan}\n`),
  json: ({ result, diagnostics }: Ended<Plan>): string =>
    jsonText(result ? planDocument(result) : failureDocument(diagnostics)),
  markdown: (ended: Ended<Plan>): string => planComment(ended, commentLimit),
  html: ({ result, diagnostics }: Ended<Plan>): string =>
    result ? planHtml(result, errorsIn(diagnostics)) : diagnosticsHtml('rollcall plan', noPlan, diagnostics),
  junit: (ended: Ended<Plan>): string => junit(withDrift(ended), ended.filenames, 'rollcall plan'),
  sarif: (ended: Ended<Plan>, toolVersion: string): string => sarif(withDrift(ended), toolVersion),
  github: (ended: Ended<Plan>): string => githubAnnotations(withDrift(ended)),
};

const noPlan = 'There is no plan. Nothing was changed.';

/** The plan, or why there is none, as a comment for a pull request. */
export function planComment({ result, diagnostics, service }: Ended<Plan>, limit: Limit): string {
  return result
    ? planMarkdown(result, errorsIn(diagnostics), limit)
    : diagnosticsMarkdown(
        diagnostics,
        `**${noPlan}**`,
        ['rollcall plan', ...(service === undefined ? [] : [service])],
        limit,
      );
}

function errorsIn(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === 'error');
}

/** A difference is not an error, but it is shown at the line that declares it. */
function withDrift({ result, diagnostics }: Ended<Plan>): Diagnostic[] {
  const differing = result?.changes.filter(({ differences }) => differences.length > 0) ?? [];
  const drift = differing.map(({ resource, differences }): Diagnostic => {
    const { address } = resource;
    const { filename, start } = placeOf(resource);
    const fields = differences.map(({ field }) => `\`${field}\``).join(', ');
    const diagnostic = diagnosticFor(filename, {
      code: 'differs',
      severity: 'warning',
      address,
      summary: `${address} differs in ${fields}`,
      detail: 'It is left as it is: the service has no way to change it.',
    });
    return { ...diagnostic, range: { filename, start, end: start } };
  });
  return [...diagnostics, ...drift];
}
