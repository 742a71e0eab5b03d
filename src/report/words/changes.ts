import type { Alteration } from '../../manifest/since.ts';
import { isToGo } from '../../kinds/lifecycle.ts';
import { actions } from '../../plan/actions.ts';
import { changeKind, type Change, type ChangeKind } from '../../plan/plan.ts';
import { inline } from '../printable.ts';

/** How an entry of a list looks, and what entries like it are called. */
export interface Look {
  readonly label: string;
  readonly sign: string;
  readonly colour: 'green' | 'blue' | 'amber' | 'red' | 'grey';
}

interface ChangeLook extends Look {
  /** What becomes of it, in a sentence. */
  readonly verdict: (change: Change) => string;
  /** What is said behind its address: mostly nothing, for its sign says enough. */
  readonly words: string;
  /** The same where the entry was added or altered since a revision. */
  readonly added: string;
  readonly altered: string;
}

export const changeLooks: Readonly<Record<ChangeKind, ChangeLook>> = {
  create: {
    label: 'to create',
    sign: actions.create.sign,
    colour: 'green',
    verdict: () => 'Will be created.',
    words: '',
    added: 'is added',
    altered: 'is altered',
  },
  create_if_absent: {
    label: 'to create if absent',
    sign: '?',
    colour: 'blue',
    verdict: ({ resource }) =>
      `rollcall does not read ${resource.kind.list}: it will be created if it is absent, and left as it is if not.`,
    words: '',
    added: 'is added',
    altered: 'is altered; if it exists, it is left as it is',
  },
  update: {
    label: 'to change',
    sign: actions.update.sign,
    colour: 'amber',
    verdict: () => 'Exists and differs. Will be changed to what is declared.',
    words: '',
    added: 'is added; it exists, and will be changed',
    altered: 'is altered',
  },
  delete: {
    label: 'to delete',
    sign: actions.delete.sign,
    colour: 'red',
    verdict: () => 'Exists, and is to be absent. Will be deleted.',
    words: 'will be deleted',
    added: 'is added as absent; it exists, and will be deleted',
    altered: 'is altered; it is to be absent, and will be deleted',
  },
  differs: {
    label: 'differing',
    sign: '!',
    colour: 'amber',
    verdict: ({ leftBecause: why }) =>
      `Exists and differs. It is left as it is${why === undefined ? '' : `: ${why}`}.`,
    words: 'differs and is left as it is',
    added: 'is added; it exists, differs and is left as it is',
    altered: 'is altered; it differs and is left as it is',
  },
  not_planned: {
    label: 'not planned',
    sign: '!',
    colour: 'red',
    verdict: () => 'Not planned.',
    words: 'is not planned',
    added: 'is added, and not planned',
    altered: 'is altered, and not planned',
  },
  in_sync: {
    label: 'in sync',
    sign: '=',
    colour: 'grey',
    verdict: (change) =>
      change.presence !== 'present'
        ? 'Is absent, as declared.'
        : staysIn(change).length > 0
          ? `Exists; ${stillInSync}.`
          : 'Exists, and is as declared.',
    words: '',
    added: 'is added; it exists already, as declared',
    altered: 'is altered, and in sync',
  },
};

const stillInSync = 'what it still declares is in sync';
const leftToGo = 'is to be absent, and is left as it is';
const wasBroken = '; it was broken before';

/** What the service goes on holding, though the entry no longer declares it. */
function staysIn({ since }: Pick<Change, 'since'>): string[] {
  return since?.kind === 'altered' ? (since.fields ?? []).flatMap(({ stays }) => stays ?? []) : [];
}

/** What became of the entry, where that is new, and what becomes of it, in sentences. */
export function changeVerdict(change: Change): string {
  const { since } = change;
  const news: Readonly<Record<Alteration['kind'], string>> = {
    added: 'Added. ',
    altered: `Altered${since?.kind === 'altered' && !since.fields ? wasBroken : ''}. `,
    same: '',
  };
  return `${news[since?.kind ?? 'same']}${changeLooks[changeKind(change)].verdict(change)}`;
}

/** What is said of a change behind its address. Safe to print. */
export function changeWords(change: Change): string {
  const { since, leftBecause } = change;
  const look = changeLooks[changeKind(change)];
  const isStaying = look === changeLooks.in_sync && staysIn(change).length > 0;
  const words: Readonly<Record<Alteration['kind'], string>> = {
    added: look.added,
    altered: isStaying ? `is altered; ${stillInSync}` : look.altered,
    same: isToGo(change.resource) && look === changeLooks.differs ? leftToGo : look.words,
  };
  const broken = since?.kind === 'altered' && !since.fields ? wasBroken : '';
  const verb = `${words[since?.kind ?? 'same']}${broken}`;
  return inline([verb, leftBecause].filter((part) => part).join('; '));
}

/** The same where a change has one line: with the names of the fields. Not safe to print yet. */
export function compactWords(change: Change): string {
  const { since, action, differences, leftBecause, remarks = [], waitsFor = [] } = change;
  const verb = action === 'update' ? 'changes' : 'differs in';
  const faults = change.action === 'not-planned' ? change.diagnostics : [];
  return [
    since?.kind === 'added' && 'is added',
    since?.kind === 'altered' &&
      (since.fields ? `is altered in ${namesOf(since.fields)}` : `is altered${wasBroken}`),
    ...staysIn(change),
    differences.length > 0 && (action === 'delete' ? 'is deleted' : `${verb} ${namesOf(differences)}`),
    leftBecause,
    faults.length > 0 && `is not planned: ${faults.map(({ summary }) => summary).join('; ')}`,
    ...remarks,
    waitsFor.length > 0 && `after ${waitsFor.join(', ')}`,
  ]
    .filter((part) => part)
    .join('; ');
}

function namesOf(fields: readonly { readonly field: string }[]): string {
  return fields.map(({ field }) => field).join(', ');
}
