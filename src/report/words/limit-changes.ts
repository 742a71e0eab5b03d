import { groupBy } from '../../base/group-by.ts';
import {
  changeKind,
  isLoginChange,
  isPending,
  notPlannedChanges,
  type Change,
  type ChangeKind,
} from '../../plan/plan.ts';
import { listAddresses } from './diagnostics.ts';

/** If more than this number of resources are not planned for the same reason, only the first is shown, and the others are counted. */
const maxListedNotPlanned = 10;

export function limitNotPlanned(changes: readonly Change[]): {
  readonly shown: readonly Change[];
  readonly more: readonly string[];
} {
  const byReason = groupBy(notPlannedChanges({ changes }), ({ diagnostics }) =>
    JSON.stringify(diagnostics.map(({ summary }) => summary)),
  );
  const many = [...byReason.values()].filter(({ length }) => length > maxListedNotPlanned);
  const counted = new Set<Change>(many.flatMap(([, ...others]) => others));
  return {
    shown: changes.filter((change) => !counted.has(change)),
    more: many.map(
      ([first, ...others]) =>
        `${others.length} more are not planned for the same reason as ${listAddresses([first])}: ${listAddresses(others)}.`,
    ),
  };
}

/** If a list has more than `inFull` new resources, only the first `named` of them are named, and the others are counted. */
const maxListedNew = { inFull: 200, named: 50 };

/** The changes to show in full. If a list has very many new resources, the first are shown by name, and the others are counted. */
export function limitNewResources(
  changes: readonly Change[],
  kinds: readonly ChangeKind[] = ['create', 'create_if_absent'],
): {
  readonly inFull: readonly Change[];
  readonly named: readonly Change[];
  readonly more: readonly string[];
} {
  const fresh = changes.filter((change) => kinds.includes(changeKind(change)) && !isRemarkable(change));
  const many = [...groupBy(fresh, ({ resource }) => resource.kind.list)].filter(
    ([, { length }]) => length > maxListedNew.inFull,
  );
  const folded = new Set(many.flatMap(([, alike]) => alike));
  return {
    inFull: changes.filter((change) => !folded.has(change)),
    named: many.flatMap(([, alike]) => alike.slice(0, maxListedNew.named)),
    more: many.map(([list, alike]) => {
      const isUnseen = alike.some((change) => changeKind(change) === 'create_if_absent');
      const count = alike.length - maxListedNew.named;
      return `… and ${count} more ${list} that are created${isUnseen ? ' if they are absent' : ''}.`;
    }),
  };
}

/** Whether a change must be shown, even if similar changes are only counted. */
export function isRemarkable(change: Change): boolean {
  return isPending(change) && (change.action === 'delete' || (change.remarks ?? []).length > 0);
}

/** Which changes are shown if not all can be: 2 for those with consequences beyond their fields, 1 for other changes of existing records. */
export function importanceOf(change: Change): number {
  if (isRemarkable(change) || isLoginChange(change) || (change.opens ?? []).length > 0) return 2;
  return isPending(change) && change.action !== 'create' ? 1 : 0;
}
