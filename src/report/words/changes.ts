import type { Alteration } from '../../manifest/since.ts';
import { actions } from '../../plan/actions.ts';
import { changeKind, type Change, type ChangeKind } from '../../plan/plan.ts';
import { inline } from '../printable.ts';

/** How an entry of a list looks, and what entries like it are called. */
export interface Look {
  readonly label: string;
  readonly sign: string;
  readonly colour: 'green' | 'blue' | 'amber' | 'red' | 'grey';
}

export const changeLooks: Readonly<Record<ChangeKind, Look>> = {
  create: { label: 'to create', sign: actions.create.sign, colour: 'green' },
  create_if_absent: { label: 'to create if absent', sign: '?', colour: 'blue' },
  update: { label: 'to change', sign: actions.update.sign, colour: 'amber' },
  differs: { label: 'differing', sign: '!', colour: 'amber' },
  in_sync: { label: 'in sync', sign: '=', colour: 'grey' },
};

/** What became of the entry, where that is new, and what becomes of it, in sentences. */
export function changeVerdict(change: Change): string {
  const verdict = verdictOf(change);
  switch (change.since?.kind) {
    case 'added':
      return `Added. ${verdict}`;
    case 'altered':
      return `Altered${change.since.fields ? '' : '; it was broken before'}. ${verdict}`;
    case 'same':
    case undefined:
      return verdict;
  }
}

function verdictOf(change: Change): string {
  switch (changeKind(change)) {
    case 'create':
      return 'Will be created.';
    case 'create_if_absent':
      return `rollcall does not read ${change.resource.kind.list}: it will be created if it is absent, and left as it is if not.`;
    case 'update':
      return 'Exists and differs. Will be changed to what is declared.';
    case 'differs':
      return `Exists and differs. It is left as it is${change.leftBecause === undefined ? '' : `: ${change.leftBecause}`}.`;
    case 'in_sync':
      return hasStaying(change) ? `Exists; ${stillInSync}.` : 'Exists, and is as declared.';
  }
}

/** What is said of a change behind its address; mostly nothing, for its sign says enough. Safe to print. */
export function changeWords(change: Change): string {
  const { leftBecause } = change;
  const parts = [verbOf(change), ...(leftBecause === undefined ? [] : [leftBecause])];
  return inline(parts.filter((words) => words !== '').join('; '));
}

function verbOf(change: Change): string {
  const kind = changeKind(change);
  switch (change.since?.kind) {
    case 'added':
      return addedWords[kind];
    case 'altered':
      if (!change.since.fields) return `${alteredWords[kind]}; it was broken before`;
      return kind === 'in_sync' && hasStaying(change) ? `is altered; ${stillInSync}` : alteredWords[kind];
    case 'same':
    case undefined:
      return kind === 'differs' ? 'differs and is left as it is' : '';
  }
}

/** Whether the service goes on holding what the entry no longer declares. */
function hasStaying({ since }: Change): boolean {
  return since?.kind === 'altered' && staysIn(since).length > 0;
}

function staysIn({ fields = [] }: Extract<Alteration, { readonly kind: 'altered' }>): string[] {
  return fields.flatMap(({ stays }) => stays ?? []);
}

const stillInSync = 'what it still declares is in sync';

const addedWords: Readonly<Record<ChangeKind, string>> = {
  create: 'is added',
  create_if_absent: 'is added',
  update: 'is added; it exists, and will be changed',
  differs: 'is added; it exists, differs and is left as it is',
  in_sync: 'is added; it exists already, as declared',
};

const alteredWords: Readonly<Record<ChangeKind, string>> = {
  create: 'is altered',
  update: 'is altered',
  create_if_absent: 'is altered; if it exists, it is left as it is',
  differs: 'is altered; it differs and is left as it is',
  in_sync: 'is altered, and in sync',
};

/** The same where a change has one line: with the names of the fields. Not safe to print yet. */
export function compactWords({
  since,
  action,
  differences,
  leftBecause,
  remarks = [],
  waitsFor = [],
}: Change): string {
  const parts: string[] = [];
  if (since?.kind === 'added') parts.push('is added');
  if (since?.kind === 'altered') {
    parts.push(since.fields ? `is altered in ${namesOf(since.fields)}` : 'is altered; it was broken before');
    parts.push(...staysIn(since));
  }
  if (differences.length > 0)
    parts.push(`${action === 'update' ? 'changes' : 'differs in'} ${namesOf(differences)}`);
  const waits = waitsFor.length > 0 ? [`after ${waitsFor.join(', ')}`] : [];
  return [...parts, ...(leftBecause === undefined ? [] : [leftBecause]), ...remarks, ...waits].join('; ');
}

function namesOf(fields: readonly { readonly field: string }[]): string {
  return fields.map(({ field }) => field).join(', ');
}
