import { destinationLabel } from '../../base/destination.ts';
import { diagnosticFor, type Diagnostic } from '../../base/diagnostic.ts';
import { placeOf } from '../../kinds/resource.ts';
import {
  changeKind,
  isLoginChange,
  notPlannedChanges,
  pendingChanges,
  plannedEffects,
  planSummary,
  type Change,
  type ChangeKind,
  type Difference,
  type Plan,
} from '../../plan/plan.ts';
import { capitalised, printableLine, withoutEmpty } from '../printable.ts';
import { differsVerb } from './changes.ts';
import { listNames } from './diagnostics.ts';
import { isRemarkable } from './limit-changes.ts';
import { changeNotes, planNotes } from './plan-notes.ts';
import { wouldChangeNothing, flagNotes } from './switches.ts';
import { lostRightsWords, loginChangeWords, newAccessLines } from './way-in.ts';
import { removedEntryWarnings, undeclaredView, type UndeclaredView } from './undeclared.ts';
import type { RemovedEntry } from '../../manifest/baseline.ts';

const onlyCounted: ReadonlySet<ChangeKind> = new Set(['in_sync', 'not_compared']);

export function shownChanges({ changes }: Pick<Plan, 'changes'>): Change[] {
  return withAdviceOnce(mostImportantFirst(changes.filter((change) => !onlyCounted.has(changeKind(change)))));
}

/** If several resources are not planned for the same reason, only the first keeps the advice. */
function withAdviceOnce(changes: readonly Change[]): Change[] {
  const given = new Set<string>();
  return changes.map((change) => {
    if (change.action !== 'not-planned') return change;
    const diagnostics = change.diagnostics.map((one) => {
      const key = `${one.summary}\n${one.detail.replace(/^Request id: .*$/m, '')}`;
      const isGiven = given.has(key);
      given.add(key);
      return isGiven ? { ...one, detail: '' } : one;
    });
    return { ...change, diagnostics };
  });
}

