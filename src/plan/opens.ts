import { isJsonList, type JsonValue } from '../base/json.ts';
import { redactorOf } from '../base/redactor.ts';
import { everyone, subjectOf } from '../kinds/access.ts';
import { blankFor, sentValue } from '../kinds/fields.ts';
import type { Subject } from '../kinds/children.ts';
import { listed } from '../kinds/all.ts';
import { idKey, idsIn, nameIn, namesById } from '../kinds/named.ts';
import type { Resource } from '../kinds/resource.ts';
import { isNameOfOne, shownId } from '../kinds/values.ts';
import type { Alteration } from '../manifest/baseline.ts';
import type { HeldRecord } from '../service/types.ts';
import type { Change } from './plan.ts';
import { isNothing } from './unfinished.ts';

/** Who may open it. */
interface Guests {
  /** By the fields that say so; nothing where that is not known. */
  readonly of: (subject: Subject) => JsonValue | undefined;
  /** Whether one has to pass all that is bound, and not any of it. */
  readonly isAll: boolean;
}

/**
 * To whom a change opens what was closed to them: `everyone`, or groups and users that are let in beside others. What somebody has
 * altered in the manifests counts whether or not the run is allowed to change it.
 */
export function opensTo(
  { resource, action }: Pick<Change, 'resource' | 'action'>,
  held: Pick<HeldRecord, 'fields' | 'bindings'>,
  since: Alteration | undefined,
): string[] {
  const { access, bindable } = resource.kind;
  if (access === undefined || bindable === undefined) return [];
  const subjects = access.subjects.filter(({ field }) => Object.hasOwn(resource.fields, field));
  const { mode } = bindable;
  const now: Guests = {
    of: ({ field }) => sentValue(resource, field) ?? null,
    isAll: (sentValue(resource, mode.field) ?? held.fields[mode.field]) === mode.all,
  };
  const before: Guests = {
    of: action === 'create' ? () => undefined : ({ field }) => held.fields[field],
    isAll: held.fields[mode.field] === mode.all,
  };
  const isPending = action === 'create' || action === 'update';
  if (subjects.length === 0)
    return isPending && before.isAll && !now.isAll ? ['users who pass any of its bindings'] : [];
  // A policy decides on who comes in as well, and so does a negated binding.
  const isDecided = held.bindings?.some((child) => subjectOf(access, child) === undefined) === true;
  const opened = [
    ...(isPending ? openings(resource, subjects, before, now, isDecided) : []),
    ...(since?.kind === 'added' ? openings(resource, subjects, { ...now, of: () => undefined }, now) : []),
    ...(since?.kind === 'altered' ? openedSince(resource, subjects, since, now, isDecided) : []),
  ];
  const redactor = redactorOf(resource.secrets);
  return [...new Set(opened)].map((words) => (words === everyone ? words : redactor.clean(words)));
}

/** Who may open it as it is held, where that is declared; nobody where it has nothing that opens. */
export function whoMayOpen(
  resource: Resource,
  { fields, bindings = [], names = {} }: Pick<HeldRecord, 'fields' | 'bindings' | 'names'>,
): string[] | undefined {
  const { kind } = resource;
  const { access, bindable } = kind;
  const subjects = access?.subjects.filter(({ field }) => Object.hasOwn(resource.fields, field)) ?? [];
  if (bindable === undefined || subjects.length === 0) return undefined;
  if (bindable.withheld.every((field) => isNothing(fields[field]))) return [];
  const guests = subjects.flatMap(({ field }) => {
    const type = kind.fields[field]?.refersTo?.type ?? '';
    const isShown = blankFor(resource, field) === undefined;
    const known = names[field] ?? new Map<JsonValue, string>();
    return idsIn(field, fields[field] ?? null).map(({ id }) =>
      isShown ? `the ${type} ${shownId(id, nameIn(known, kind, field, id))}` : `a ${type}`,
    );
  });
  const redactor = redactorOf(resource.secrets);
  const named = guests.map((words) => redactor.clean(words));
  if (named.length === 0)
    return [bindings.length > 0 ? 'everyone whom policies and negated bindings allow' : everyone];
  const isAll = fields[bindable.mode.field] === bindable.mode.all;
  return isAll && named.length > 1 ? [`users who pass all of these: ${listed(named)}`] : named;
}

