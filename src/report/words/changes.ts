import { isPolicyKind } from '../../kinds/policy-bindings.ts';
import type { Alteration } from '../../manifest/baseline.ts';
import { isToBeDeleted } from '../../kinds/lifecycle.ts';
import { actions } from '../../plan/actions.ts';
import { changeKind, type Change, type ChangeKind } from '../../plan/plan.ts';
import { printableLine, withoutEmpty } from '../printable.ts';
import { listNames } from './diagnostics.ts';

/** How an entry of a list looks, and the name of its group. */
export interface EntryLook {
  readonly label: string;
  readonly sign: string;
  readonly colour: 'green' | 'blue' | 'amber' | 'red' | 'grey';
}

interface ChangeLook extends EntryLook {
  readonly verdict: (change: Change) => string;
  /** The words after the address, by kind of alteration. The words are empty if the sign at the start of the line says enough. */
  readonly words: Readonly<Record<Alteration['kind'], string>>;
}

export const changeLooks: Readonly<Record<ChangeKind, ChangeLook>> = {
  create: {
    ...createEntryLook('to create', actions.create.sign, 'green'),
    verdict: () => 'Will be created.',
    words: { same: '', added: 'is added', altered: 'is altered' },
  },
  create_if_absent: {
    ...createEntryLook('to create if absent', '?', 'blue'),
    verdict: ({ resource }) =>
      `rollcall does not read ${resource.kind.list}: the record will be created if it is absent, and left unchanged otherwise.`,
    words: { same: '', added: 'is added', altered: 'is altered; if the record exists, it is left unchanged' },
  },
  update: {
    ...createEntryLook('to change', actions.update.sign, 'amber'),
    verdict: () => 'Exists and differs. Will be changed as declared.',
    words: {
      same: '',
      added: 'is a new entry; its record exists, and will be changed',
      altered: 'is altered',
    },
  },
  delete: {
    ...createEntryLook('to delete', actions.delete.sign, 'red'),
    verdict: () => 'Exists, and is declared absent. Will be deleted.',
    words: {
      same: 'will be deleted',
      added: 'is a new entry with `state: absent`; its record exists, and will be deleted',
      altered: 'is altered; the record is declared absent, and will be deleted',
    },
  },
  differs: {
    ...createEntryLook('differing', '!', 'amber'),
    verdict: (change) => {
      const { resource, leftBecause: why, unfinished } = change;
      const reason = why === undefined ? '' : `: ${why}`;
      if (unfinished) return `Exists, and ${unfinishedText(change)}${reason}.`;
      return `Exists and ${isToBeDeleted(resource) ? 'is declared absent. It is not deleted' : 'differs. It is left unchanged'}${reason}.`;
    },
    words: {
      same: 'differs and is left unchanged',
      added: 'is a new entry; its record exists, differs and is left unchanged',
      altered: 'is altered; the record differs and is left unchanged',
    },
  },
  not_planned: {
    ...createEntryLook('not planned', '!', 'red'),
    verdict: () => 'Not planned.',
    words: {
      same: 'is not planned',
      added: 'is added, but not planned',
      altered: 'is altered, but not planned',
    },
  },
  in_sync: {
    ...createEntryLook('in sync', '=', 'grey'),
    verdict: (change) => {
      if (change.presence !== 'present') return 'Is absent, as declared.';
      return staysIn(change).length > 0 ? `Exists; ${inSyncText}.` : 'Exists, and is as declared.';
    },
    words: {
      same: '',
      added: 'is a new entry; its record already exists as declared',
      altered: 'is altered, and in sync',
    },
  },
  not_compared: {
    ...createEntryLook('not compared', '=', 'grey'),
    verdict: (change) => `Exists; ${uncompared(change)}.`,
    words: {
      same: '',
      added: 'is a new entry; its record already exists',
      altered: 'is altered',
    },
  },
};

export function createEntryLook(label: string, sign: string, colour: EntryLook['colour']): EntryLook {
  return { label, sign, colour };
}

function unfinishedText({ resource, leftBecause }: Change): string {
  const [what, update] = isPolicyKind(resource.kind)
    ? ['it differs, so no new record may rely on it', 'an update will change it']
    : ['declared parts of it are missing', 'an update will add them'];
  return `is unfinished: ${what}, and ${leftBecause === undefined ? update : 'it is left unchanged'}`;
}

