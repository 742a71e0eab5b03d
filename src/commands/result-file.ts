import { constants } from 'node:buffer';
import { readOrUsageError } from '../base/errors.ts';
import { isJsonList, isJsonObject, textOf, type JsonObject } from '../base/json.ts';
import { shownResource, type PlanDocument } from '../plan/document.ts';
import { planFrom } from '../plan/read-document.ts';
import { planReport, type Report } from '../report/report.ts';
import type { Context } from '../terminal/context.ts';

/** A string cannot be longer. */
const maxBytes = constants.MAX_STRING_LENGTH;

/** The text of a file with a run's result. Rejects with a UsageError if it cannot be read. */
export async function resultText(what: string, filename: string, { files }: Context): Promise<string> {
  return new TextDecoder().decode(await readOrUsageError(what, filename, files.read(filename, maxBytes)));
}

/** Why a document has no result, if it is the output of a run without one. Not safe to print. */
export function missingResultReason({ valid, diagnostics = [] }: JsonObject): string | undefined {
  const [first] = isJsonList(diagnostics) ? diagnostics : [];
  return valid === false && isJsonObject(first) ? textOf(first['summary']) : undefined;
}

/** The report of a plan from its document, as far as the document has it. */
export function planReportFrom(document: PlanDocument): Report {
  const { diagnostics = [] } = document;
  return planReport({ result: planFrom(document, shownResource), diagnostics, filenames: [] });
}
