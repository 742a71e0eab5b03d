import { constants } from 'node:buffer';
import { readOrRefuse, UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { isJsonObject, parseJson, type JsonObject } from '../base/json.ts';
import { validate } from '../generated/apply.ts';
import { planFrom, shownResource } from '../plan/document.ts';
import { isPlanDocument } from '../plan/saved/read.ts';
import { jsonText } from '../report/formats/json.ts';
import { createStyle } from '../report/formats/lines.ts';
import { planText } from '../report/formats/text.ts';
import {
  mergeApplies,
  mergedApplyText,
  mergePlans,
  shardProblems,
  type ApplyDocument,
  type ShardDocument,
  type ShardReport,
} from '../report/merge.ts';
import { inline } from '../report/printable.ts';
import { planReport } from '../report/report.ts';
import { applyEnding } from '../run/result.ts';
import type { Context } from '../terminal/context.ts';
import { Reports } from './reports.ts';

export interface ReportMergeOptions {
  readonly output: 'text' | 'json';
  /** Of a plan only. */
  readonly report?: readonly string[];
}

/** `rollcall report merge`: joins the JSON documents of the shards of one plan or apply; none may be missing or doubled. */
export async function reportMerge(
  filenames: readonly string[],
  options: ReportMergeOptions,
  context: Context,
): Promise<Ending> {
  const reports = await Reports.asked(options.report);
  const style = createStyle(context.stdout.colours);
  const documents: { filename: string; document: JsonObject }[] = [];
  for (const filename of filenames) documents.push({ filename, document: await read(filename, context) });

  const plans = documents.flatMap(({ filename, document }) =>
    isPlanDocument(document) ? [{ filename, document }] : [],
  );
  if (plans.length === documents.length && areWhole(plans, context)) {
    const document = mergePlans(documentsOf(plans));
    const plan = planFrom(document, shownResource);
    context.stdout.write(options.output === 'json' ? jsonText(document) : planText(plan, style));
    const report = planReport({ result: plan, diagnostics: document.diagnostics ?? [], filenames: [] });
    return (await reports.write(report, context)) ? 'done' : 'failed';
  }
  const applies = documents.flatMap(({ filename, document }) =>
    isApplyDocument(document) ? [{ filename, document }] : [],
  );
  if (applies.length === documents.length && areWhole(applies, context)) {
    if (options.report)
      throw new UsageError('--report is for plans', 'Leave it out, and take -o json or -o text.');
    const apply = mergeApplies(documentsOf(applies));
    context.stdout.write(options.output === 'json' ? jsonText(apply) : mergedApplyText(apply, style));
    return apply.interrupted ? 'interrupted' : applyEnding(apply.outcomes);
  }
  if (plans.length !== documents.length && applies.length !== documents.length) {
    const known = plans.length > applies.length ? plans : applies;
    const strange = documents.find(({ document }) => known.every((other) => other.document !== document));
    throw new UsageError(
      `${strange?.filename} is not a document that goes with the others`,
      'Name the documents of `plan -o json`, or those of `apply -o json`, of every shard of one run.',
    );
  }
  return 'failed';
}

async function read(filename: string, { files }: Context): Promise<JsonObject> {
  const bytes = await readOrRefuse('the report', filename, files.read(filename, maxBytes));
  const document = parseJson(new TextDecoder().decode(bytes));
  if (isJsonObject(document)) return document;
  throw new UsageError(
    `${filename} holds no JSON document`,
    'Name the documents of `plan -o json` or `apply -o json`.',
  );
}

/** More cannot be made a text. */
const maxBytes = constants.MAX_STRING_LENGTH;

function isApplyDocument(value: unknown): value is ApplyDocument {
  return validate(value); // what satisfies the schema has the fields of the type
}

function areWhole(shards: readonly ShardDocument<ShardReport>[], { stderr }: Context): boolean {
  const problems = shardProblems(shards);
  for (const problem of problems) stderr.write(`error: ${inline(problem)}\n`);
  return problems.length === 0;
}

function documentsOf<Document extends ShardReport>(
  shards: readonly ShardDocument<Document>[],
): [Document, ...Document[]] {
  const [first, ...others] = shards.map(({ document }) => document);
  if (first === undefined) throw new UsageError('no report is named', 'Name the documents of every shard.');
  return [first, ...others];
}
