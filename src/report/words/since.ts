import { diagnosticFor, type Diagnostic } from '../../base/diagnostic.ts';
import { shortCommit, type Gone } from '../../manifest/since.ts';
import type { Change, Plan } from '../../plan/plan.ts';
import { inline } from '../printable.ts';
import { countsOf } from './plan.ts';

/** A plan whose manifests were compared with those of a revision, as a reviewer of the change reads it. */
export interface SinceView {
  /** What was compared with, as it is named, and its commit. Safe to print. */
  readonly revision: string;
  /** How many entries were added, altered and taken out, in our own words. */
  readonly counts: string;
  /** What was added or altered, in sync or not. */
  readonly touched: readonly Change[];
  /** What the change leaves as it was. */
  readonly others: readonly Change[];
  /** How much the change leaves as it was; empty where that is nothing. */
  readonly besides: string;
  readonly gone: readonly Gone[];
}

/** None, where the manifests were compared with nothing. */
export function sinceView({ since, changes }: Pick<Plan, 'since' | 'changes'>): SinceView | undefined {
  if (since === undefined) return undefined;
  const { ref, commit, noLongerDeclared: gone } = since;
  const touched = changes.filter((change) => isTouched(change));
  const others = changes.filter((change) => !isTouched(change));
  const added = touched.filter((change) => change.since?.kind === 'added').length;
  const parts = [
    ...(added > 0 ? [`${added} added`] : []),
    ...(touched.length > added ? [`${touched.length - added} altered`] : []),
    ...(gone.length > 0 ? [`${gone.length} no longer declared`] : []),
  ];
  const counts = parts.length === 0 ? 'nothing added, altered or taken out.' : `${parts.join(', ')}.`;
  return {
    revision: inline(`${ref} (${shortCommit(commit)})`),
    counts,
    touched,
    others,
    besides: others.length === 0 ? '' : `Besides, as before this change: ${countsOf(others).join(', ')}`,
    gone,
  };
}

/** The changes that a reviewer is to be told of, line by line: where the manifests were compared, those that are new. */
export function reviewed(plan: Pick<Plan, 'since' | 'changes'>): readonly Change[] {
  return sinceView(plan)?.touched ?? plan.changes;
}

/** Warnings about what is no longer declared, each in its file where that was read: it may still be there. */
export function goneFindings({ since }: Pick<Plan, 'since'>, filenames: readonly string[]): Diagnostic[] {
  return (since?.noLongerDeclared ?? []).map(({ address, source }) => ({
    ...diagnosticFor(
      filenames.find((filename) => filename === source?.file),
      {
        code: 'no-longer-declared',
        severity: 'warning',
        summary: `${address} is no longer declared`,
        detail: 'rollcall deletes nothing. If it should go, remove it in the service.',
      },
    ),
    address,
  }));
}

function isTouched({ since }: Pick<Change, 'since'>): boolean {
  return since !== undefined && since.kind !== 'same';
}

/** What is no longer declared, in a line; of very many, the first ones. Safe to print. */
export function goneWords(gone: readonly Gone[], most: number = gone.length): string {
  const names = gone.slice(0, most).map(({ address }) => inline(address));
  const more = gone.length > most ? ` and ${gone.length - most} more` : '';
  return `No longer declared (rollcall deletes nothing): ${names.join(', ')}${more}`;
}