const inSyncText = 'its declared fields are in sync';

function uncompared({ notCompared = [] }: Change): string {
  return `${notComparedWords(notCompared)}: ${notCompared.map((field) => `\`${field}\``).join(', ')}`;
}

export function notComparedWords(fields: readonly string[]): string {
  return `in sync, ${notComparedCount(fields)}`;
}

export function notComparedCount({ length }: readonly string[]): string {
  return `${length} ${length === 1 ? 'field' : 'fields'} not compared`;
}

/** Fields that stay in the service, although the entry no longer declares them. */
function staysIn({ since }: Pick<Change, 'since'>): string[] {
  return since?.kind === 'altered' ? (since.fields ?? []).flatMap(({ stays }) => stays ?? []) : [];
}

/** Sentences about how the entry changed since the baseline, and about what the plan does with the record. */
export function changeVerdict(change: Change): string {
  const news = { added: 'Added. ', altered: `Altered${invalidInBaselineText(change)}. `, same: '' };
  return `${news[change.since?.kind ?? 'same']}${changeLooks[changeKind(change)].verdict(change)}`;
}

export function changeWords(change: Change): string {
  const { since, leftBecause } = change;
  const kind = changeKind(change);
  const words = { ...changeLooks[kind].words };
  if (kind === 'in_sync' && staysIn(change).length > 0) words.altered = `is altered; ${inSyncText}`;
  if (kind === 'in_sync' && isToBeDeleted(change.resource)) {
    words.added = 'is a new entry with `state: absent`; its record does not exist, as declared';
    words.altered = 'is altered; its record does not exist, as declared';
  }
  const isKept = kind === 'differs' && isToBeDeleted(change.resource);
  if (isKept) words.same = 'is not deleted';
  if (change.unfinished) {
    words.same = unfinishedText(change);
    words.added = `is a new entry; its record ${words.same}`;
    words.altered = `is altered; the record ${words.same}`;
  }
  const verb = `${words[since?.kind ?? 'same']}${invalidInBaselineText(change)}`;
  const isUnknown = kind === 'not_compared' && uncompared(change);
  return printableLine(withoutEmpty(verb, isUnknown, leftBecause).join(isKept ? ': ' : '; '));
}

function invalidInBaselineText({ since }: Pick<Change, 'since'>): string {
  return since?.kind === 'altered' && !since.fields ? '; it was invalid before' : '';
}

export function differsVerb({ unfinished }: Pick<Change, 'unfinished'>): string {
  return unfinished ? 'is unfinished in' : 'differs in';
}

/** A change may wait for hundreds of others; a document of the plan contains them all. */
export const maxListedWaits = 5;

/** The words after the address of a change on one line, with the names of its fields. The words are not escaped yet. */
export function compactWords(change: Change): string {
  const { since, action, differences, leftBecause, remarks = [], waitsFor = [], setAfter = [] } = change;
  const verb = action === 'update' ? 'changes' : differsVerb(change);
  const isKept = action === 'no-op' && isToBeDeleted(change.resource);
  const faults = change.action === 'not-planned' ? change.diagnostics : [];
  const summaries = [...new Set(faults.map(({ summary }) => summary))];
  return withoutEmpty(
    since?.kind === 'added' && 'is added',
    since?.kind === 'altered' &&
      `is altered${since.fields ? ` in ${namesOf(since.fields)}` : invalidInBaselineText(change)}`,
    ...staysIn(change),
    differences.length > 0 &&
      (action === 'delete' ? 'is deleted' : isKept ? 'is not deleted' : `${verb} ${namesOf(differences)}`),
    leftBecause,
    faults.length > 0 && `is not planned: ${summaries.join('; ')}`,
    ...remarks,
    ...setAfter.map(omittedReferenceWords),
    waitsFor.length > 0 && `after ${listNames(waitsFor, maxListedWaits)}`,
  ).join('; ');
}

/** The words for a reference that is not set when the record is created, but afterwards. */
export function omittedReferenceWords({ field, after }: NonNullable<Change['setAfter']>[number]): string {
  return `\`${field}\` is set after ${after} is created`;
}

function namesOf(fields: readonly { readonly field: string }[]): string {
  return fields.map(({ field }) => field).join(', ');
}
