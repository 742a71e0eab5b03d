import type { Diagnostic, Problem } from '../base/diagnostic.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { isMasked } from '../base/sensitive.ts';
import { sameValue, type Kind } from '../kinds/kind.ts';
import { diagnosticOf } from '../kinds/resource.ts';
import { canonicalJson } from './canonical.ts';
import { changeDocument, resourceForDisplay, type ChangeDocument, type PlanDocument } from './document.ts';
import type { Plan } from './plan.ts';

interface Staleness extends Pick<Problem, 'summary' | 'detail'> {
  readonly field?: string;
}

/** Why a saved plan cannot be applied: every difference between the saved plan and a new plan. */
export function stalePlanDiagnostics(saved: PlanDocument, now: Plan): Diagnostic[] {
  const planned = new Map(saved.resource_changes.map((change) => [change.address, change]));
  const stale = now.changes.map((change) => {
    const { resource } = change;
    const savedChange = planned.get(resource.address);
    planned.delete(resource.address);
    const staleness = savedChange
      ? differencesBetween(savedChange, changeDocument(change), resource.kind)
      : [{ summary: 'it is not in the plan' }];
    return { resource, staleness };
  });
  const others = Array.from(planned.values(), (change) => ({
    resource: resourceForDisplay(change),
    staleness: [{ summary: 'it is in the plan, and not in a plan made now' }],
  }));
  return [...stale, ...others].flatMap(({ resource, staleness }) =>
    staleness.map(({ field, ...words }: Staleness) =>
      diagnosticOf(resource, field, { code: 'stale-plan', ...words }),
    ),
  );
}

function differencesBetween(then: ChangeDocument, now: ChangeDocument, kind: Kind): Staleness[] {
  if (then.presence !== now.presence) return [{ summary: presenceWords(then, now) }];
  const { actions: planned, before, after } = then.change;
  const { actions } = now.change;
  // Plans of earlier versions contain no ids.
  const idIn = ({ pk = '' }: ChangeDocument): JsonObject => (then.pk === undefined ? {} : { pk });
  const [declaredThen, declaredNow] = [declaredIn(then), declaredIn(now)];
  const shownThen: JsonObject = { ...after, ...declaredThen };
  const shownNow: JsonObject = { ...now.change.after, ...declaredNow };
  // A mask in place of an observed value says nothing about the declared value: `differingInOne` reports such a field.
  const isMaskCompared = ({ field = '' }: Staleness): boolean =>
    Object.hasOwn(declaredThen, field) !== Object.hasOwn(declaredNow, field) &&
    [shownThen, shownNow].some(({ [field]: value = null }) => isMasked(value));
  const changedSince = changedFields(
    kind,
    [
      { ...idIn(then), ...before },
      { ...idIn(now), ...now.change.before },
    ],
    'has changed since the plan was made',
    (a, b) => `It was ${a}, and is ${b}.`,
  );
  if (changedSince.length === 0 && planned[0] === 'delete' && actions[0] !== 'delete')
    return [
      {
        summary: 'it would no longer be deleted',
        ...(now.left_because !== undefined && { detail: `The reason: ${now.left_because}.` }),
      },
    ];
  const changed = [
    ...changedSince,
    ...changedFields(
      kind,
      [shownThen, shownNow],
      'would not get the value that the plan shows',
      bothPlansWords,
    ).filter((staleness) => !isMaskCompared(staleness)),
  ];
  const found = changed.length > 0 ? changed : differingInOne(then, now);
  if (found.length > 0) return found;
  if (planned[0] !== actions[0])
    return [{ summary: `its action is ${planned[0]} in the plan, but ${actions[0]} in a plan made now` }];
  // With --baseline, `opens` also has the access that changes since the baseline have given already.
  const { since, opens = [] } = then;
  const hasAll =
    since && opens.length > 0 && now.opens?.every((subject) => opens.includes(subject)) !== false;
  const same = hasAll ? { ...now, opens } : now;
  return otherPartsOf.flatMap((partOf): Staleness[] => {
    const [a = null, b = null] = [partOf(then), partOf(same)];
    if (canonicalJson(a) === canonicalJson(b)) return [];
    const detail = bothPlansWords(partText(a), partText(b));
    return [{ summary: 'a plan made now describes it differently', detail }];
  });
}

function bothPlansWords(planned: string, now: string): string {
  return `The plan has ${planned}, and a plan made now has ${now}.`;
}

function partText(part: JsonValue): string {
  return part === null ? 'nothing' : JSON.stringify(part);
}

function presenceWords({ presence: planned }: ChangeDocument, { presence: now }: ChangeDocument): string {
  if (planned === 'absent' && now === 'present') return 'it now exists, and the plan would create it';
  if (planned === 'present' && now === 'absent')
    return 'it existed when the plan was made, and no longer exists';
  return `it was ${planned} when the plan was made, and is ${now}`;
}

/** The fields whose values differ, ignoring the order of ids. */
function changedFields(
  kind: Kind,
  [then, now]: readonly [JsonObject, JsonObject],
  change: string,
  detailOf: (planned: string, now: string) => string,
): Staleness[] {
  return Object.keys({ ...then, ...now }).flatMap((field): Staleness[] => {
    const [planned = null, other = null] = [then[field], now[field]];
    if (sameValue(kind, field, planned, other)) return [];
    const detail = isMasked(planned) ? '' : detailOf(JSON.stringify(planned), JSON.stringify(other));
    return [{ field, summary: `\`${field}\` ${change}`, detail }];
  });
}

/** The fields that differ in one plan only, except fields that a plan could not compare. Their values are masked, or look the same. */
function differingInOne(then: ChangeDocument, now: ChangeDocument): Staleness[] {
  const [before, after] = [declaredIn(then), declaredIn(now)];
  const uncompared = new Set([then, now].flatMap((change) => change.not_compared ?? []));
  return Object.keys({ ...before, ...after }).flatMap((field): Staleness[] => {
    const differsNow = Object.hasOwn(after, field);
    if (uncompared.has(field) || differsNow === Object.hasOwn(before, field)) return [];
    const words = differsNow
      ? 'differs now, and did not when the plan was made'
      : 'differed when the plan was made, and no longer does';
    return [{ field, summary: `\`${field}\` ${words}` }];
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
  ({ deletes_bindings: deletesBindings }) => deletesBindings,
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
