import { interruptedBy, unlessLost, type Ending } from '../base/exit-code.ts';
import { isJsonObject, mostLevelsOfDocuments, parseJson, type JsonObject } from '../base/json.ts';
import { isPlanDocument } from '../plan/saved/read.ts';
import { applyReportFrom, isApplyDocument, joinedShards, shardIn, type Shard } from '../report/documents.ts';
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
  const documents: (Shard | Strange)[] = [];
  let resources = 0;
  for (const filename of filenames) {
    const document = await read(filename, isShort, context);
    documents.push(document);
    resources += resourcesIn(document);
    if (resources > most) return refused([tooMany(most)], context);
  }
  const merged = mergedFrom(documents);
  if ('problems' in merged) return refused(merged.problems, context);
  const { report, ending } = merged;
  reports.print(options.output === 'json' ? report : shortened(report), context, detailOf(options));
  return unlessLost(ending, !(await reports.write(report, context)));
}

function resourcesIn(of: Shard | Strange): number {
  if ('strange' in of) return 0;
  return 'outcomes' in of.document ? of.document.outcomes.length : of.document.resource_changes.length;
}

function tooMany(most: number): string {
  return `more than ${most} resources would have to be told: read the shards one by one, or of an apply only the text without --report, which tells what is left to do`;
}

function refused(problems: readonly string[], { stderr }: Context): Ending {
  for (const problem of problems) stderr.write(`error: ${inline(problem)}\n`);
  return 'failed';
}

/** A file that holds no plan and no apply. */
interface Strange {
  readonly filename: string;
  /** What it holds; undefined where that is no document at all. */
  readonly strange: JsonObject | undefined;
}

async function read(filename: string, isShort: boolean, context: Context): Promise<Shard | Strange> {
  const document = parseJson(await resultText('the report', filename, context), mostLevelsOfDocuments);
  if (isPlanDocument(document) || isApplyDocument(document)) return shardIn(filename, document, isShort);
  return { filename, strange: isJsonObject(document) ? document : undefined };
}

function mergedFrom(
  documents: readonly (Shard | Strange)[],
): { readonly report: Report; readonly ending: Ending } | { readonly problems: readonly string[] } {
  const shards = documents.flatMap((each) => ('strange' in each ? [] : each));
  const applies = shards.filter(({ document }) => 'outcomes' in document);
  const plans = shards.filter(({ document }) => !('outcomes' in document));
  const usual: readonly (Shard | Strange)[] = plans.length > applies.length ? plans : applies;
  const others = documents.filter((each) => !usual.includes(each));
  if (others.length > 0) return { problems: others.map((each) => strangeness(each)) };
  const joined = joinedShards(shards);
  if ('problems' in joined) return joined;
  const { document } = joined;
  if (!('outcomes' in document))
    return {
      report: planReportFrom(document),
      ending: document.summary.not_planned > 0 ? 'incomplete' : 'done',
    };
  const { interrupted, interrupted_by: signal, outcomes } = document;
  const ending = interrupted ? interruptedBy({ reason: signal }) : applyEnding(outcomes);
  return { report: applyReportFrom(document), ending };
}

/** Why a document is none of a shard's result that goes with the others. */
function strangeness(each: Shard | Strange): string {
  const { filename } = each;
  if ('strange' in each && each.strange === undefined)
    return `${filename} holds no whole JSON document: its run may have been killed`;
  const why = 'strange' in each && each.strange ? whyNoResult(each.strange) : undefined;
  if (why !== undefined) return `${filename} holds no result, only why there is none: ${why}`;
  return `${filename} is not a document that goes with the others: name those of \`plan -o json\`, or of \`apply -o json\`, of every shard of one run`;
}

/** Of a roll that is shared among machines, only what there is to do is shown one by one. */
function shortened(report: Report): Report {
  if (report.kind !== 'apply') return report;
  return { ...report, outcomes: report.outcomes.filter(({ incomplete }) => incomplete) };
}
