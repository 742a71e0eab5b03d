import { groupBy } from '../../base/group-by.ts';
import { formerName } from '../../kinds/lifecycle.ts';
import { isLoginChange, pendingChanges, type Change, type Plan } from '../../plan/plan.ts';
import { printableLine, withoutEmpty } from '../printable.ts';
import { listAddresses } from './diagnostics.ts';

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

/** A long plan has lines about special changes far apart, so a note at its end counts these changes. */
const maxUncounted = 20;

/** How many changes of a long plan do more than change fields, by effect. */
export function effectsNote(plan: Plan): string[] {
  const pending = pendingChanges(plan);
  const counted = (words: string, hasEffect: (change: Change) => boolean): string => {
    const count = pending.filter(hasEffect).length;
    return count === 0 ? '' : `${words}: ${count}`;
  };
  const counts = withoutEmpty(
    counted('that give access', ({ opens = [] }) => opens.length > 0),
    counted('that affect how people log in', isLoginChange),
    counted('that delete records', ({ action }) => action === 'delete'),
    counted('with notes', ({ remarks = [] }) => remarks.length > 0),
  );
  return pending.length <= maxUncounted || counts.length === 0 ? [] : [`Changes ${counts.join('; ')}.`];
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

/** A note about existing records for which `formerly` has no effect, because no visible record has the former name. */
export function renamedNote({ changes }: Plan): string[] {
  const done = changes.filter(
    ({ resource, presence, differences }) =>
      presence === 'present' &&
      formerName(resource) !== undefined &&
      differences.every(({ field }) => field !== resource.kind.identity),
  );
  if (done.length === 0) return [];
  return [
    `No visible record has the former name; \`formerly\` can be deleted after every service has the new name: ${listAddresses(done)}.`,
  ];
}
