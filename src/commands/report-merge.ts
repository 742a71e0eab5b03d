import { interruption, unlessLost, type Ending } from '../base/exit-code.ts';
import { isJsonList, isJsonObject, mostLevelsOfDocuments, parseJson, type JsonObject } from '../base/json.ts';
import { isPlanDocument } from '../plan/saved/read.ts';
import { applyReportFrom, inShort, isApplyDocument } from '../report/apply-document.ts';
import { json } from '../report/formats/json.ts';
import { createStyle } from '../report/formats/lines.ts';
import { text } from '../report/formats/text.ts';
import {
  mergeApplies,
  mergePlans,
  shardProblems,
  type NonEmpty,
  type ShardDocument,
  type ShardReport,
} from '../report/merge.ts';
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
    const document = isShort && isApplyDocument(whole) ? inShort(whole) : whole;
    documents.push({ filename, document });
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

function resourcesIn(document: JsonObject = {}): number {
  const list = document['outcomes'] ?? document['resource_changes'];
  return isJsonList(list) ? list.length : 0;
}

function tooMany(most: number): string {
  return `more than ${most} resources would have to be told: read the shards one by one, or of an apply only the text without --report, which tells what is left to do`;
}

function refused(problems: readonly string[], { stderr }: Context): Ending {
  for (const problem of problems) stderr.write(`error: ${inline(problem)}\n`);
  return 'failed';
}

interface Document {
  readonly filename: string;
  /** Undefined where the file holds none. */
  readonly document: JsonObject | undefined;
}

async function read(filename: string, context: Context): Promise<JsonObject | undefined> {
  const document = parseJson(await resultText('the report', filename, context), mostLevelsOfDocuments);
  return isJsonObject(document) ? document : undefined;
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
  const plans = these(documents, isPlanDocument);
  const applies = these(documents, isApplyDocument);
  if (isAll(plans, documents))
    return joined(plans, (shards) => ({ report: planReportFrom(mergePlans(shards)), ending: 'done' }));
  if (isAll(applies, documents))
    return joined(applies, (shards) => {
      const document = mergeApplies(shards);
      const { interrupted, interrupted_by: signal, outcomes } = document;
      const ending = interrupted ? interruption(signal) : applyEnding(outcomes);
      return { report: applyReportFrom(document), ending };
    });
  const known = plans.length > applies.length ? plans : applies;
  const strange = documents.filter(({ filename }) => known.every((other) => other.filename !== filename));
  return { problems: strange.map((each) => strangeness(each)) };
}

function these<Kind extends ShardReport>(
  documents: readonly Document[],
  isOne: (value: unknown) => value is Kind,
): ShardDocument<Kind>[] {
  return documents.flatMap(({ filename, document }) => (isOne(document) ? [{ filename, document }] : []));
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
function strangeness({ filename, document }: Document): string {
  if (document === undefined) return `${filename} holds no whole JSON document: its run may have been killed`;
  const why = whyNoResult(document);
  if (why !== undefined) return `${filename} holds no result, only why there is none: ${why}`;
  return `${filename} is not a document that goes with the others: name those of \`plan -o json\`, or of \`apply -o json\`, of every shard of one run`;
}

/** Of a roll that is shared among machines, only what there is to do is shown one by one. */
function shortened(report: Report): Report {
  if (report.kind !== 'apply') return report;
  return { ...report, outcomes: report.outcomes.filter(({ incomplete }) => incomplete) };
}
