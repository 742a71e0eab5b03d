import type { ApplyDocument, OutcomeDocument } from './formats/json.ts';
import { isIncomplete, outcomeKinds } from '../apply/outcome.ts';
import { validate } from '../generated/apply.ts';
import { isOfKind } from '../kinds/all.ts';
import { Selector, type Scope } from '../manifest/select.ts';
import { countedDocument, resourceAt, type PlanDocument } from '../plan/document.ts';
import type { UnreadableTypes } from '../plan/plan.ts';
import type { Pace } from '../service/pace.ts';
import { foundIn, outcomeView, reportOfRun, type ApplyReport, type OutcomeView } from './report.ts';
import { applySummary, type ApplySummary } from './words/outcomes.ts';
import { byAddress } from '../kinds/resource.ts';

/** Whether something is an apply as `apply -o json` prints it, of kinds that this rollcall knows. */
export function isApplyDocument(value: unknown): value is ApplyDocument {
  if (!validate(value)) return false;
  const { started_at, outcomes } = value as ApplyDocument; // what satisfies the schema has the fields of the type
  // The schema allows leap seconds, and Date knows none.
  return !Number.isNaN(Date.parse(started_at)) && outcomes.every((outcome) => isOfKind(outcome));
}

/** The report that was written as this document, as far as the document says. */
export function applyReportFrom(document: ApplyDocument): ApplyReport {
  const { scope, interrupted, interrupted_by, saved_plan: saved = false, pace, diagnostics = [] } = document;
  const { outcomes, summary } = document;
  const run = {
    plan: {
      toolVersion: document.tool_version,
      service: document.service,
      environment: document.environment,
      manifestDigest: document.manifest_digest,
      ...(scope && { scope }),
    },
    startedAt: new Date(document.started_at),
    durationMs: document.duration_ms,
    interrupted,
    ...(interrupted_by && { interruptedBy: interrupted_by }),
    pace,
    saved,
  };
  return reportOfRun(run, outcomes.map(outcomeFrom), foundIn({ diagnostics, filenames: [] }), summary);
}

function outcomeFrom(document: OutcomeDocument): OutcomeView {
  const { stopped_by, needs_fix: needsFix = false, request_id, duration_ms: durationMs, ...same } = document;
  const { outcome, detail = '', diagnostics = [] } = document;
  return outcomeView({
    ...same,
    resource: resourceAt(document),
    ...(stopped_by && { stoppedBy: stopped_by }),
    // A resource for which nothing was planned ends as it was found.
    planned: outcome !== 'unchanged' && outcome !== 'differs',
    needsFix,
    detail,
    diagnostics,
    ...(request_id !== undefined && { requestId: request_id }),
    durationMs,
  });
}

/** The document of one shard, and the file that it is from. */
export interface Shard {
  readonly filename: string;
  readonly document: PlanDocument | ApplyDocument;
  /** Why what it lists cannot be what its run ended with, where that is so. */
  readonly fault: string | undefined;
}

/** `isShort`: of the resources of an apply, only those with which there is something to do are kept; all are counted. */
export function shardIn(filename: string, document: Shard['document'], isShort: boolean): Shard {
  const fault = contentFault(document);
  if (!isShort || !('outcomes' in document)) return { filename, document, fault };
  const outcomes = document.outcomes.filter((outcome) => isIncomplete(outcome));
  return { filename, document: { ...document, outcomes, summary: applySummary(document.outcomes) }, fault };
}

/** What the shards of one plan or of one apply are together, or why they cannot be merged. */
export function joinedShards(
  shards: readonly Shard[],
): { readonly document: Shard['document'] } | { readonly problems: readonly string[] } {
  const problems = shardProblems(shards);
  const plans = shards.flatMap(({ document }) => ('outcomes' in document ? [] : document));
  const applies = shards.flatMap(({ document }) => ('outcomes' in document ? document : []));
  const [[plan], [apply]] = [plans, applies];
  if (problems.length === 0 && plan) return { document: mergedPlan(plan, plans) };
  if (problems.length === 0 && apply) return { document: mergedApply(apply, applies) };
  return { problems };
}

/** Why what the document of a shard lists cannot be what its run ended with: it has lost some, or has others than its own. */
function contentFault(document: Shard['document']): string | undefined {
  const [listed, counted] =
    'outcomes' in document
      ? [document.outcomes, applySummary(document.outcomes)]
      : [document.resource_changes, countedDocument(document.resource_changes).summary];
  const selector = new Selector(document.scope ?? { target: [], exclude: [] });
  const seen = new Set<string>();
  for (const { address } of listed) {
    if (seen.has(address)) return `${address} is in it twice`;
    seen.add(address);
    if (!selector.has(address)) return `${address} is not of this shard`;
  }
  const summary: Readonly<Record<string, number>> = document.summary;
  const isCounted = Object.entries(counted).every(([kind, count]) => (summary[kind] ?? 0) === count);
  return isCounted ? undefined : 'its summary does not count what it lists';
}

