import { constants } from 'node:buffer';
import { readOrUsageError } from '../base/errors.ts';
import { isJsonList, isJsonObject, textOf, type JsonObject } from '../base/json.ts';
import { type PlanDocument } from '../plan/document.ts';
import { planFromDocument } from '../plan/read-document.ts';
import { planReport, type Report } from '../report/report.ts';
import type { Context } from '../terminal/context.ts';

const maxBytes = constants.MAX_STRING_LENGTH;

/** The text of a file that contains the result of a run. Rejects with a UsageError if the file cannot be read. */
export async function readResultFile(what: string, filename: string, { files }: Context): Promise<string> {
  return new TextDecoder().decode(await readOrUsageError(what, filename, files.read(filename, maxBytes)));
}

/** Returns why a document contains no result, or undefined if the document may contain a result. The text is not escaped yet. */
export function missingResultReason({ valid, diagnostics = [] }: JsonObject): string | undefined {
  const [first] = isJsonList(diagnostics) ? diagnostics : [];
  return valid === false && isJsonObject(first) ? textOf(first['summary']) : undefined;
}

/** Restores the report of a plan from its document, except for parts that the document does not contain. */
export function planReportFrom(document: PlanDocument): Report {
  const { diagnostics = [] } = document;
  return planReport({ result: planFromDocument(document), diagnostics, filenames: [] });
}
