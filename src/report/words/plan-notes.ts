import { groupBy } from '../../base/group-by.ts';
import { joinListNames, type ResourceType } from '../../kinds/all.ts';
import { mayBeHidden, needsSuperuserToLookUp, type Kind } from '../../kinds/kind.ts';
import { formerName } from '../../kinds/lifecycle.ts';
import { addressOfName, declaredNames } from '../../kinds/named.ts';
import {
  changeKind,
  isLoginChange,
  pendingChanges,
  planSummary,
  unreadKinds,
  type Change,
  type Plan,
} from '../../plan/plan.ts';
import type { UnreadableReason } from '../../service/types.ts';
import { printableLine, withoutEmpty } from '../printable.ts';
import { listAddresses, listNames } from './diagnostics.ts';

/** The notes below the changes of a plan. */
export function planNotes(plan: Plan): string[] {
  return [
    ...openRecordsNote(plan),
    ...unreadNote(plan),
    ...unseenIdsNote(plan),
    ...unseenFieldNotes(plan),
    ...renamedNote(plan),
    ...remarksOf(plan.changes.filter((change) => changeKind(change) === 'in_sync')).map((line) => `${line}.`),
    ...unservedNote(plan),
    ...effectsNote(plan),
  ];
}

/** The notes of all pending changes. */
export function changeNotes(plan: Plan): string[] {
  return remarksOf(pendingChanges(plan));
}

/** Changes with the same remark share a line. */
function remarksOf(changes: readonly Change[]): string[] {
  const noted = changes.flatMap(({ resource, remarks = [] }) => remarks.map((note) => ({ resource, note })));
  return Array.from(
    groupBy(noted, ({ note }) => note),
    ([note, alike]) => `${listAddresses(alike)}: ${printableLine(note)}`,
  );
}

/** A long plan has lines about special changes far apart, so a note at its end counts these changes. */
const maxUncounted = 20;

/** How many changes of a long plan do more than change fields, by effect. */
function effectsNote(plan: Plan): string[] {
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
function openRecordsNote({ changes }: Pick<Plan, 'changes'>): string[] {
  const open = changes.filter(({ openTo }) => openTo !== undefined);
  return Array.from(
    groupBy(open, ({ openTo = '' }) => openTo),
    ([whom, alike]) =>
      `Open to ${printableLine(whom)}, because no \`access\` is declared: ${listAddresses(alike)}.`,
  );
}

/** A note about existing records for which `formerly` has no effect, because no visible record has the former name. */
function renamedNote({ changes }: Plan): string[] {
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

/** Notes about fields that are not compared, because the service does not show their values. */
export function unseenFieldNotes({ changes }: Plan): string[] {
  const list = (fieldsOf: (change: Change) => readonly string[]): string =>
    listNames(
      changes.flatMap((change) => {
        const fields = fieldsOf(change).map((field) => `\`${field}\``);
        return fields.length === 0 ? [] : printableLine(`${change.resource.address} ${fields.join(', ')}`);
      }),
    );
  const notShown = list(({ resource, notShown: fields = [], notCompared: others = [] }) => [
    ...fields,
    ...others.filter((field) => !mayBeHidden(resource.kind, field)),
  ]);
  const notCompared = list(({ resource, notCompared: fields = [] }) =>
    fields.filter((field) => mayBeHidden(resource.kind, field)),
  );
  return withoutEmpty(
    notShown && `Not compared, because the service does not show the value: ${notShown}.`,
    notCompared &&
      `Not comparable, because the service never shows the value: ${notCompared}. To send a value again, use --resend ADDRESS.`,
  );
}

const lostWords = {
  timed_out: 'the service did not answer in time',
  closed: 'the connection was closed',
  unknown: 'no complete answer came back',
} as const;

const unseenWords: Readonly<Record<UnreadableReason['why'], string>> = {
  denied: 'this token cannot see the records',
  not_offered: 'the service does not offer to look them up',
  unanswered: 'the service did not answer the look-ups',
};

/** Notes about ids in new entries, because the ids may not exist. */
function unseenIdsNote({ unseenIds = {}, contractOnly = false }: Plan): string[] {
  if (contractOnly) return [];
  const byReason = groupBy(Object.entries(unseenIds), ([, { unread }]) =>
    unread ? unseenWords[unread.why] : 'the token sees no record with such an id',
  );
  return Array.from(byReason, ([reason, lists]) => {
    const counts = lists.map(([list, { count }]) => `${count} of ${list}`);
    return `New entries contain ids that may be wrong, because ${reason}: ${listNames(counts)}.`;
  });
}

/** A note about kinds whose existing records are unknown, with the reason. */
function unreadNote({ changes, scope, contractOnly = false, unreadable = {} }: Plan): string[] {
  const { create_if_absent: unread } = planSummary(changes);
  if (unread === 0) return [];
  const consequence = 'each resource marked ? is created if it is absent, and left unchanged otherwise.';
  if (contractOnly) {
    const note = `With contract_only, ${joinListNames(unreadKinds({ changes }))} are not looked up: ${consequence}`;
    if (unread < changes.length) return [note];
    const where = scope === undefined ? 'declared' : 'selected';
    return [`${note}\nNo other resource is ${where}, so no request was sent.`];
  }
  return Array.from(unreadKinds({ changes }), (kind) =>
    unreadWords(kind, unreadable[kind.type], consequence),
  );
}

/** Says why records of a kind could not be looked up, which consequence this has, and how to solve the problem. */
function unreadWords(
  kind: Kind<ResourceType>,
  unreadable: UnreadableReason | undefined,
  what: string,
): string {
  const { list, path } = kind;
  const status = unreadable?.status === undefined ? '' : ` (${unreadable.status})`;
  switch (unreadable?.why) {
    case 'not_offered':
      return `The service does not offer to look up ${list}${status}: ${what} To see which exist, allow GET ${path} in every proxy in front of the service.`;
    case 'unanswered':
      return `The look-up of ${list} failed${status || `, because ${lostWords[unreadable.lost ?? 'unknown']}`}: ${what} Read the logs of the service, and of any proxy in front of it.`;
    case 'denied':
    case undefined:
      return needsSuperuserToLookUp(kind)
        ? `The service shows all ${list} to superusers only: nothing is created without a superuser's token.`
        : `The token may not view ${list}${status}: ${what} With the permission to view ${list}, the plan shows which exist.`;
  }
}

/** A note about new providers that no declared outpost serves. */
function unservedNote({ changes, scope }: Pick<Plan, 'changes' | 'scope'>): string[] {
  // An outpost that is not selected may serve the providers.
  if (scope !== undefined) return [];
  const toServe = changes.flatMap(({ action, resource: { address, kind, name } }) =>
    action === 'create' && kind.referencedBy ? { address, name, ...kind.referencedBy } : [],
  );
  if (toServe.length === 0) return [];
  const served = new Set(
    changes.flatMap(({ resource }) =>
      declaredNames(resource).map(
        (reference) => `${resource.kind.list}.${reference.field} ${addressOfName(reference)}`,
      ),
    ),
  );
  const unserved = toServe.flatMap(({ address, name, list, field, example }) =>
    served.has(`${list}.${field} ${address}`) ? [] : { address, list, example: example(name) },
  );
  const [first] = unserved;
  if (first === undefined) return [];
  const names = listNames(unserved.map(({ address }) => printableLine(address)));
  return [
    `None of the declared ${first.list} serves ${names}, so nobody can reach ${unserved.length === 1 ? 'it' : 'them'}. Declare one that does, such as:\n  ${printableLine(first.example)}`,
  ];
}
