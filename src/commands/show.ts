import { constants } from 'node:buffer';
import { diagnosticFor } from '../base/diagnostic.ts';
import { readOrUsageError, UsageError } from '../base/errors.ts';
import { endingIfOutputLost, type Ending } from '../base/exit-code.ts';
import {
  isJsonList,
  isJsonObject,
  maxDocumentDepth,
  parseJson,
  textOf,
  type JsonValue,
} from '../base/json.ts';
import { parsePlan, planFromDocument } from '../plan/read-document.ts';
import { applyReportFromDocument, isApplyDocument } from '../report/documents.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import { planReport, type Report } from '../report/report.ts';
import type { Context } from '../terminal/context.ts';
import { detailFromFlags, type DetailFlags } from './flags.ts';
import { Reports, type ReportFlags } from './reports.ts';

export interface ShowOptions extends ReportFlags, DetailFlags {
  readonly output: 'text' | 'json';
}

/** `rollcall show`: prints the result of an earlier plan or apply. Sends nothing. */
export async function show(filename: string, options: ShowOptions, context: Context): Promise<Ending> {
  const reports = await Reports.parse(options, context, { inputs: [filename] });
  const bytes = context.files.read(filename, constants.MAX_STRING_LENGTH);
  const written = new TextDecoder().decode(await readOrUsageError('the result', filename, bytes));
  const report = reportIn(filename, written);
  if (report.kind === 'problems' && options.output !== 'json')
    context.stderr.write(diagnosticsText(report.diagnostics, createStyle(context.stderr)));
  else reports.print(report, detailFromFlags(options));
  const isWritten = await reports.write(report);
  return endingIfOutputLost(report.kind === 'problems' ? 'stale' : 'done', !isWritten);
}

function reportIn(filename: string, written: string): Report {
  const read = parsePlan(written);
  if (read.kind === 'refused') return refused(filename, read.why);
  if (read.kind === 'plan') {
    const { diagnostics = [] } = read.plan;
    return planReport({ result: planFromDocument(read.plan), diagnostics, filenames: [] });
  }
  const document = parseJson(written, maxDocumentDepth);
  if (isApplyDocument(document)) return applyReportFromDocument(document);
  const reason = missingResultReason(document);
  if (reason !== undefined)
    throw new UsageError(`${filename} contains no result, only the reason why there is none`, reason);
  throw new UsageError(
    `${filename} contains no plan and no result of apply that can be shown`,
    'Name a complete file that `rollcall plan --out`, `plan -o json` or `apply -o json` wrote.',
  );
}

/** The first problem in the document of a run that has no result, or undefined for any other document. The text is not escaped yet. */
function missingResultReason(document: JsonValue | undefined): string | undefined {
  const { valid, diagnostics = [] } = isJsonObject(document) ? document : {};
  const [first] = isJsonList(diagnostics) ? diagnostics : [];
  return valid === false && isJsonObject(first) ? textOf(first['summary']) : undefined;
}

function refused(filename: string, reason: string): Report {
  const diagnostic = diagnosticFor(filename, {
    code: 'stale-plan',
    summary: `this plan cannot be shown: ${reason}`,
    detail: 'Make a new plan with `rollcall plan`.',
  });
  return planReport({ diagnostics: [diagnostic], filenames: [] });
}
