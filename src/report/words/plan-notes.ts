import { groupBy } from '../../base/group-by.ts';
import { joinWords as listedWords } from '../../kinds/all.ts';
import { formerName } from '../../kinds/lifecycle.ts';
import { pendingChanges, type Plan } from '../../plan/plan.ts';
import { printableLine } from '../printable.ts';
import { listAddresses } from './diagnostics.ts';

export function newAccessLines({ changes }: Pick<Plan, 'changes'>): string[] {
  return changes.flatMap(({ resource, opens = [] }) =>
    opens.length === 0 ? [] : printableLine(`Opens ${resource.address} to ${listedWords(opens)}.`),
  );
}

/** The notes of all pending changes; changes with the same note share a line. */
export function changeNotes(plan: Plan): string[] {
  const noted = pendingChanges(plan).flatMap(({ resource, remarks = [] }) =>
    remarks.map((note) => ({ resource, note })),
  );
  return Array.from(
    groupBy(noted, ({ note }) => note),
    ([note, alike]) => `${listAddresses(alike)}: ${printableLine(note)}`,
  );
}

/** A note about new records that everyone can open, because no manifest restricts their access. */
export function openRecordsNote({ changes }: Pick<Plan, 'changes'>): string[] {
  const open = changes.filter(({ openTo }) => openTo !== undefined);
  return Array.from(
    groupBy(open, ({ openTo = '' }) => openTo),
    ([whom, alike]) =>
      `Open to ${printableLine(whom)}, because no \`access\` is declared: ${listAddresses(alike)}.`,
  );
}

/** A note about resources that have been renamed already, so that `formerly` has no effect any more. */
export function renamedNote({ changes }: Plan): string[] {
  const done = changes.filter(
    ({ resource, presence, differences }) =>
      presence === 'present' &&
      formerName(resource) !== undefined &&
      differences.every(({ field }) => field !== resource.kind.identity),
  );
  if (done.length === 0) return [];
  return [
    `Already renamed; \`formerly\` can be deleted after every service has the new name: ${listAddresses(done)}.`,
  ];
}