/** Sorts changes by importance, because the last ones are cut off if there is not enough room. */
function mostImportantFirst(changes: readonly Change[]): Change[] {
  return changes.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(change: Change): number {
  if (change.action === 'not-planned') return 0;
  return isLoginChange(change) || change.takesOwnRights ? 1 : 2;
}

/** Sorts changes: the changes to apply come first, because the last ones may be cut off. */
export function pendingFirst(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted((a, b) => Number(a.action === 'no-op') - Number(b.action === 'no-op'));
}

/** A plan as every format shows it. All texts are safe to print. */
export interface PlanView {
  readonly head: string;
  /** The baseline, and the number of entries added, altered and removed since. */
  readonly baseline: { readonly path: string; readonly counts: string } | undefined;
  /** Lines about the rights that the plan takes from its own token, and about people who can open more records after the plan. */
  readonly accessLines: readonly string[];
  /** With a baseline, these are the unplanned, added, altered and deleted resources and those with remarks; without a baseline, all changes. */
  readonly touched: readonly Change[];
  /** With a baseline, all changes that are not in `touched`. */
  readonly others: readonly Change[];
  /** The number of changes in `others`; empty if there are none. */
  readonly othersCount: string;
  readonly removedEntries: readonly RemovedEntry[];
  readonly notes: readonly string[];
  readonly changeNotes: readonly string[];
  /** A sentence for a plan that would change nothing; otherwise undefined. */
  readonly idleSentence: string | undefined;
  /** Lines about flags with which an apply would also change or delete the resources that this plan leaves unchanged. */
  readonly switches: readonly string[];
  readonly undeclared: UndeclaredView | undefined;
  readonly counts: string;
  readonly headline: string;
}

export function planView(plan: Plan): PlanView {
  const { changes, baseline } = plan;
  const removedEntries = baseline?.noLongerDeclared ?? [];
  const touched = baseline ? mostImportantFirst(changes.filter((change) => isAffected(change))) : changes;
  const others = baseline ? changes.filter((change) => !isAffected(change)) : [];
  return {
    head: headOf(plan),
    baseline: baseline && {
      path: printableLine(baseline.path),
      counts: alteredCounts(touched, removedEntries),
    },
    accessLines: [...lostRightsWords(plan), ...loginChangeWords(plan), ...newAccessLines(plan)],
    touched,
    others,
    othersCount: others.length === 0 ? '' : `Not affected by this change: ${countsOf(others).join(', ')}`,
    removedEntries,
    notes: planNotes(plan),
    changeNotes: changeNotes(plan),
    idleSentence: wouldChangeNothing(plan) ? 'An apply would change nothing.' : undefined,
    switches: flagNotes(plan),
    undeclared: plan.undeclared && undeclaredView(plan.undeclared),
    counts: `${countsOf(changes, 0).join(', ')}.`,
    headline: planHeadline(plan),
  };
}

function isAffected(change: Change): boolean {
  const { since, action } = change;
  return action === 'not-planned' || (since !== undefined && since.kind !== 'same') || isRemarkable(change);
}

function alteredCounts(touched: readonly Change[], gone: readonly RemovedEntry[]): string {
  const count = (kind: string): number => touched.filter(({ since }) => since?.kind === kind).length;
  const [added, altered] = [count('added'), count('altered')];
  const parts = withoutEmpty(
    added > 0 && `${added} added`,
    altered > 0 && `${altered} altered`,
    gone.length > 0 && `${gone.length} no longer declared`,
  );
  return `${parts.join(', ') || 'nothing added, altered or removed'}.`;
}

function headOf(plan: Plan): string {
  const { scope, changes } = plan;
  const head = `Plan for ${printableLine(destinationLabel(plan))}`;
  if (scope === undefined) return head;
  const { target, exclude, shard, declared, changed_only: changedOnly, along = [] } = scope;
  const limits = withoutEmpty(
    shard && `shard ${shard.index} of ${shard.count}`,
    target.length > 0 && `only ${joinGlobs(target)}`,
    exclude.length > 0 && `without ${joinGlobs(exclude)}`,
    changedOnly && 'only added or altered entries',
  );
  const dependencySentence =
    along.length > 0 ? ` Among them are dependencies: ${listNames(along.map(printableLine))}.` : '';
  return `${head}\n${capitalised(limits.join(', '))}: ${selectedWords(changes.length, declared)}.${dependencySentence}`;
}

function selectedWords(selected: number, declared: number): string {
  if (selected < declared || declared === 0) return `${selected} of the ${declared} declared resources`;
  return declared === 1 ? 'the only declared resource' : `all ${declared} declared resources`;
}

function joinGlobs(globs: readonly string[]): string {
  return globs.map((glob) => printableLine(glob)).join(', ');
}

/** The number of changes by kind. Kinds with fewer than `min` changes are left out. */
function countsOf(changes: readonly Change[], min: number = 1): string[] {
  const { update, delete: deleted, differs, not_planned: notPlanned, ...summary } = planSummary(changes);
  const unfinishedCount = changes.filter(({ unfinished }) => unfinished).length;
  const differCount = differs - unfinishedCount;
  const some = Math.max(min, 1);
  const counts: [count: number, words: string, least: number][] = [
    [summary.create, 'to create', min],
    [summary.create_if_absent, 'to create if absent', min],
    [update, 'to change', some],
    [deleted, 'to delete', some],
    [unfinishedCount, 'unfinished', some],
    [differCount, differCount === 1 ? 'differs' : 'differ', min],
    [summary.in_sync, 'in sync', min],
    [summary.not_compared, 'not compared', some],
    [notPlanned, 'not planned', some],
  ];
  return counts.flatMap(([count, words, fewest]) => (count >= fewest ? [`${count} ${words}`] : []));
}

/** The last line of a plan, in the form that Terraform uses, because other tools search for this form. */
export function planHeadline(plan: Plan): string {
  const { add, change, destroy } = plannedEffects(plan);
  const { differs, not_planned: notPlanned, not_compared: notCompared } = planSummary(plan.changes);
  if (pendingChanges(plan).length === 0 && differs + notPlanned === 0) {
    const isPart = plan.scope !== undefined && plan.changes.length < plan.scope.declared;
    if (isPart && plan.changes.length === 0) return 'No changes. No resource was compared.';
    const subject = isPart ? 'The compared part of your infrastructure' : 'Your infrastructure';
    const limit = notCompared === 0 ? '' : ', as far as it can be compared';
    return `No changes. ${subject} matches the configuration${limit}.`;
  }
  return `Plan: ${add} to add, ${change} to change, ${destroy} to destroy.`;
}

/** Findings about single resources of a plan; `severity` applies to differences. */
export function planFindings(
  plan: Plan,
  severity: Diagnostic['severity'],
  filenames: readonly string[],
  isMissingFailure: boolean,
): Diagnostic[] {
  // Findings that make the plan fail are always reported, other findings only if they are new since the baseline.
  const isAll = severity === 'error' || plan.baseline === undefined;
  const changes = isAll ? plan.changes : plan.changes.filter((change) => isAffected(change));
  const faults = notPlannedChanges(plan).flatMap(({ diagnostics }) => diagnostics);
  const isReported = ({ differences, action }: Change): boolean =>
    action === 'create'
      ? isMissingFailure
      : differences.length > 0 && (severity === 'error' || action === 'no-op');
  const drift = driftDiagnostics(changes.filter(isReported), severity);
  return [...faults, ...drift, ...removedEntryWarnings(plan, filenames)];
}

/** Diagnostics for differences and missing records, at the lines that declare them. */
function driftDiagnostics(changes: readonly Change[], severity: Diagnostic['severity']): Diagnostic[] {
  return changes.map((change): Diagnostic => {
    const { resource, differences, presence } = change;
    const { address } = resource;
    const missing = presence === 'absent' ? 'is missing' : 'may be missing, because the token cannot see it';
    const { filename, start } = placeOf(resource);
    const diagnostic = diagnosticFor(filename, {
      code: 'differs',
      severity,
      address,
      summary: `${address} ${differences.length > 0 ? `${differsVerb(change)} ${fieldList(differences)}` : missing}`,
      detail: consequenceOf(change),
    });
    return { ...diagnostic, range: { filename, start, end: start } };
  });
}

function consequenceOf({ action, leftBecause }: Change): string {
  if (action === 'delete') return 'An apply would delete the record.';
  if (action === 'create') return 'An apply would create the record.';
  if (action === 'update') return 'An apply would change the record as declared.';
  return leftBecause === undefined ? unchangedWords : `It is left unchanged: ${leftBecause}.`;
}

export function fieldList(differences: readonly Difference[]): string {
  return differences.map(({ field }) => `\`${field}\``).join(', ');
}

const unchangedWords =
  'It is left unchanged: rollcall changes existing records only with the capability `update` and --allow update.';
