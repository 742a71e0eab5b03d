import { isIncomplete } from '../apply/outcome.ts';
import { sourceOf } from '../plan/document.ts';
import type { ApplyRun, Ended } from '../run/result.ts';
import { applyDocument, jsonText, failureDocument } from './formats/json.ts';
import { applyHtml } from './apply-html.ts';
import { applyMarkdown } from './apply-markdown.ts';
import { applyText, runDiagnostics } from './apply-text.ts';
import { verdictWords } from './words/outcomes.ts';
import { diagnosticsHtml } from './diagnostics-html.ts';
import { diagnosticsMarkdown } from './diagnostics-markdown.ts';
import { diagnosticsText } from './formats/text.ts';
import type { Report, ReportFormat } from './ended.ts';
import { githubAnnotations } from './formats/github.ts';
import { junit, junitSuites, type JunitCase } from './formats/junit.ts';
import { commentLimit, type Limit } from './formats/markdown-comment.ts';
import { outcomeDiagnostics } from './words/outcome-diagnostics.ts';
import { sarif } from './formats/sarif.ts';
import { createStyle } from './printable.ts';

const plain = createStyle(false);

/** The formats in which a run of apply can be reported; when nothing was applied, they tell the diagnostics. */
export const applyReports: Readonly<Record<ReportFormat, Report<ApplyRun>>> = {
  text: ({ result, diagnostics }: Ended<ApplyRun>): string =>
    diagnosticsText(diagnostics, plain) + (result ? applyText(result, plain) : `\n${notApplied}\n`),
  json: ({ result, diagnostics }: Ended<ApplyRun>): string =>
    jsonText(result ? applyDocument(result) : failureDocument(diagnostics)),
  markdown: (ended: Ended<ApplyRun>): string => applyComment(ended, commentLimit),
  html: ({ result, diagnostics }: Ended<ApplyRun>): string =>
    result ? applyHtml(result) : diagnosticsHtml('rollcall apply', notApplied, diagnostics),
  junit: ({ result, diagnostics, filenames }: Ended<ApplyRun>): string =>
    result ? outcomesAsJunit(result) : junit(diagnostics, filenames, 'rollcall apply'),
  sarif: (ended: Ended<ApplyRun>, toolVersion: string): string => sarif(allDiagnostics(ended), toolVersion),
  github: (ended: Ended<ApplyRun>): string => githubAnnotations(allDiagnostics(ended)),
};

const notApplied = 'Nothing was applied.';

/** What apply did, or why it did nothing, as a comment for a pull request. */
export function applyComment({ result, diagnostics, service }: Ended<ApplyRun>, limit: Limit): string {
  return result
    ? applyMarkdown(result, limit)
    : diagnosticsMarkdown(
        diagnostics,
        `**${notApplied}**`,
        ['rollcall apply', ...(service === undefined ? [] : [service])],
        limit,
      );
}

function allDiagnostics({ result, diagnostics }: Ended<ApplyRun>): Ended<ApplyRun>['diagnostics'] {
  return result ? [...diagnostics, ...runDiagnostics(result)] : diagnostics;
}

/** A suite for each manifest, a case for each resource. */
function outcomesAsJunit({ outcomes }: ApplyRun): string {
  const byFile = new Map<string, JunitCase[]>();
  for (const outcome of outcomes) {
    const { resource } = outcome.change;
    const { file, line } = sourceOf(resource);
    const texts = outcomeDiagnostics(outcome).map(({ summary, detail }) =>
      detail === '' ? summary : `${summary}\n${detail}`,
    );
    const cases = byFile.get(file) ?? [];
    byFile.set(file, cases);
    cases.push({
      name: resource.address,
      file,
      line,
      kind: isIncomplete(outcome) ? 'failed' : 'passed',
      type: outcome.outcome,
      message: verdictWords(outcome),
      // A case that passed has no message of its own.
      text: texts.length === 0 && outcome.doubt ? verdictWords(outcome) : texts.join('\n'),
    });
  }
  return junitSuites(
    'rollcall apply',
    Array.from(byFile, ([name, cases]) => ({ name, cases })),
  );
}
