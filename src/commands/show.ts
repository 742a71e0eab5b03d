import { diagnosticFor } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { endingIfOutputLost, type Ending } from '../base/exit-code.ts';
import { isJsonObject, maxDocumentDepth, parseJson } from '../base/json.ts';
import { parsePlan } from '../plan/read-document.ts';
import { applyReportFromDocument, isApplyDocument } from '../report/documents.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import { planReport, type Report } from '../report/report.ts';
import type { Context } from '../terminal/context.ts';
import { detailFromFlags, type DetailFlags } from './flags.ts';
import { Reports, type ReportFlags } from './reports.ts';
import { planReportFrom, readResultFile, missingResultReason } from './result-file.ts';

export interface ShowOptions extends ReportFlags, DetailFlags {
  readonly output: 'text' | 'json';
}

/** `rollcall show`: prints the result of an earlier plan or apply. Sends nothing. */
export async function show(filename: string, options: ShowOptions, context: Context): Promise<Ending> {
  const reports = await Reports.parse(options, context, { inputs: [filename] });
  const report = reportIn(filename, await readResultFile('the result', filename, context));
  if (report.kind === 'problems' && options.output !== 'json')
    context.stderr.write(diagnosticsText(report.diagnostics, createStyle(context.stderr)));
  else reports.print(report, context, detailFromFlags(options));
  const written = await reports.write(report, context);
  return endingIfOutputLost(report.kind === 'problems' ? 'stale' : 'done', !written);
}

function reportIn(filename: string, written: string): Report {
  const read = parsePlan(written);
  if (read.kind === 'refused') return refused(filename, read.why);
  if (read.kind === 'plan') return planReportFrom(read.plan);
  const document = parseJson(written, maxDocumentDepth);
  if (isApplyDocument(document)) return applyReportFromDocument(document);
  const reason = isJsonObject(document) ? missingResultReason(document) : undefined;
  if (reason !== undefined)
    throw new UsageError(`${filename} contains no result, only the reason why there is none`, reason);
  throw new UsageError(
    `${filename} contains no plan and no result of apply that can be shown`,
    'Name a complete file that `rollcall plan --out`, `plan -o json` or `apply -o json` wrote.',
  );
}

function refused(filename: string, reason: string): Report {
  const diagnostic = diagnosticFor(filename, {
    code: 'stale-plan',
    summary: `this plan cannot be shown: ${reason}`,
    detail: 'Make a new plan with `rollcall plan`.',
  });
  return planReport({ diagnostics: [diagnostic], filenames: [] });
}
