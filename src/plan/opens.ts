import { isJsonList, type JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { declaresBindings, everyone } from '../kinds/access.ts';
import { sentValue, valueAfter } from '../kinds/fields.ts';
import { isEnabled, mustPassAll } from '../kinds/bindings.ts';
import { joinWords } from '../kinds/all.ts';
import type { UnboundState, UnboundStates } from '../kinds/children.ts';
import { singleOwnerFields, type Kind } from '../kinds/kind.ts';
import { namesById, shownId } from '../kinds/named.ts';
import { policyBindings } from '../kinds/policy-bindings.ts';
import type { Release } from '../kinds/release.ts';
import type { Resource } from '../kinds/resource.ts';
import { openFlag } from '../kinds/settings.ts';
import type { Alteration } from '../manifest/baseline.ts';
import { bindingsOf } from '../service/children.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { IsAncestor } from './ancestors.ts';
import { takenIds, type FindHolder } from './holders.ts';
import type { Change } from './plan.ts';
import { accessGains } from './reach.ts';
import { accessFields, type PlannedSubject, subjectsOfField } from './subjects.ts';
import { areWithheldFieldsUnset } from './unfinished.ts';

const othersAllowed = 'everyone admitted by policies and negated bindings';

interface Subjects {
  /** The subjects that the bindings admit; undefined if unknown. */
  readonly each: readonly PlannedSubject[] | undefined;
  /** Whether people must pass all bindings, instead of any one of them. */
  readonly isAll: boolean;
  readonly isOpen: boolean;
  readonly isAncestor: IsAncestor;
}

/** Returns who gains access through a change, even if this run may not apply the change. */
export function newAccess(
  change: Pick<Change, 'resource' | 'action'>,
  observed: Pick<ObservedRecord, 'fields' | 'bound'>,
  since: Alteration | undefined,
  unbound: UnboundStates = { before: 'open', after: 'open' },
  release?: Release,
  wasAncestor: IsAncestor = () => false,
): string[] {
  const { access, bindable } = change.resource.kind;
  const newAccessIf = (isOn: boolean): string[] => {
    const isOpen = (state: UnboundState): boolean =>
      access === undefined ? !bindable?.isClosedUnbound : state === 'open' || (isOn && state === 'unknown');
    const [before, after] = [isOpen(unbound.before), isOpen(unbound.after)];
    return newAccessInState(change, observed, since, { before, after }, wasAncestor);
  };
  const on = newAccessIf(true);
  const reached = accessGains(change, observed, since, release);
  if (access === undefined || !Object.values(unbound).includes('unknown'))
    return [...new Set([...on, ...reached])];
  const off = newAccessIf(false);
  return [
    ...on.map((subject) => (off.includes(subject) ? subject : withFlagState('on', subject))),
    ...off.flatMap((subject) => (on.includes(subject) ? [] : withFlagState('off', subject))),
    ...reached,
  ];
}

function withFlagState(state: 'on' | 'off', subject: string): string {
  return `${subject} if the flag \`${openFlag.key}\` is ${state} (its state is unknown)`;
}

/** Who may open a record without bindings; undefined if nobody may. */
export function accessWithoutBindings({ access, bindable }: Kind, unbound: UnboundState): string | undefined {
  if (bindable?.isClosedUnbound) return undefined;
  if (access === undefined || unbound === 'open') return everyone;
  return unbound === 'unknown' ? withFlagState('on', everyone) : undefined;
}

/** Who can open a new record for which no access is declared; undefined if nobody can. */
export function accessOfNewRecord(
  { resource, presence, action }: Pick<Change, 'resource' | 'presence' | 'action'>,
  unbound: UnboundState = 'open',
): string | undefined {
  const isNew = action === 'create' && presence === 'absent';
  if (!isNew || resource.kind.access === undefined || declaresBindings(resource)) return undefined;
  return accessWithoutBindings(resource.kind, unbound);
}

function newAccessInState(
  { resource, action }: Pick<Change, 'resource' | 'action'>,
  observed: Pick<ObservedRecord, 'fields' | 'bound'>,
  since: Alteration | undefined,
  isOpen: { readonly before: boolean; readonly after: boolean },
  isAncestor: IsAncestor,
): string[] {
  const { bindable } = resource.kind;
  if (bindable === undefined) return [];
  const declaring = accessFields(resource);
  const { mode } = bindable;
  const isAll =
    mode !== undefined && (sentValue(resource, mode.field) ?? observed.fields[mode.field]) === mode.all;
  const wasAll = mustPassAll(bindable, observed.fields);
  const isPending = action === 'create' || action === 'update';
  if (declaring.length === 0)
    return isPending && wasAll && !isAll ? ['users who pass any of its bindings'] : [];
  const subjectsIn = (valueOf: (field: string) => JsonValue | undefined): PlannedSubject[] =>
    declaring.flatMap((field) => subjectsOfField(resource, field, valueOf(field) ?? null));
  const observedSubjects = subjectsIn((field) => observed.fields[field]);
  const isKnown = action !== 'create' && declaring.some((field) => observed.fields[field] !== undefined);
  const before: Subjects = {
    each: isKnown ? observedSubjects : undefined,
    isAll: wasAll,
    isOpen: isOpen.before,
    isAncestor,
  };
  const after: Subjects = {
    each: subjectsIn((field) => valueAfter(resource, field, observed.fields[field])),
    isAll,
    isOpen: isOpen.after,
    isAncestor,
  };
  // Bindings that are not declared, such as policies and negated bindings, also decide about access.
  const others = bindingsOf(observed, policyBindings).filter(isEnabled).length - observedSubjects.length;
  const declared = subjectsIn((field) => sentValue(resource, field));
  const opened = [
    ...(isPending ? newSubjects(before, after, others) : []),
    ...(since?.kind === 'added' ? newSubjects({ ...after, each: undefined }, after) : []),
    ...(since?.kind === 'altered'
      ? newAccessSince(resource, since, { ...after, each: declared }, others)
      : []),
  ];
  const redactor = redactorOf(resource.secrets);
  return [...new Set(opened)].map((words) => (words === everyone ? words : redactor.redact(words)));
}

/** Who loses access through an update. If everyone may open the record afterwards, nobody does. */
export function lostAccess(
  resource: Resource,
  { fields, names = {} }: Pick<ObservedRecord, 'fields' | 'names'>,
  isAncestor: IsAncestor,
  unbound: UnboundState = 'open',
): string[] {
  const { kind } = resource;
  const declaring = accessFields(resource);
  const before = declaring.flatMap((field) => {
    const known = new Map([...(names[field] ?? []), ...namesById(resource, field)]);
    return subjectsOfField(resource, field, fields[field] ?? null, known);
  });
  const after = declaring.flatMap((field) =>
    subjectsOfField(resource, field, valueAfter(resource, field, fields[field])),
  );
  if (kind.bindable === undefined) return [];
  if (after.length === 0 && accessWithoutBindings(kind, unbound) !== undefined) return [];
  // In mode `all`, fewer bindings admit more people.
  if (before.length > 1 && mustPassAll(kind.bindable, fields) && after.every(admissionTo(before))) return [];
  const isStillIn = admissionTo(after, isAncestor);
  return before.filter((one) => !isStillIn(one)).map(({ words }) => `is no longer open to ${words(true)}`);
}

/** The people who gain access to a provider because this record takes it from another one. */
export function accessThroughTaken(
  { resource, action }: Pick<Change, 'resource' | 'action'>,
  { fields }: Pick<ObservedRecord, 'fields'>,
  holderOf: FindHolder,
): string[] {
  const { kind, secrets } = resource;
  if (kind.access === undefined || (action !== 'create' && action !== 'update')) return [];
  return singleOwnerFields(kind).flatMap((field) =>
    takenIds({ resource, field }, fields, holderOf).map(({ id, holder }) =>
      redactorOf(secrets).redact(`all who may open it, through ${shownId(resource, field, id)} of ${holder}`),
    ),
  );
}

/** Who may open an observed record; undefined if the manifest does not declare access. */
export function whoMayOpen(
  resource: Resource,
  { fields, bound, names = {} }: Pick<ObservedRecord, 'fields' | 'bound' | 'names'>,
  unbound: UnboundState = 'open',
): string[] | undefined {
  const { bindable, access } = resource.kind;
  const declaring = accessFields(resource);
  if (bindable === undefined || declaring.length === 0) return undefined;
  if (areWithheldFieldsUnset(bindable, fields)) return [];
  const newSubjectsFound = declaring.flatMap((field) =>
    subjectsOfField(resource, field, fields[field] ?? null, names[field] ?? new Map()),
  );
  const redactor = redactorOf(resource.secrets);
  const subjectNames = newSubjectsFound.map(({ words }) => redactor.redact(words(true)));
  if (subjectNames.length === 0) {
    const isDecided = access && bindingsOf({ ...(bound && { bound }) }, access.children).some(isEnabled);
    const others = isDecided ? othersAllowed : accessWithoutBindings(resource.kind, unbound);
    return others === undefined ? [] : [others];
  }
  return mustPassAll(bindable, fields) && subjectNames.length > 1
    ? [`users who pass all of these: ${joinWords(subjectNames)}`]
    : subjectNames;
}

/** Returns the subjects that gain access; `others` counts the undeclared bindings, which also decide about access. */
function newSubjects(before: Subjects, now: Subjects, others: number = 0): string[] {
  const subjects = now.each ?? [];
  const [countBefore, countNow] = [before.each?.length ?? 0, subjects.length];
  // With a single binding, both modes have the same effect.
  const [wasAll, isAll] = [before.isAll && countBefore + others > 1, now.isAll && countNow + others > 1];
  // In mode `all`, undeclared bindings restrict access. In mode `any`, each undeclared binding admits people.
  const viaBindings = wasAll && !isAll && others > 0 ? [othersAllowed] : [];
  const hadNoBindings = before.each !== undefined && countBefore === 0;
  if (hadNoBindings && others === 0 && before.isOpen) return []; // it was open to all
  if (hadNoBindings && others > 0 && countNow === 0) return viaBindings;
  if (countNow === 0) return others > 0 || now.isOpen ? [everyone] : [];
  if (!before.each) return [];
  const wasIn = admissionTo(before.each, before.isAncestor);
  const added = subjects.filter((subject) => !wasIn(subject)).map(({ words }) => words(false));
  const all = subjects.map((subject) => subject.words(wasIn(subject)));
  if (!isAll) return [...(wasAll ? all : added), ...viaBindings];
  const isCloser = wasAll ? before.each.every(admissionTo(subjects)) : added.length < all.length;
  return isCloser ? [] : [`users who pass all of these: ${joinWords(all)}`];
}

/** Whether any of the given subjects admits a subject. Members of a group are also members of its ancestors. */
function admissionTo(
  subjects: readonly PlannedSubject[],
  isAncestor: IsAncestor = () => false,
): (subject: PlannedSubject) => boolean {
  const known = new Set(subjects.flatMap(({ keys }) => keys));
  return ({ keys, group: below }) =>
    keys.some((key) => known.has(key)) ||
    (below !== undefined && subjects.some(({ group }) => group !== undefined && isAncestor(group, below)));
}

/** Who gains access through a change of the manifests. If access was not declared before, the earlier access is unknown. */
function newAccessSince(
  resource: Resource,
  { fields = [] }: Extract<Alteration, { kind: 'altered' }>,
  now: Subjects,
  others: number,
): string[] {
  const mode = resource.kind.bindable?.mode;
  const altered = new Map(fields.map((each) => [each.field, each]));
  const ofMode = altered.get(mode?.field ?? '');
  const declaring = accessFields(resource);
  if (!ofMode && !declaring.some((field) => altered.has(field))) return [];
  const known = declaring.flatMap((field): (readonly [string, JsonValue])[] => {
    const item = altered.get(field);
    const value = item === undefined ? sentValue(resource, field) : item.before;
    // The value of a hidden field is unknown.
    return value !== undefined && isJsonList(value) ? [[field, value]] : [];
  });
  const before: Subjects = {
    ...now,
    each:
      known.length === 0
        ? undefined
        : known.flatMap(([field, value]) => subjectsOfField(resource, field, value)),
    isAll: ofMode ? ofMode.before === mode?.all : now.isAll,
  };
  return newSubjects(before, now, others);
}