/** Why the documents cannot be merged; empty when they can. */
function shardProblems(shards: readonly Shard[]): string[] {
  const [first] = shards;
  const problems: string[] = [];
  const byIndex = new Map<number, string>();
  const count = first?.document.scope?.shard?.count;
  for (const { filename, document } of shards) {
    const { scope } = document;
    const shard = scope?.shard;
    if (shard === undefined)
      problems.push(`${filename} is not of a shard: it comes from a run without --shard`);
    else if (shard.count !== count)
      problems.push(`${filename} is one of ${shard.count} shards, and ${first?.filename} one of ${count}`);
    else if (byIndex.has(shard.index))
      problems.push(`${filename} and ${byIndex.get(shard.index)} are both of shard ${shard.index}`);
    else byIndex.set(shard.index, filename);
    for (const part of ['service', 'environment', 'manifest_digest'] as const) {
      if (document[part] !== first?.document[part])
        problems.push(`${filename} has another ${part} than ${first?.filename}`);
    }
    if (reachOf(document) !== reachOf(first?.document))
      problems.push(
        `${filename} was made with other capabilities, or another contract_only, than ${first?.filename}`,
      );
    if (wholeOf(document) !== wholeOf(first?.document))
      problems.push(`${filename} has another --target, --exclude or --baseline than ${first?.filename}`);
  }
  if (problems.length === 0)
    for (const { filename, fault } of shards)
      if (fault !== undefined) problems.push(`${filename} was altered since it was written: ${fault}`);
  for (let index = 1; index <= (count ?? 0) && problems.length === 0; index += 1)
    if (!byIndex.has(index)) problems.push(`shard ${index} of ${count} is missing`);
  const { target = [], exclude = [], declared = 0, changed_only: isPart } = first?.document.scope ?? {};
  const counts = shards.flatMap(({ document }) => Object.values(document.summary));
  const total = counts.reduce((sum, each) => sum + each, 0);
  if (problems.length === 0 && target.length + exclude.length === 0 && !isPart && total !== declared)
    problems.push(
      `the shards have ${total} resources, and the manifests declare ${declared}: one of them was altered since it was written`,
    );
  return problems;
}

function mergedPlan(first: PlanDocument, plans: readonly PlanDocument[]): PlanDocument {
  const hide = [...new Set(plans.flatMap((plan) => plan.hide ?? []))];
  const { scope, baseline, ...whole } = first;
  const gone = plans.flatMap((plan) => plan.baseline?.no_longer_declared ?? []).toSorted(byAddress);
  const changes = plans.flatMap(({ resource_changes }) => resource_changes).toSorted(byAddress);
  const unreadable: UnreadableTypes = Object.assign({}, ...plans.map((plan) => plan.unreadable));
  return {
    ...whole,
    ...(Object.keys(unreadable).length > 0 && { unreadable }),
    created_at: earliest(plans.map(({ created_at }) => created_at)),
    ...wholeScope(scope),
    ...(baseline && { baseline: { ...baseline, no_longer_declared: gone } }),
    hide,
    resource_changes: changes,
    ...countedDocument(changes),
    ...mergedDiagnostics(plans),
  };
}

function mergedApply(first: ApplyDocument, applies: readonly ApplyDocument[]): ApplyDocument {
  const { scope, interrupted_by: _, ...whole } = first;
  const interruption = applies.find(({ interrupted_by: by }) => by !== undefined)?.interrupted_by;
  const startedAt = earliest(applies.map(({ started_at }) => started_at));
  const endedAt = Math.max(
    ...applies.map(({ started_at, duration_ms }) => Date.parse(started_at) + duration_ms),
  );
  const sum = (part: keyof Pace): number => applies.reduce((total, { pace }) => total + pace[part], 0);
  const merged = applies.flatMap(({ outcomes }) => outcomes).toSorted(byAddress);
  return {
    ...whole,
    ...wholeScope(scope),
    started_at: startedAt,
    duration_ms: endedAt - Date.parse(startedAt),
    interrupted: applies.some(({ interrupted }) => interrupted),
    ...(interruption && { interrupted_by: interruption }),
    // The shards ran at the same time, so their requests add up.
    pace: {
      limit: sum('limit'),
      ceiling: sum('ceiling'),
      requests: sum('requests'),
      retries: sum('retries'),
      requests_per_second: Math.round(sum('requests_per_second') * 10) / 10,
    },
    outcomes: merged,
    summary: summed(applies.map(({ summary }) => summary)),
    ...mergedDiagnostics(applies),
  };
}

function summed(summaries: readonly ApplySummary[]): ApplySummary {
  const total = { ...applySummary([]) };
  for (const summary of summaries) for (const kind of outcomeKinds) total[kind] += summary[kind];
  return total;
}

/** The diagnostics of all shards. A diagnostic that is not about one resource is in each shard's document; it is kept once. */
function mergedDiagnostics(shards: readonly Shard['document'][]): Pick<ApplyDocument, 'diagnostics'> {
  const all = shards.flatMap(({ diagnostics = [] }) => diagnostics);
  return { diagnostics: [...new Map(all.map((each) => [JSON.stringify(each), each])).values()] };
}

/** The scope without its shard; no scope when only the shard limited it. */
function wholeScope(scope: Scope | undefined): { scope?: Scope } {
  if (scope === undefined) return {};
  if (scope.target.length + scope.exclude.length === 0 && !scope.changed_only) return {};
  const { shard: _, ...whole } = scope;
  return { scope: whole };
}

function wholeOf(document: Shard['document'] | undefined): string {
  const { target, exclude, declared, changed_only: changedOnly } = document?.scope ?? {};
  const baseline = document && 'baseline' in document ? document.baseline : undefined;
  return JSON.stringify([target, exclude, declared, changedOnly, baseline?.path]);
}

function reachOf(document: Shard['document'] | undefined): string {
  if (document === undefined || !('resource_changes' in document)) return '';
  return JSON.stringify([document.capabilities, document.contract_only]);
}

function earliest(times: readonly string[]): string {
  return times.toSorted()[0] ?? '';
}
