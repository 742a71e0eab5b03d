import { interruptedBy, unlessLost, type Ending } from '../base/exit-code.ts';
import { isJsonObject, mostLevelsOfDocuments, parseJson, type JsonObject } from '../base/json.ts';
import type { PlanDocument } from '../plan/document.ts';
import { isPlanDocument } from '../plan/saved/read.ts';
import {
  applyReportFrom,
  contentFault,
  inShort,
  isApplyDocument,
  mergeApplies,
  mergePlans,
  shardProblems,
  type NonEmpty,
  type ShardDocument,
  type ShardReport,
} from '../report/documents.ts';
import { json, type ApplyDocument } from '../report/formats/json.ts';
import { createStyle } from '../report/formats/lines.ts';
import { text } from '../report/formats/text.ts';
import { inline } from '../report/printable.ts';
import type { Report } from '../report/report.ts';
import { applyEnding } from '../run/result.ts';
import type { Context } from '../terminal/context.ts';
import { detailOf, type DetailFlags } from './flags.ts';
import { Reports, type ReportFlags } from './reports.ts';
import { planReportFrom, resultText, whyNoResult } from './result-file.ts';

export interface ReportMergeOptions extends ReportFlags, DetailFlags {
  readonly output: 'text' | 'json';
}

/** More at once would take more memory than Node allows on a small machine: some 4 KB each. */
const mostResources = 400_000;

/** `rollcall report merge`: joins the JSON documents of the shards of one plan or apply; none may be missing or doubled. */
export async function reportMerge(
  filenames: readonly string[],
  options: ReportMergeOptions,
  context: Context,
  most: number = mostResources,
): Promise<Ending> {
  const reports = await Reports.asked(options, context, { inputs: filenames });
  // The text of a merged apply shows only what there is to do, so there may be more of them.
  const isShort = options.output === 'text' && !options.report;
  const documents: Document[] = [];
  let resources = 0;
  for (const filename of filenames) {
    const whole = await read(filename, context);
    const document =
      whole.kind === 'apply' && isShort ? { ...whole, document: inShort(whole.document) } : whole;
    documents.push(document);
    resources += resourcesIn(document);
    if (resources > most) return refused([tooMany(most)], context);
  }
  const merged = mergedFrom(documents);
  if ('problems' in merged) return refused(merged.problems, context);
  const { report, ending } = merged;
  if (options.output === 'json') context.stdout.write(json(report, context));
  else if (!reports.replaceText) {
    const setting = { ...context, style: createStyle(context.stdout), detail: detailOf(options) };
    context.stdout.write(text(shortened(report), setting));
  }
  return unlessLost(ending, !(await reports.write(report, context)));
}

function resourcesIn(of: Document): number {
  switch (of.kind) {
    case 'plan':
      return of.document.resource_changes.length;
    case 'apply':
      return of.document.outcomes.length;
    case 'strange':
      return 0;
  }
}

function tooMany(most: number): string {
  return `more than ${most} resources would have to be told: read the shards one by one, or of an apply only the text without --report, which tells what is left to do`;
}

function refused(problems: readonly string[], { stderr }: Context): Ending {
  for (const problem of problems) stderr.write(`error: ${inline(problem)}\n`);
  return 'failed';
}

type Document =
  | ({ readonly kind: 'plan' } & ShardDocument<PlanDocument>)
  | ({ readonly kind: 'apply' } & ShardDocument<ApplyDocument>)
  /** Undefined where the file holds no document at all. */
  | { readonly kind: 'strange'; readonly filename: string; readonly document: JsonObject | undefined };

async function read(filename: string, context: Context): Promise<Document> {
  const document = parseJson(await resultText('the report', filename, context), mostLevelsOfDocuments);
  if (isPlanDocument(document)) return { kind: 'plan', filename, document, fault: contentFault(document) };
  if (isApplyDocument(document)) return { kind: 'apply', filename, document, fault: contentFault(document) };
  return { kind: 'strange', filename, document: isJsonObject(document) ? document : undefined };
}

interface Merged {
  readonly report: Report;
  readonly ending: Ending;
}

/** Why documents cannot be joined. */
interface Problems {
  readonly problems: readonly string[];
}

function mergedFrom(documents: readonly Document[]): Merged | Problems {
  const plans = documents.filter((each) => each.kind === 'plan');
  const applies = documents.filter((each) => each.kind === 'apply');
  if (isAll(plans, documents))
    return joined(plans, (shards) => ({ report: planReportFrom(mergePlans(shards)), ending: 'done' }));
  if (isAll(applies, documents))
    return joined(applies, (shards) => {
      const document = mergeApplies(shards);
      const { interrupted, interrupted_by: signal, outcomes } = document;
      const ending = interrupted ? interruptedBy({ reason: signal }) : applyEnding(outcomes);
      return { report: applyReportFrom(document), ending };
    });
  const usual = plans.length > applies.length ? 'plan' : 'apply';
  const strange = documents.filter(({ kind }) => kind !== usual);
  return { problems: strange.map((each) => strangeness(each)) };
}

function isAll<Kind extends ShardReport>(
  shards: readonly ShardDocument<Kind>[],
  { length }: readonly Document[],
): shards is NonEmpty<ShardDocument<Kind>> {
  return shards.length === length && length > 0;
}

function joined<Kind extends ShardReport>(
  shards: NonEmpty<ShardDocument<Kind>>,
  join: (documents: NonEmpty<Kind>) => Merged,
): Merged | Problems {
  const problems = shardProblems(shards);
  const [first, ...others] = shards;
  return problems.length > 0
    ? { problems }
    : join([first.document, ...others.map(({ document }) => document)]);
}

/** Why a document is none of a shard's result that goes with the others. */
function strangeness(strange: Document): string {
  const { filename } = strange;
  if (strange.document === undefined)
    return `${filename} holds no whole JSON document: its run may have been killed`;
  const why = strange.kind === 'strange' ? whyNoResult(strange.document) : undefined;
  if (why !== undefined) return `${filename} holds no result, only why there is none: ${why}`;
  return `${filename} is not a document that goes with the others: name those of \`plan -o json\`, or of \`apply -o json\`, of every shard of one run`;
}

/** Of a roll that is shared among machines, only what there is to do is shown one by one. */
function shortened(report: Report): Report {
  if (report.kind !== 'apply') return report;
  return { ...report, outcomes: report.outcomes.filter(({ incomplete }) => incomplete) };
}