function openings(
  resource: Resource,
  subjects: readonly Subject[],
  before: Guests,
  now: Guests,
  isDecided: boolean = false,
): string[] {
  const countOf = ({ of }: Guests): number =>
    subjects.reduce((sum, subject) => sum + idsIn(subject.field, of(subject) ?? null).length, 0);
  const isKnown = subjects.some((subject) => before.of(subject) !== undefined);
  const [countBefore, countNow] = [countOf(before), countOf(now)];
  if (isKnown && countBefore === 0 && (!isDecided || countNow === 0)) return []; // it was open to all, or stays as it was
  if (countNow === 0) return [everyone];
  if (!isKnown) return [];
  const guests = subjects.flatMap((subject) => guestsOf(resource, subject, before, now));
  const added = guests.flatMap(({ words, wasIn }) => (wasIn ? [] : words));
  const all = guests.map(({ words }) => words);
  // One that counts alone is the same in both modes.
  const isMore = (count: number): boolean => count + (isDecided ? 1 : 0) > 1;
  const [wasAll, isAll] = [before.isAll && isMore(countBefore), now.isAll && isMore(countNow)];
  if (!isAll) return wasAll ? all : added;
  const kept = all.length - added.length;
  const isCloser = wasAll ? kept === countBefore : kept > 0;
  return isCloser ? [] : [`users who pass all of these: ${listed(all)}`];
}

/** Those of one kind who may open it now, in words, and whether they were among those before. */
function guestsOf(
  resource: Resource,
  subject: Subject,
  before: Guests,
  now: Guests,
): { readonly words: string; readonly wasIn: boolean }[] {
  const { kind } = resource;
  const { field } = subject;
  const names = namesById(resource, field);
  const key = (id: JsonValue): JsonValue => idKey(kind, field, isNameOfOne(id) ? (id['id'] ?? id) : id);
  const known = new Set(
    idsIn(field, before.of(subject) ?? null).flatMap(({ id }) => [
      isNameOfOne(id) ? id.name : (nameIn(names, kind, field, id) ?? key(id)),
      key(id),
    ]),
  );
  const type = kind.fields[field]?.refersTo?.type ?? '';
  const isShown = blankFor(resource, field) === undefined;
  return idsIn(field, now.of(subject) ?? null).map(({ id }) => {
    const name = isNameOfOne(id) ? id.name : nameIn(names, kind, field, id);
    const wasIn = known.has(key(id)) || (name !== undefined && known.has(name));
    const one = wasIn ? `a ${type}` : `one more ${type}`;
    return { wasIn, words: isShown ? `the ${type} ${shownId(id, name)}` : one };
  });
}

/** What the manifests open that did not let them in before. Without a former declaration, it is not known who could. */
function openedSince(
  resource: Resource,
  subjects: readonly Subject[],
  { fields = [] }: Extract<Alteration, { kind: 'altered' }>,
  now: Guests,
  isDecided: boolean,
): string[] {
  const mode = resource.kind.bindable?.mode;
  const altered = new Map(fields.map((each) => [each.field, each]));
  const ofMode = altered.get(mode?.field ?? '');
  if (!ofMode && !subjects.some(({ field }) => altered.has(field))) return [];
  const before: Guests = {
    of: (subject) => {
      const known = altered.get(subject.field);
      if (known === undefined) return now.of(subject);
      // What is hidden says nothing.
      return known.before !== undefined && isJsonList(known.before) ? known.before : undefined;
    },
    isAll: ofMode ? ofMode.before === mode?.all : now.isAll,
  };
  return openings(resource, subjects, before, now, isDecided);
}
