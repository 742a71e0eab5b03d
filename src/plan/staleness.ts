import type { JsonObject, JsonValue } from '../base/json.ts';
import { sameValue, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { canonicalJson } from './canonical.ts';
import { changeDocument, resourceForDisplay, type ChangeDocument, type PlanDocument } from './document.ts';
import type { Change, Plan } from './plan.ts';

export type Staleness =
  | { readonly kind: 'appeared' | 'vanished' | 'not in the plan' | 'only in the plan' }
  | { readonly kind: 'presence'; readonly planned: Change['presence']; readonly now: Change['presence'] }
  | { readonly kind: 'action'; readonly planned: string; readonly now: string }
  /** A value that was observed, or that the plan would set. */
  | {
      readonly kind: 'field';
      readonly which: 'observed' | 'declared';
      readonly field: string;
      readonly planned: JsonValue;
      readonly now: JsonValue;
    }
  /** A field whose values are masked, or look the same, and that differs only in one of the plans. */
  | { readonly kind: 'difference'; readonly field: string; readonly differsNow: boolean }
  | { readonly kind: 'words'; readonly planned: JsonValue; readonly now: JsonValue };

export interface StaleChange {
  readonly resource: Resource;
  readonly staleness: readonly [Staleness, ...Staleness[]];
}

/** Why a saved plan cannot be applied: every difference between the saved plan and a new plan. */
export function staleChanges(saved: PlanDocument, now: Plan): StaleChange[] {
  const planned = new Map(saved.resource_changes.map((change) => [change.address, change]));
  const stale = now.changes.flatMap((change): StaleChange[] => {
    const { resource } = change;
    const savedChange = planned.get(resource.address);
    planned.delete(resource.address);
    const [first, ...others] = savedChange
      ? differencesBetween(savedChange, changeDocument(change), resource.kind)
      : [{ kind: 'not in the plan' } as const];
    return first === undefined ? [] : [{ resource, staleness: [first, ...others] }];
  });
  const others = Array.from(planned.values(), (change): StaleChange => {
    return { resource: resourceForDisplay(change), staleness: [{ kind: 'only in the plan' }] };
  });
  return [...stale, ...others];
}

function differencesBetween(then: ChangeDocument, now: ChangeDocument, kind: Kind): Staleness[] {
  if (then.presence !== now.presence) return [presenceOf(then, now)];
  const { actions: planned, before, after } = then.change;
  const { actions } = now.change;
  // Plans of earlier versions contain no ids.
  const idIn = ({ pk = '' }: ChangeDocument): JsonObject => (then.pk === undefined ? {} : { pk });
  const changed = [
    ...changedFields('observed', kind, { ...idIn(then), ...before }, { ...idIn(now), ...now.change.before }),
    ...changedFields(
      'declared',
      kind,
      { ...after, ...declaredIn(then) },
      { ...now.change.after, ...declaredIn(now) },
    ),
  ];
  const found = changed.length > 0 ? changed : differingInOne(then, now);
  if (found.length > 0) return found;
  if (planned[0] !== actions[0]) return [{ kind: 'action', planned: planned[0], now: actions[0] }];
  // With --baseline, `opens` also has the access that changes since the baseline have given already.
  const { since, opens = [] } = then;
  const hasAll =
    since && opens.length > 0 && now.opens?.every((subject) => opens.includes(subject)) !== false;
  const same = hasAll ? { ...now, opens } : now;
  return otherPartsOf.flatMap((words): Staleness[] => {
    const [a = null, b = null] = [words(then), words(same)];
    return canonicalJson(a) === canonicalJson(b) ? [] : [{ kind: 'words', planned: a, now: b }];
  });
}

function presenceOf({ presence: planned }: ChangeDocument, { presence: now }: ChangeDocument): Staleness {
  if (planned === 'absent' && now === 'present') return { kind: 'appeared' };
  if (planned === 'present' && now === 'absent') return { kind: 'vanished' };
  return { kind: 'presence', planned, now };
}

/** The fields whose values differ, ignoring the order of ids. */
function changedFields(
  which: 'observed' | 'declared',
  kind: Kind,
  then: JsonObject,
  now: JsonObject,
): Staleness[] {
  return [...new Set([...Object.keys(then), ...Object.keys(now)])].flatMap((field): Staleness[] => {
    const [planned = null, other = null] = [then[field], now[field]];
    return sameValue(kind, field, planned, other)
      ? []
      : [{ kind: 'field', which, field, planned, now: other }];
  });
}

/** The fields that differ in one plan only, except fields that a plan could not compare. */
function differingInOne(then: ChangeDocument, now: ChangeDocument): Staleness[] {
  const [before, after] = [declaredIn(then), declaredIn(now)];
  const uncompared = new Set([then, now].flatMap((change) => change.not_compared ?? []));
  return Object.keys({ ...before, ...after }).flatMap((field): Staleness[] => {
    const differsNow = Object.hasOwn(after, field);
    return uncompared.has(field) || differsNow === Object.hasOwn(before, field)
      ? []
      : [{ kind: 'difference', field, differsNow }];
  });
}

function declaredIn({ differences }: ChangeDocument): JsonObject {
  return Object.fromEntries(differences.map(({ field, declared }) => [field, declared]));
}

/** Compares all parts of a change except its position, its effect on the token, its difference from the baseline, and `left_because`. */
const otherPartsOf: readonly ((change: ChangeDocument) => JsonValue | undefined)[] = [
  ({ name }) => name,
  ({ type, model = null }) => [type, model],
  ({ formerly = null, state = null }) => [formerly, state],
  ({ exactly }) => exactly,
  ({ at_least: inPart }) => inPart,
  ({ unfinished }) => unfinished,
  remarksApartFromToken,
  ({ opens }) => opens,
  ({ open_to: openTo }) => openTo,
  ({ on_way_in: affectsLogin }) => affectsLogin,
  ({ names }) => names,
  ({ observed_names: names }) => names,
  ({ waits_for: others }) => others,
  ({ set_after: later }) => later?.map(({ field, after }) => `${field} ${after}`),
  ({ diagnostics }) => diagnostics?.map(({ code, summary }) => `${summary} [${code}]`),
];

/** The remarks without the one about the token of the run, which comes first. Another token may apply the plan. */
function remarksApartFromToken({ remarks, takes_own_rights: isOwn }: ChangeDocument): JsonValue | undefined {
  const others = isOwn ? remarks?.slice(1) : remarks;
  return others?.length === 0 ? undefined : others;
}
